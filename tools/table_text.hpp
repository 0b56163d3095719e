// Pieces of the tables that the subcommands print.
#pragma once

#include <cstdint>
#include <string>

#include "soma/pool.hpp"

namespace soma::tools {

/// With commas: "1,234,567".
[[nodiscard]] std::string print_count(std::uint64_t count);

/// "1 wait", "1,234 waits".
[[nodiscard]] std::string print_counted(std::uint64_t count, const std::string& name);

[[nodiscard]] std::string print_fixed(double value, int decimals);

/// A line with the label on the left, the value to the right of its column, and the note behind it.
[[nodiscard]] std::string print_line(const std::string& label, const std::string& value,
                                     const std::string& note = {});

/// "event", "none", "all", or the switches that are on.
[[nodiscard]] std::string print_reuse(const reuse_switches& switches);

/// A size; "unlimited" for unlimited_bytes.
[[nodiscard]] std::string print_limit(std::uint64_t bytes);

/// Five lines: how allocations were served, by kind.
[[nodiscard]] std::string print_served(const served_counts& served);

}  // namespace soma::tools
