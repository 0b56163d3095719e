// Writing what a subcommand was asked to write to a file.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace soma::tools {

/// Writes a file. A regular file is written as a whole or stays as it was; "-" is standard output. The error
/// is the reason as text.
[[nodiscard]] tl::expected<void, std::string> write_file(const std::string& path, std::string_view content);

}  // namespace soma::tools
