// The subcommand `soma advise`: settings of a pool for a recorded trace.
#pragma once

#include "tools/command.hpp"

namespace soma::tools {

/// Enters the subcommand into the program.
void add_advise_command(CLI::App& program, command& chosen);

}  // namespace soma::tools
