// Running another program and waiting for it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace soma::tools {

/// Runs the program, found along PATH, with its arguments and with these variables besides those of this
/// process. Meanwhile interrupts from the keyboard are the program's alone. Returns its exit status, or 128
/// and the signal that ended it. The error is why it could not be started.
[[nodiscard]] tl::expected<int, std::string>
run_child(const std::vector<std::string>& words,
          const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace soma::tools
