// The subcommand `soma manual`: prints the manual page, or the completion for bash.
#pragma once

#include <string>

#include "tools/command.hpp"

namespace soma::tools {

/// Enters the subcommand into the program, whose other subcommands it describes. The version is printed on
/// the page.
void add_manual_command(CLI::App& program, command& chosen, const std::string& version);

}  // namespace soma::tools
