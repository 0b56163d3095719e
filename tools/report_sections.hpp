// The parts of the report on one trace, each a section of HTML with a heading and its explanation in plain
// words.
//
// `prefix` stands in front of the ids in a section, so that they are unique in a page with several traces.
#pragma once

#include <string>

#include "tools/replay.hpp"
#include "tools/replay_history.hpp"

namespace soma::tools {

/// What all sections are about.
struct reported_replay {
  const replay_result& result;
  const replay_settings& settings;
  const replay_history& history;
  std::string prefix;
};

[[nodiscard]] std::string print_summary_section(const reported_replay& replay);
[[nodiscard]] std::string print_memory_section(const reported_replay& replay);
[[nodiscard]] std::string print_address_section(const reported_replay& replay);
[[nodiscard]] std::string print_reuse_section(const reported_replay& replay);
[[nodiscard]] std::string print_size_section(const reported_replay& replay);
[[nodiscard]] std::string print_fragmentation_section(const reported_replay& replay);
[[nodiscard]] std::string print_pressure_section(const reported_replay& replay);

}  // namespace soma::tools
