#include "sim/explore.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace soma::sim {

namespace {

class exploration {
public:
  exploration(runner& with, const scenario& program, const options& chosen)
      : runner_(with), program_(program), options_(chosen) {
    if (chosen.time) {
      until_ = std::chrono::steady_clock::now() + *chosen.time;
    }
  }

  outcome take() && { return std::move(outcome_); }
  [[nodiscard]] const outcome& so_far() const noexcept { return outcome_; }

  /// Returns whether it goes on.
  bool run(chooser& by, std::optional<std::uint64_t> seed) {
    auto run_with = options_.run;
    run_with.check = run_with.check || checked_;
    auto result = runner_.run(program_, by, run_with);
    if (!result.pruned) {
      ++outcome_.runs;
      outcome_.distinct += seen_.insert(result.order).second ? 1U : 0U;
    }
    outcome_.longest = std::max(outcome_.longest, result.steps);
    choices_ = std::max(choices_, result.choices.size());
    if (options_.run.keep_log) {
      outcome_.log = result.log;
    }
    if (result.failed) {
      outcome_.failed = found_failure{std::move(*result.failed), std::move(result.choices), seed,
                                      std::move(result.log), run_with.check};
      return false;
    }
    return !until_ || std::chrono::steady_clock::now() < *until_;
  }

  void exhaustive(std::uint64_t most) {
    exhaustive_chooser chooser;
    // Runs that are given up count as well, or a scenario could take for ever.
    for (std::uint64_t number = 0; number < most; ++number) {
      if (!run(chooser, std::nullopt)) {
        return;
      }
      if (!chooser.next()) {
        outcome_.exhaustive = true;
        return;
      }
    }
  }

  bool random(std::uint64_t most) {
    for (std::uint64_t number = 0; number < most; ++number) {
      const auto seed = options_.seed + number;
      random_chooser chooser(seed);
      if (!run(chooser, seed)) {
        return false;
      }
    }
    return true;
  }

  void checked(std::uint64_t most) {
    checked_ = true;
    random(most);
  }

  bool pct(std::uint64_t most) {
    for (std::uint64_t number = 0; number < most; ++number) {
      const auto seed = options_.seed + number;
      pct_chooser chooser(seed, options_.depth, std::max<std::size_t>(choices_, 20));
      if (!run(chooser, std::nullopt)) {
        return false;
      }
    }
    return true;
  }

private:
  runner& runner_;
  const scenario& program_;
  const options& options_;
  std::optional<std::chrono::steady_clock::time_point> until_;
  std::unordered_set<std::uint64_t> seen_;
  std::size_t choices_ = 0;  // of the longest run so far
  bool checked_ = false;
  outcome outcome_;
};

}  // namespace

outcome explore(runner& with, const scenario& program, const options& chosen) {
  exploration exploring(with, program, chosen);
  switch (chosen.how) {
  case strategy::exhaustive:
    exploring.exhaustive(chosen.runs);
    break;
  case strategy::random:
    exploring.random(chosen.runs);
    break;
  case strategy::pct:
    exploring.pct(chosen.runs);
    break;
  case strategy::replay: {
    replay_chooser chooser(chosen.choices);
    exploring.run(chooser, std::nullopt);
    break;
  }
  case strategy::automatic:
    exploring.exhaustive(chosen.runs);
    if (!exploring.so_far().exhaustive && !exploring.so_far().failed && exploring.random(chosen.runs / 4)) {
      exploring.pct(chosen.runs / 4);
    }
    if (!exploring.so_far().failed) {
      exploring.checked(chosen.runs / 20);
    }
    break;
  }
  return std::move(exploring).take();
}

outcome explore(const scenario& program, const options& chosen) {
  runner with;
  return explore(with, program, chosen);
}

}  // namespace soma::sim
