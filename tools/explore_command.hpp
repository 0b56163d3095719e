// The subcommand `soma explore`: runs scenarios in many orders.
#pragma once

#include "tools/command.hpp"

namespace soma::tools {

/// Enters the subcommand into the program.
void add_explore_command(CLI::App& program, command& chosen);

}  // namespace soma::tools
