// The race detector in a run: what it reports must be what the scenario expects, in every order.
#pragma once

#include <optional>

#include "sim/failure.hpp"
#include "sim/scenario.hpp"
#include "soma/runtime.hpp"

namespace soma::sim {

/// Nothing if the reports so far are those that the scenario expects, in any order; without an expectation
/// there must be none, but for the second frees that the scenario lets fail. Precondition: the runtime is
/// checked.
std::optional<failure> judge_races(const scenario& program, const soma::runtime& checked);

}  // namespace soma::sim
