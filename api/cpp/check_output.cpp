// Where reports of the race detector go, and what the environment says about that.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "api/cpp/checks.hpp"

namespace soma::detail {

namespace {

void write_line(const std::string& text) {
  const auto line = text + "\n";  // written by one call, so that lines of several threads do not mix
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void deliver(const check_options& options, const check_report& report) {
  if (options.output != check_output::none) {
    write_line(options.output == check_output::json ? check::to_json(report) : check::to_text(report));
  }
  if (options.on_report) {
    options.on_report(report);
  }
  if (options.abort) {
    std::abort();
  }
}

std::string summary_text(const std::vector<memory::finding>& all, std::uint64_t repeated) {
  std::map<std::string_view, std::size_t> kinds;
  for (const auto& one : all) {
    ++kinds[to_string(report_of(one).kind)];
  }
  auto text = "soma check: " + std::to_string(all.size()) + (all.size() == 1 ? " report" : " reports");
  for (const char* separator = " ("; const auto& [kind, count] : kinds) {
    text += separator + std::to_string(count) + " " + std::string(kind);
    separator = ", ";
  }
  text += kinds.empty() ? "" : ")";
  if (repeated > 0) {
    text += ", found " + std::to_string(repeated) + " times more at the same places";
  }
  return text;
}

void deliver_summary(const check_options& options, const std::vector<memory::finding>& all,
                     std::uint64_t repeated) {
  if (options.output == check_output::text) {
    write_line(summary_text(all, repeated));
  } else if (options.output == check_output::json) {
    write_line(R"({"kind":"summary","reports":)" + std::to_string(all.size()) + R"(,"repeated":)" +
               std::to_string(repeated) + "}");
  }
}

// Returns false if the word means nothing.
bool apply(std::string_view word, check_options& options) {
  if (word == "abort") {
    options.abort = true;
  } else if (word == "json") {
    options.output = check_output::json;
  } else if (word == "guard") {
    options.guard = true;
  } else {
    return word == "1";
  }
  return true;
}

}  // namespace

actors::report_sink sink_for(const check_options& options) {
  return {[options](const memory::finding& found) { deliver(options, report_of(found)); },
          [options](const std::vector<memory::finding>& all, std::uint64_t repeated) {
            deliver_summary(options, all, repeated);
          }};
}

std::optional<check_options> check_from_environment() {
  const char* text = std::getenv("SOMA_CHECK");
  if (text == nullptr || *text == '\0' || std::string_view(text) == "0") {
    return std::nullopt;
  }
  check_options options;
  std::string_view rest = text;
  while (true) {
    const auto comma = rest.find(',');
    if (!apply(rest.substr(0, comma), options)) {
      write_line(std::string("soma check: the environment variable SOMA_CHECK is \"") + text +
                 "\", which is not a list of the words 1, abort, json and guard with commas between them: "
                 "nothing is checked");
      return std::nullopt;
    }
    if (comma == std::string_view::npos) {
      return options;
    }
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace soma::detail
