// The subcommand `soma replay`: its options, and the way through its files.
#pragma once

#include "tools/command.hpp"

namespace soma::tools {

/// Enters the subcommand into the program.
void add_replay_command(CLI::App& program, command& chosen);

}  // namespace soma::tools
