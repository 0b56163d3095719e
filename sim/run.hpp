// One run of a scenario: as chosen, watched by the checkers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/checker.hpp"
#include "sim/chooser.hpp"
#include "sim/failure.hpp"
#include "sim/scenario.hpp"

namespace soma::sim {

struct run_result {
  std::optional<failure> failed;
  std::vector<std::size_t> choices;
  std::uint64_t hash = 0;   // of the log
  std::uint64_t order = 0;  // of what everyone received, in which order
  std::size_t steps = 0;
  bool pruned = false;  // given up: the same as another run
  std::string log;      // the last steps of a failed run; all if they were asked for
};

struct run_options {
  bool keep_log = false;
  /// With the race detector, which must report what the scenario expects. It adds many steps to a run.
  bool check = false;
  /// More checkers for each run, for tests.
  std::function<std::unique_ptr<checker>()> extra_checker;
};

/// Runs one scenario after the other; keeps what can be used again. One at a time in a process, and no other
/// runtime meanwhile.
class runner {
public:
  runner();
  ~runner();
  runner(const runner&) = delete;
  runner& operator=(const runner&) = delete;

  /// Precondition: the scenario was resolved.
  run_result run(const scenario& program, chooser& by, const run_options& options = {});

private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace soma::sim
