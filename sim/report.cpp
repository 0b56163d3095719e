#include "sim/report.hpp"

#include <algorithm>

#include "sim/shrink.hpp"

namespace soma::sim {

namespace {

std::string indented(const std::string& text) {
  std::string result;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find('\n', begin), text.size());
    result += "    " + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return result;
}

}  // namespace

std::string summary(const outcome& found) {
  std::string text = std::to_string(found.runs) + " runs, " + std::to_string(found.distinct) + " different";
  text += found.exhaustive ? ", these are all" : "";
  return text + (found.failed ? "; FAILED: " + found.failed->what.checker : "; nothing found");
}

std::string report(runner& with, const scenario& program, const found_failure& found, const options& chosen) {
  const std::string check = found.checked ? "--check " : "";
  std::string text = "  checker " + found.what.checker + ":\n" + indented(found.what.text);
  text += "  the last steps:\n" + indented(found.log);
  text += "  again: soma explore " + check + "--choices " + choices_text(found.choices);
  text += (program.title.empty() ? "" : " " + program.title) + "\n";
  if (found.seed) {
    text += "     or: soma explore " + check + "--random 1 --seed " + std::to_string(*found.seed) +
            (program.title.empty() ? "" : " " + program.title) + "\n";
  }
  if (chosen.shrink) {
    auto run_with = chosen.run;
    run_with.check = found.checked;
    const auto smaller = shrink(with, program, found, run_with);
    text += "  a smaller scenario that fails in the same way, with " + check + "--choices " +
            choices_text(smaller.choices) + ":\n";
    text += indented(to_text(smaller.program));
  }
  return text;
}

}  // namespace soma::sim
