// Reading a trace by the name of its file.
#pragma once

#include <string>
#include <vector>

#include "tools/trace_reader.hpp"

namespace soma::tools {

/// All rows of the file; "-" is standard input.
[[nodiscard]] tl::expected<std::vector<trace_row>, trace_error> read_trace_file(const std::string& path);

}  // namespace soma::tools
