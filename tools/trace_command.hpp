// The subcommand trace: what a message trace tells.
#pragma once

#include "tools/command.hpp"

namespace soma::tools {

void add_trace_command(CLI::App& program, command& chosen);

}  // namespace soma::tools
