#include "sim/shrink.hpp"

#include <algorithm>
#include <utility>

#include "sim/program_order.hpp"

namespace soma::sim {

namespace {

// How many runs a smaller scenario gets to fail in.
constexpr std::uint64_t runs_of_each_kind = 60;

class shrinker {
public:
  shrinker(runner& with, const scenario& program, const found_failure& found, run_options options,
           std::chrono::milliseconds time)
      : runner_(with), options_(std::move(options)),
        until_(std::chrono::steady_clock::now() + time), best_{program, found.choices, found.what, 0},
        must_be_correct_(order_of(program).fault.empty()) {
    options_.keep_log = false;
    // Lines would not be those of the printed scenario any more.
    renumber(best_.program);
  }

  smaller_failure run() && {
    bool again = true;
    while (again && !late()) {
      again =
          drop_streams() || drop_statements() || drop_accesses() || simplify_statements() || halve_sizes();
    }
    shorten_choices();
    renumber(best_.program);
    return std::move(best_);
  }

private:
  [[nodiscard]] bool late() const { return std::chrono::steady_clock::now() > until_; }

  static void renumber(scenario& program) {
    std::size_t line = 2;  // behind the line with the device
    for (auto& one : program.statements) {
      one.line = line++;
    }
  }

  // Drops what has lost what it depends on.
  static bool repair(scenario& program) {
    renumber(program);
    while (!program.statements.empty()) {
      const auto resolved = resolve(program);
      if (resolved) {
        return true;
      }
      const auto wrong =
          std::find_if(program.statements.begin(), program.statements.end(),
                       [&](const statement& one) { return one.line == resolved.error().line; });
      if (wrong == program.statements.end()) {
        return false;
      }
      program.statements.erase(wrong);
      renumber(program);
    }
    return false;
  }

  // Whether it still fails; then it is the best so far.
  bool try_program(scenario candidate) {
    if (late() || !repair(candidate)) {
      return false;
    }
    if (must_be_correct_ && !order_of(candidate).fault.empty()) {
      return false;
    }
    options budget;
    budget.shrink = false;
    budget.run = options_;
    budget.runs = runs_of_each_kind;
    budget.choices = best_.choices;
    for (const auto how : {strategy::replay, strategy::exhaustive, strategy::random, strategy::pct}) {
      budget.how = how;
      const auto found = explore(runner_, candidate, budget);
      best_.tries += found.runs;
      if (found.failed && found.failed->what.checker == best_.what.checker) {
        best_.program = std::move(candidate);
        best_.choices = found.failed->choices;
        best_.what = found.failed->what;
        return true;
      }
      if (found.failed || found.exhaustive) {
        return false;
      }
    }
    return false;
  }

  template <class Matches>
  bool drop_all(Matches matches) {
    auto candidate = best_.program;
    std::erase_if(candidate.statements, matches);
    return candidate.statements.size() < best_.program.statements.size() && try_program(std::move(candidate));
  }

  bool drop_streams() {
    bool any = false;
    for (const auto& stream : std::vector(best_.program.streams)) {
      any = drop_all([&](const statement& one) { return one.stream.text == stream; }) || any;
    }
    for (std::size_t thread = best_.program.threads; thread >= 2; --thread) {
      any = drop_all([&](const statement& one) { return one.thread == thread; }) || any;
    }
    return any;
  }

  bool drop_statements() {
    bool any = false;
    for (std::size_t length = best_.program.statements.size() / 2; length > 0; length /= 2) {
      for (std::size_t at = best_.program.statements.size(); at-- > 0;) {
        if (at >= best_.program.statements.size()) {
          continue;
        }
        auto candidate = best_.program;
        const auto first = candidate.statements.begin() + static_cast<std::ptrdiff_t>(at);
        const auto last = candidate.statements.end() - first > static_cast<std::ptrdiff_t>(length)
                              ? first + static_cast<std::ptrdiff_t>(length)
                              : candidate.statements.end();
        candidate.statements.erase(first, last);
        any = try_program(std::move(candidate)) || any;
      }
    }
    return any;
  }

  bool drop_accesses() {
    bool any = false;
    for (std::size_t at = 0; at < best_.program.statements.size(); ++at) {
      for (std::size_t which = best_.program.statements[at].accesses.size(); which-- > 0;) {
        auto candidate = best_.program;
        auto& accesses = candidate.statements[at].accesses;
        accesses.erase(accesses.begin() + static_cast<std::ptrdiff_t>(which));
        any = try_program(std::move(candidate)) || any;
      }
    }
    return any;
  }

  // A task without its gate, a statement of the main thread, a pool without settings.
  bool simplify_statements() {
    bool any = false;
    const auto change = [&](std::size_t at, auto what) {
      auto candidate = best_.program;
      what(candidate.statements[at]);
      if (to_text(candidate) != to_text(best_.program)) {
        any = try_program(std::move(candidate)) || any;
      }
    };
    for (std::size_t at = 0; at < best_.program.statements.size(); ++at) {
      if (best_.program.statements[at].what == verb::run) {
        change(at, [](statement& one) { one.gate = {}; });
      }
      if (at < best_.program.statements.size() && best_.program.statements[at].what == verb::make_pool) {
        change(at, [](statement& one) { one.settings.limit = 0; });
        change(at, [](statement& one) { one.settings.threshold = pool_settings().threshold; });
        for (std::size_t which = 0; which < 3; ++which) {
          change(at, [which](statement& one) { one.settings.switches.at(which) = false; });
        }
      }
      if (at < best_.program.statements.size()) {
        change(at, [](statement& one) { one.thread = 1; });
      }
    }
    return any;
  }

  bool halve_sizes() {
    auto candidate = best_.program;
    bool smaller = false;
    for (auto& one : candidate.statements) {
      if ((one.what == verb::alloc || one.what == verb::malloc) &&
          one.bytes >= 2 * pool_settings().minimum_block) {
        one.bytes /= 2;
        smaller = true;
      }
      one.settings.limit /= 2;
    }
    return smaller && try_program(std::move(candidate));
  }

  bool fails_with(const std::vector<std::size_t>& choices) {
    replay_chooser chooser(choices);
    const auto result = runner_.run(best_.program, chooser, options_);
    ++best_.tries;
    if (!result.failed || result.failed->checker != best_.what.checker) {
      return false;
    }
    best_.choices = choices;
    best_.what = *result.failed;
    return true;
  }

  void shorten_choices() {
    for (std::size_t length = best_.choices.size() / 2; length > 0 && !late(); length /= 2) {
      while (best_.choices.size() >= length &&
             fails_with({best_.choices.begin(), best_.choices.end() - static_cast<std::ptrdiff_t>(length)})) {
      }
    }
    for (std::size_t at = 0; at < best_.choices.size() && !late(); ++at) {
      auto fewer = best_.choices;
      while (fewer[at] > 0) {
        const auto before = std::exchange(fewer[at], 0);
        if (fails_with(fewer)) {
          break;
        }
        fewer[at] = before - 1;
        if (fewer[at] == 0 || !fails_with(fewer)) {
          break;
        }
      }
    }
    while (!best_.choices.empty() && best_.choices.back() == 0) {
      best_.choices.pop_back();
    }
  }

  runner& runner_;
  run_options options_;
  std::chrono::steady_clock::time_point until_;
  smaller_failure best_;
  bool must_be_correct_;
};

}  // namespace

smaller_failure shrink(runner& with, const scenario& program, const found_failure& found,
                       const run_options& options, std::chrono::milliseconds time) {
  return shrinker(with, program, found, options, time).run();
}

}  // namespace soma::sim
