// What a subcommand of the program gives to main: something to run once the command line has been read.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace soma::tools {

/// Set by the subcommand that was chosen; returns the exit status.
using command = std::function<int()>;

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

}  // namespace soma::tools
