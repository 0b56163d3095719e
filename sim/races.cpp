#include "sim/races.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace soma::sim {

namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "none" : text;
}

// A free that may fail may also be reported, for what it is.
bool is_of_a_free_that_may_fail(const check_report& report, const scenario& program) {
  if (report.kind != check_kind::double_free && report.kind != check_kind::foreign_free) {
    return false;
  }
  return std::any_of(program.statements.begin(), program.statements.end(), [&](const statement& one) {
    const bool frees = one.what == verb::free || one.what == verb::free_plainly;
    return frees && one.outcome != wanted::success && report.second &&
           report.second->place.ends_with(":" + std::to_string(line_of(program, one)));
  });
}

}  // namespace

std::optional<failure> judge_races(const scenario& program, const soma::runtime& checked) {
  std::vector<std::string> expected;
  for (const auto& one : program.statements) {
    if (one.what == verb::expect && one.expected.what == quantity::races) {
      expected.insert(expected.end(), one.expected.races.begin(), one.expected.races.end());
    }
  }
  const auto reports = checked.check_reports();
  if (!reports) {
    return failure{"races", "the race detector does not answer: " + reports.error().message};
  }
  std::vector<std::string> found;
  std::string texts;
  for (const auto& report : *reports) {
    if (is_of_a_free_that_may_fail(report, program)) {
      continue;
    }
    found.emplace_back(to_string(report.kind));
    texts += "\n" + check::to_text(report);
  }
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  if (found == expected) {
    return std::nullopt;
  }
  return failure{"races",
                 "expected: " + listed(expected) + "; the race detector found: " + listed(found) + texts};
}

}  // namespace soma::sim
