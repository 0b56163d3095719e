// What people are told about an exploration.
#pragma once

#include <string>

#include "sim/explore.hpp"

namespace soma::sim {

/// One line: how many runs, how many different ones, whether these are all, and the result.
std::string summary(const outcome& found);

/// The failure: the scenario, the checker, what it found, the last steps, and how to see it again; then, if
/// options.shrink says so, a smaller scenario.
std::string report(runner& with, const scenario& program, const found_failure& found, const options& chosen);

}  // namespace soma::sim
