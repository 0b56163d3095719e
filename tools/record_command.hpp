// The subcommand `soma record`: runs a program that writes down what it asks of its pools.
#pragma once

#include "tools/command.hpp"

namespace soma::tools {

/// Enters the subcommand into the program.
void add_record_command(CLI::App& program, command& chosen);

}  // namespace soma::tools
