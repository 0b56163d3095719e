// What both tables of the Ascend profiler have.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tools/import_events.hpp"

namespace soma::tools {

/// Counts rows by the device in their "Device Type" cell, for example "NPU:1".
class device_counter {
public:
  void add(std::string_view device) { ++rows_[std::string(device)]; }

  /// The device to take: the one asked for, or the one with the most rows. The error lists those that there
  /// are.
  [[nodiscard]] tl::expected<std::string, import_error> choose(const import_options& options) const;

  /// A note on the rows of other devices; empty if there are none.
  [[nodiscard]] std::string note(const std::string& chosen) const;

private:
  std::map<std::string, std::uint64_t> rows_;
};

}  // namespace soma::tools
