// Reading scenarios: text to statements.
#pragma once

#include <string>
#include <string_view>

#include "sim/scenario.hpp"

namespace soma::sim {

/// Reads and resolves a scenario. The error has the line and says what was found and what was expected.
tl::expected<scenario, scenario_error> parse_scenario(std::string_view text, std::string title = {});

}  // namespace soma::sim
