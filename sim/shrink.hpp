// Making a failing scenario smaller, as long as the same checker finds something.
//
// First the scenario: statements and whole streams are dropped, with what depends on them, and sizes halved;
// then the choices. For a checker that presupposes a correct program (see order_of), what is left must stay
// correct.
#pragma once

#include <chrono>
#include <vector>

#include "sim/explore.hpp"

namespace soma::sim {

struct smaller_failure {
  scenario program;
  std::vector<std::size_t> choices;
  failure what;
  std::size_t tries = 0;
};

/// Ends after about this much time at the latest, with the smallest that was found.
smaller_failure shrink(runner& with, const scenario& program, const found_failure& found,
                       const run_options& options, std::chrono::milliseconds time = std::chrono::seconds(20));

}  // namespace soma::sim
