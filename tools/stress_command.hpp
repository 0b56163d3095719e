// The subcommand `soma stress`: its options and its exit status.
#pragma once

#include "tools/command.hpp"

namespace soma::tools {

/// Enters the subcommand into the program.
void add_stress_command(CLI::App& program, command& chosen);

}  // namespace soma::tools
