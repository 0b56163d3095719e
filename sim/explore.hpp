// Exploring a scenario: many runs, until one fails or the budget is used up.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/run.hpp"

namespace soma::sim {

enum class strategy : std::uint8_t {
  automatic,   // all runs if they are few, else random ones and PCT; then some with the race detector
  exhaustive,  // all runs, up to options.runs
  random,
  pct,
  replay,  // one run, with options.choices
};

struct options {
  strategy how = strategy::automatic;
  std::uint64_t runs = 1000;
  std::uint64_t seed = 1;   // of the first run; the next has the next one
  std::uint32_t depth = 3;  // of PCT
  std::vector<std::size_t> choices;
  std::optional<std::chrono::milliseconds> time;  // for all runs together
  bool shrink = true;                             // a failure
  run_options run;
};

struct found_failure {
  failure what;
  std::vector<std::size_t> choices;   // that lead to it
  std::optional<std::uint64_t> seed;  // of the run, if it was a random one
  std::string log;                    // the last steps
  bool checked = false;               // it was a run with the race detector
};

struct outcome {
  std::uint64_t runs = 0;
  std::uint64_t distinct = 0;  // by what everyone received, in which order
  bool exhaustive = false;     // there is no other run
  std::size_t longest = 0;     // steps
  std::optional<found_failure> failed;
  std::string log;  // of the last run, if run.keep_log
};

/// Precondition: the scenario was resolved.
outcome explore(runner& with, const scenario& program, const options& chosen);
outcome explore(const scenario& program, const options& chosen = {});

}  // namespace soma::sim
