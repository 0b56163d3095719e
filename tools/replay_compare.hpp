// One trace replayed under several settings, side by side.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/replay_report.hpp"
#include "tools/replay_variants.hpp"

namespace soma::tools {

struct compared_replay {
  replay_variant variant;
  tl::expected<replay_result, trace_error> result;
};

/// Replays the rows under each variant. A variant that fails does not keep the others from being replayed.
[[nodiscard]] std::vector<compared_replay> compare_replays(const std::vector<trace_row>& rows,
                                                           const std::vector<replay_variant>& variants);

/// A table with a column for each variant; below it the reasons of those that failed.
[[nodiscard]] std::string print_comparison(const std::string& file,
                                           const std::vector<compared_replay>& compared);

/// An object with the file's name and, in "variants", what to_json gives for each, with its "variant".
[[nodiscard]] nlohmann::ordered_json comparison_json(const std::string& file,
                                                     const std::vector<compared_replay>& compared);

}  // namespace soma::tools
