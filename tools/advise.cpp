#include "tools/advise.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace soma::tools {

namespace {

template <class T>
using outcome = tl::expected<T, trace_error>;

/// How many searches there are at most, for the progress.
constexpr std::uint64_t searches_with_streams = 19;
constexpr std::uint64_t searches_of_one_stream = 5;

unsigned count_of(const reuse_switches& reuse) {
  return static_cast<unsigned>(reuse.event) + static_cast<unsigned>(reuse.opportunistic) +
         static_cast<unsigned>(reuse.internal);
}

/// The least value of [low, high] from which on `serves` is true, in steps of granules. `high` is known to
/// serve.
template <class Serves>
outcome<std::uint64_t> bisect(std::uint64_t low, std::uint64_t high, const Serves& serves) {
  std::uint64_t least = low / granule_bytes;
  std::uint64_t most = high / granule_bytes;
  while (least < most) {
    const std::uint64_t middle = least + (most - least) / 2;
    const outcome<bool> served = serves(middle * granule_bytes);
    if (!served) {
      return tl::unexpected(served.error());
    }
    if (*served) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return most * granule_bytes;
}

class adviser {
public:
  adviser(const std::vector<trace_row>& rows, const advise_settings& settings,
          const progress_callback& progress)
      : rows_(rows), settings_(settings), progress_(progress) {
    // nop
  }

  outcome<advice> find() {
    for (const auto step : {&adviser::measure_trace, &adviser::try_switches, &adviser::find_refusal,
                            &adviser::find_threshold, &adviser::try_small_blocks}) {
      if (const auto done = (this->*step)(); !done) {
        return tl::unexpected(done.error());
      }
    }
    return std::move(advice_);
  }

private:
  [[nodiscard]] replay_settings settings_with(const reuse_switches& reuse, bool held,
                                              std::uint64_t limit = 0) const {
    replay_settings made;
    made.pool.minimum_block = settings_.minimum_block;
    made.pool.reuse = reuse;
    made.pool.release_threshold = unlimited_bytes;
    made.pool.limit = limit;
    made.sync_every = settings_.sync_every;
    made.held = held;
    return made;
  }

  /// Plans depend only on whether events order streams, and are made once for each.
  outcome<replay_result> replay(const replay_settings& settings) {
    auto& plan = plans_[settings.pool.reuse.event ? 1 : 0];
    if (!plan || plan->first != settings.sync_every) {
      auto made = plan_for(rows_, settings);
      if (!made) {
        return tl::unexpected(made.error());
      }
      plan.emplace(settings.sync_every, std::move(*made));
    }
    ++advice_.replays;
    return replay_steps(plan->second, settings);
  }

  /// Whether the trace is served; errors are all but the pool's refusal.
  outcome<bool> serves(const replay_settings& settings) {
    auto result = replay(settings);
    if (!result && !result.error().refused) {
      return tl::unexpected(result.error());
    }
    return result.has_value();
  }

  void search_done() {
    ++searches_;
    if (progress_) {
      const std::uint64_t all = advice_.streams > 1 ? searches_with_streams : searches_of_one_stream;
      progress_(std::min(searches_, all), all);
    }
  }

  outcome<void> measure_trace() {
    const auto free_run = replay(settings_with({}, false));
    if (!free_run) {
      return tl::unexpected(free_run.error());
    }
    if (free_run->statistics.used_high == 0) {
      return tl::unexpected(
          trace_error{.line = 0, .reason = "the trace allocates nothing: there is nothing to advise"});
    }
    advice_.rows = free_run->rows;
    advice_.streams = free_run->streams;
    advice_.minimum_block = settings_.minimum_block;
    advice_.requested_high = free_run->statistics.requested_high;
    advice_.used_high = free_run->statistics.used_high;
    return {};
  }

  outcome<void> try_switches() {
    const unsigned combinations = advice_.streams > 1 ? 8 : 1;
    for (unsigned bits = 0; bits < combinations; ++bits) {
      const reuse_switches reuse{
          .event = (bits & 1U) != 0, .opportunistic = (bits & 2U) != 0, .internal = (bits & 4U) != 0};
      auto tried = try_switch(reuse);
      if (!tried) {
        return tl::unexpected(tried.error());
      }
      advice_.switches.push_back(*tried);
    }
    const auto rank = [](const advised_switches& each) {
      return std::tuple(each.limit(), each.reserved_ahead, each.reserved_keeping, count_of(each.reuse));
    };
    const auto best = std::min_element(advice_.switches.begin(), advice_.switches.end(),
                                       [&rank](const advised_switches& left, const advised_switches& right) {
                                         return rank(left) < rank(right);
                                       });
    advice_.best = static_cast<std::size_t>(best - advice_.switches.begin());
    return {};
  }

  outcome<advised_switches> try_switch(const reuse_switches& reuse) {
    advised_switches tried;
    tried.reuse = reuse;
    for (const bool held : {true, false}) {
      const auto free_run = replay(settings_with(reuse, held));
      if (!free_run) {
        return tl::unexpected(free_run.error());
      }
      (held ? tried.reserved_ahead : tried.reserved_keeping) = free_run->statistics.reserved_high;
      const auto limit = find_limit(settings_with(reuse, held), free_run->statistics.reserved_high);
      if (!limit) {
        return tl::unexpected(limit.error());
      }
      (held ? tried.limit_ahead : tried.limit_keeping) = *limit;
      search_done();
    }
    // A lower limit than the own one of either way can fail by chance in the other.
    for (const bool held : {true, false}) {
      const auto result = replay(settings_with(reuse, held, tried.limit()));
      if (!result && !result.error().refused) {
        return tl::unexpected(result.error());
      }
      if (!result) {
        (held ? tried.limit_ahead : tried.limit_keeping) =
            held ? tried.reserved_ahead : tried.reserved_keeping;
      } else if (held) {
        tried.waits_ahead = result->statistics.served.internal;
      }
    }
    return tried;
  }

  outcome<std::uint64_t> find_limit(replay_settings settings, std::uint64_t serving) {
    return bisect(round_up(used_high_with(settings.pool.minimum_block), granule_bytes), serving,
                  [&](std::uint64_t limit) {
                    settings.pool.limit = limit;
                    return serves(settings);
                  });
  }

  /// No limit below it can serve.
  [[nodiscard]] std::uint64_t used_high_with(std::uint64_t minimum_block) const {
    return minimum_block == settings_.minimum_block ? advice_.used_high : advice_.requested_high;
  }

  outcome<void> find_refusal() {
    const advised_switches& best = advice_.switches[advice_.best];
    if (best.limit() <= granule_bytes) {
      return {};
    }
    const bool held = best.limit_ahead >= best.limit_keeping;
    const auto result = replay(settings_with(best.reuse, held, best.limit() - granule_bytes));
    if (!result) {
      advice_.refusal = "line " + std::to_string(result.error().line) + ": " + result.error().reason;
    }
    return {};
  }

  outcome<void> find_threshold() {
    advised_threshold& found = advice_.threshold;
    replay_settings settings = settings_with(advice_.switches[advice_.best].reuse, false);
    auto keeping = replay(settings);
    if (!keeping) {
      return tl::unexpected(keeping.error());
    }
    if (keeping->synchronizes == 0) {
      constexpr std::uint64_t assumed = 50;
      found.sync_every = std::max<std::uint64_t>(1, advice_.rows / assumed);
      settings.sync_every = found.sync_every;
      keeping = replay(settings);
      if (!keeping) {
        return tl::unexpected(keeping.error());
      }
    }
    const std::uint64_t taken_once = keeping->statistics.backing_requested_bytes;
    settings.pool.release_threshold = 0;
    const auto eager = replay(settings);
    if (!eager) {
      return tl::unexpected(eager.error());
    }
    found.synchronizes = keeping->synchronizes;
    found.peak_reserved = keeping->statistics.reserved_high;
    found.returns_without = eager->statistics.backing_returns;
    found.returned_without = eager->statistics.backing_returned_bytes;
    found.retaken_without = eager->statistics.backing_requested_bytes -
                            std::min(taken_once, eager->statistics.backing_requested_bytes);
    const auto bytes =
        bisect(0, keeping->statistics.reserved_high, [&](std::uint64_t threshold) -> outcome<bool> {
          settings.pool.release_threshold = threshold;
          const auto result = replay(settings);
          if (!result) {
            return tl::unexpected(result.error());
          }
          found.returned = result->statistics.backing_returned_bytes;
          return result->statistics.backing_requested_bytes <= taken_once;
        });
    if (!bytes) {
      return tl::unexpected(bytes.error());
    }
    found.bytes = *bytes;
    settings.pool.release_threshold = *bytes;
    const auto result = replay(settings);
    if (!result) {
      return tl::unexpected(result.error());
    }
    found.returned = result->statistics.backing_returned_bytes;
    search_done();
    return {};
  }

  outcome<void> try_small_blocks() {
    constexpr std::uint64_t small = 512;
    if (settings_.minimum_block == small) {
      return {};
    }
    std::uint64_t limit = 0;
    for (const bool held : {true, false}) {
      replay_settings settings = settings_with(advice_.switches[advice_.best].reuse, held);
      settings.pool.minimum_block = small;
      const auto free_run = replay(settings);
      if (!free_run) {
        return tl::unexpected(free_run.error());
      }
      const auto found = find_limit(settings, free_run->statistics.reserved_high);
      if (!found) {
        return tl::unexpected(found.error());
      }
      limit = std::max(limit, *found);
      search_done();
    }
    advice_.small_block_limit = limit;
    return {};
  }

  const std::vector<trace_row>& rows_;
  const advise_settings& settings_;
  const progress_callback& progress_;
  advice advice_;
  std::uint64_t searches_ = 0;
  /// By whether events order streams, with the sync_every that each was made for.
  std::optional<std::pair<std::uint64_t, replay_plan>> plans_[2];
};

}  // namespace

std::uint64_t advised_switches::limit() const noexcept { return std::max(limit_ahead, limit_keeping); }

tl::expected<advice, trace_error> advise(const std::vector<trace_row>& rows, const advise_settings& settings,
                                         const progress_callback& progress) {
  return adviser(rows, settings, progress).find();
}

}  // namespace soma::tools
