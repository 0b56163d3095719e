// What a stress run did, as a table for people.
#pragma once

#include <string>

#include "tools/stress.hpp"

namespace soma::tools {

/// A block of lines, the last with a line end.
[[nodiscard]] std::string print_stress(const stress_settings& settings, const stress_result& result);

}  // namespace soma::tools
