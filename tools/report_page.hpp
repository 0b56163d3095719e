// The report of `soma replay --html`: one page of HTML with everything in it.
//
// The page loads nothing and runs nothing: pictures are inline SVG, and its policy forbids the rest. The
// figures are also in it as JSON, in the script element "figures", the same that --json prints.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/replay.hpp"
#include "tools/replay_history.hpp"
#include "tools/replay_report.hpp"

namespace soma::tools {

class report_page {
public:
  /// Adds the report on a file, or that it could not be replayed.
  void add(const file_outcome& outcome, const replay_settings& settings, const replay_history& history);

  /// The whole page; `figures` is the JSON of all files.
  [[nodiscard]] std::string print(const nlohmann::ordered_json& figures) const;

private:
  std::vector<std::string> files_;
  std::vector<std::string> articles_;
};

}  // namespace soma::tools
