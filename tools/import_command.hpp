// The subcommand `soma import`: traces from recordings of other programs.
#pragma once

#include "tools/command.hpp"

namespace soma::tools {

/// Enters the subcommand into the program.
void add_import_command(CLI::App& program, command& chosen);

}  // namespace soma::tools
