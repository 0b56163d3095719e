// What a replay found, as a table for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

#include "tools/replay.hpp"

namespace soma::tools {

/// A file and how its replay went.
struct file_outcome {
  std::string file;
  tl::expected<replay_result, trace_error> result;
};

/// reserved_high / used_high; 0 if nothing was ever used.
[[nodiscard]] double reserved_to_used(const pool_statistics& statistics) noexcept;

/// A block of lines, the last with a line end. Sizes have units; the exact bytes are in the JSON.
[[nodiscard]] std::string print_table(const std::string& file, const replay_result& result,
                                      const replay_settings& settings);

/// An object with the figures, or with `file` and `error` (`line`, `reason`) where the replay failed.
[[nodiscard]] nlohmann::ordered_json to_json(const file_outcome& outcome, const replay_settings& settings);

/// `soma: FILE:LINE: reason`, without the line where the error is about the whole file.
[[nodiscard]] std::string print_error(const std::string& file, const trace_error& error);

}  // namespace soma::tools
