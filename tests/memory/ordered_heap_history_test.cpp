// The ordered heap in random programs on several streams, against a reference that keeps the whole history:
// each task knows the tasks right before it, and "happens before" is looked up by walking back. The reference
// knows neither clocks nor pieces.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "memory/ordered_heap.hpp"
#include "memory/sizes.hpp"
#include "task_history.hpp"

namespace {

using namespace task_history;
using releasable = ordered_heap::releasable;

constexpr address base{64 * granule_bytes};
constexpr std::size_t window_granules = 10;
constexpr std::uint64_t limit = 6 * granule_bytes;

using step = std::array<std::uint32_t, 4>;

std::vector<step> some_steps() {
  const auto any = rc::gen::inRange(0U, 4096U);
  return *rc::gen::container<std::vector<step>>(rc::gen::container<step>(any));
}

switches some_switches() {
  return {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
}

// -- the program -----------------------------------------------------------------------------------------

struct unit {
  piece_state state = piece_state::free;
  std::optional<task_id> freed_by;  // of an idle or leaving unit, if it was ever a block
};

struct block {
  std::size_t units;
  std::uint64_t asked;
};

/// What the outside sees of a decision.
struct outcome {
  address begin = address::null;
  served how = served::new_memory;
  friend bool operator==(const outcome&, const outcome&) = default;
};

/// When tasks are executed: at random, at once, or not before the host waits for them.
enum class pace : std::uint8_t { random, eager, lazy };

class program {
public:
  program(switches on, std::uint64_t minimum, pace speed)
      : on_(on), minimum_(minimum), per_granule_(granule_bytes / minimum), pace_(speed),
        units_(window_granules * per_granule_),
        heap_({base, window_granules * granule_bytes}, limit, minimum) {
    heap_.set_reuse_switches(on);
  }

  void perform(const step& now) {
    const auto [kind, first, second, third] = now;
    const auto stream = first % streams;
    if (const auto what = kind % 10; what < 3) {
      allocate(stream, second % (2 * per_granule_ + 1) + 1, third);
    } else if (what < 6) {
      free(stream, second);
    } else if (what == 6) {
      history_.submit(stream, {history_.last(second % streams)});
    } else if (what == 7 && pace_ == pace::random) {
      run_up_to(history_.pick(stream, second));
    } else if (what == 8 && second % 2 == 0) {
      synchronize(stream);
    } else {
      const bool timed = pace_ == pace::random && third % 2 == 0;
      release(second % 4 * granule_bytes, timed ? releasable::executed : releasable::seen);
    }
    for (std::size_t each = 0; each < streams && pace_ == pace::eager; ++each) {
      run_up_to(history_.last(each));
    }
    check_departures();
    check_pieces();
    check_figures();
  }

  [[nodiscard]] const std::vector<outcome>& outcomes() const { return outcomes_; }

private:
  bool is_settled(const unit& each) const { return !each.freed_by || history_[*each.freed_by].seen; }

  /// Whether an idle unit may go to the task in this way: D2.
  bool is_allowed(const unit& each, task_id taker, const std::set<task_id>& before, served how) const {
    if (how == served::internal) {
      return on_.internal;
    }
    if (is_settled(each)) {
      return how != served::same_stream;
    }
    const auto& freed = history_[*each.freed_by];
    if (freed.place.stream == history_[taker].place.stream) {
      return true;
    }
    return (how != served::same_stream && on_.event && before.contains(*each.freed_by)) ||
           (how != served::same_stream && how != served::event && on_.opportunistic && freed.executed);
  }

  /// Whether there are idle units enough side by side that may be had in this way.
  bool has_run(std::size_t count, task_id taker, const std::set<task_id>& before, served how) const {
    std::size_t side_by_side = 0;
    return std::ranges::any_of(units_, [&](const unit& each) {
      const bool fits = each.state == piece_state::idle && is_allowed(each, taker, before, how);
      side_by_side = fits ? side_by_side + 1 : 0;
      return side_by_side == count;
    });
  }

  /// The first way in the order of D11 that has idle memory enough.
  std::optional<served> expected_reuse(std::size_t count, task_id taker,
                                       const std::set<task_id>& before) const {
    for (const auto how : {served::same_stream, served::event, served::opportunistic}) {
      if (has_run(count, taker, before, how)) {
        return how;
      }
    }
    return std::nullopt;
  }

  void allocate(std::size_t stream, std::size_t count, std::uint32_t spare) {
    const auto taker = history_.submit(stream, {});
    const auto before = history_.up_to(taker);
    const auto bytes = count * minimum_;
    const request wanted{history_[taker].place.stream, history_[taker].clock, bytes - spare % minimum_,
                         bytes};

    const auto expected = expected_reuse(count, taker, before);
    if (const auto granted = heap_.reuse(wanted)) {
      RC_ASSERT(expected.has_value());
      RC_ASSERT(granted->how == (was_in_no_block(granted->block) ? served::new_memory : *expected));
      take(*granted, wanted, taker, before);
      return;
    }
    RC_ASSERT(!expected);
    const auto place = heap_.plan_growth(wanted);
    if (place && heap_.over_limit(place->new_bytes) == 0) {
      RC_ASSERT(heap_.reserved() + place->new_bytes <= limit);
      for (const auto part : place->held) {
        hold(part, taker, before);
      }
      for (const auto part : place->moved) {
        give_up(part, taker, before);
      }
      take(heap_.grow(wanted, *place), wanted, taker, before);
      return;
    }
    const auto granted = heap_.reuse_by_waiting(wanted);
    RC_ASSERT(granted.has_value() == has_run(count, taker, before, served::internal));
    if (granted) {
      take(*granted, wanted, taker, before);
    } else {
      outcomes_.push_back({});
    }
  }

  /// The rest of granules that were held for earlier blocks counts as new memory.
  [[nodiscard]] bool was_in_no_block(range block) const {
    for (auto i = first_of(block.begin); i < first_of(block.end()); ++i) {
      if (units_.at(i).freed_by) {
        return false;
      }
    }
    return true;
  }

  void hold(range part, task_id taker, const std::set<task_id>& before) {
    RC_ASSERT((part.begin - base) % granule_bytes == 0U);
    for (auto i = first_of(part.begin); i < first_of(part.end()); ++i) {
      const auto& each = units_.at(i);
      const bool was_left = each.state == piece_state::leaving;
      RC_ASSERT(was_left || each.state == piece_state::free);
      RC_ASSERT(!was_left || is_allowed(each, taker, before, served::opportunistic));
      units_[i] = {piece_state::idle, std::nullopt};
    }
  }

  /// Idle granules whose memory moves to a block.
  void give_up(range part, task_id taker, const std::set<task_id>& before) {
    RC_ASSERT((part.begin - base) % granule_bytes == 0U && part.bytes % granule_bytes == 0U);
    for (auto i = first_of(part.begin); i < first_of(part.end()); ++i) {
      RC_ASSERT(units_.at(i).state == piece_state::idle);
      RC_ASSERT(is_allowed(units_[i], taker, before, served::opportunistic));
      units_[i].state = piece_state::leaving;
    }
    moved_ += part.bytes / granule_bytes;
    free_settled();
  }

  /// Granules that were left are free when all of their frees are settled.
  void free_settled() {
    for (std::size_t first = 0; first < units_.size(); first += per_granule_) {
      const auto begin = units_.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = begin + static_cast<std::ptrdiff_t>(per_granule_);
      if (begin->state == piece_state::leaving &&
          std::all_of(begin, end, [this](const unit& each) { return is_settled(each); })) {
        std::fill(begin, end, unit{});
      }
    }
  }

  /// Memory leaves when nothing can touch it any more, and no later.
  void check_departures() {
    for (const auto part : heap_.departures()) {
      for (auto i = first_of(part.begin); i < first_of(part.end()); ++i) {
        const auto& each = units_.at(i);
        RC_ASSERT(each.state == piece_state::leaving || each.state == piece_state::free);
        RC_ASSERT(is_settled(each) || history_[*each.freed_by].executed);
      }
      heap_.departed(part);
    }
    for (const auto part : heap_.departing().all()) {
      for (auto at = part.begin; at < part.end(); at = at + granule_bytes) {
        const auto begin = units_.begin() + static_cast<std::ptrdiff_t>(first_of(at));
        RC_ASSERT(
            std::any_of(begin, begin + static_cast<std::ptrdiff_t>(per_granule_), [&](const unit& each) {
              return each.state == piece_state::leaving && !is_settled(each) &&
                     !history_[*each.freed_by].executed;
            }));
      }
    }
  }

  void take(const grant& granted, const request& wanted, task_id taker, const std::set<task_id>& before) {
    RC_ASSERT(granted.block.bytes == wanted.rounded);
    const auto first = first_of(granted.block.begin);
    std::set<task_id> waits;
    for (auto i = first; i < first_of(granted.block.end()); ++i) {
      auto& each = units_.at(i);
      RC_ASSERT(each.state == piece_state::idle);  // so that no two live blocks overlap
      RC_ASSERT(is_allowed(each, taker, before, granted.how));
      if (granted.how == served::internal && !is_settled(each) && !before.contains(*each.freed_by)) {
        waits.insert(*each.freed_by);
      }
      each = {piece_state::busy, std::nullopt};
    }
    std::set<task_id> behind;
    for (const auto place : granted.wait_for) {
      behind.insert(history_.find(place));
    }
    RC_ASSERT(behind == waits);
    history_.submit(number(wanted.stream) - 1,
                    {behind.begin(), behind.end()});  // from here on the block may be touched

    live_[first] = {first_of(granted.block.end()) - first, wanted.asked};
    ++served_.at(static_cast<std::size_t>(granted.how));
    reserved_high_ = std::max(reserved_high_, reserved());
    used_high_ = std::max(used_high_, used());
    outcomes_.push_back({granted.block.begin, granted.how});
  }

  void free(std::size_t stream, std::uint32_t which) {
    if (live_.empty()) {
      return;
    }
    const auto freed = std::next(live_.begin(), static_cast<std::ptrdiff_t>(which % live_.size()));
    const auto by = history_.submit(stream, {});
    history_[by].is_free = true;
    const auto [first, count] = std::pair{freed->first, freed->second.units};
    RC_ASSERT(heap_.give_back(at(first), history_[by].place) == count * minimum_);
    RC_ASSERT(!heap_.give_back(at(first), history_[by].place));
    std::fill_n(units_.begin() + static_cast<std::ptrdiff_t>(first), count, unit{piece_state::idle, by});
    live_.erase(freed);
  }

  /// Executes the task after all that it is behind.
  void run_up_to(task_id last) {
    for (const auto id : history_.up_to(last)) {
      if (!std::exchange(history_[id].executed, true) && history_[id].is_free) {
        heap_.executed(history_[id].place);
      }
    }
  }

  void synchronize(std::size_t stream) {
    const auto last = history_.last(stream);
    run_up_to(last);
    for (const auto id : history_.up_to(last)) {
      history_[id].seen = true;
    }
    heap_.saw(history_[last].clock);
    free_settled();
  }

  void release(std::uint64_t bytes, releasable which) {
    std::uint64_t released = 0;
    for (const auto part : heap_.plan_release(bytes, which)) {
      for (auto i = first_of(part.begin); i < first_of(part.end()); ++i) {
        const auto& each = units_.at(i);
        RC_ASSERT(each.state == piece_state::idle);
        RC_ASSERT(is_settled(each) || (which == releasable::executed && history_[*each.freed_by].executed));
        units_[i] = {};
      }
      heap_.released(part);
      released += part.bytes;
    }
    RC_ASSERT(released <= bytes);
  }

  void check_pieces() const {
    RC_ASSERT(heap_.index().broken_invariant() == std::nullopt);
    for (const auto& [begin, piece] : heap_.index().pieces()) {
      for (auto i = first_of(begin); i < first_of(begin + piece.bytes); ++i) {
        const auto& each = units_.at(i);
        RC_ASSERT(piece.state == each.state);
        if (each.state == piece_state::leaving) {
          RC_ASSERT(piece.freed_at == several || !each.freed_by ||
                    piece.freed_at >= history_[*each.freed_by].place || is_settled(each));
        }
        if (each.state == piece_state::idle) {
          const auto unsettled = is_settled(each) ? settled : history_[each.freed_by.value_or(0)].place;
          RC_ASSERT(piece.freed_at == (each.freed_by ? unsettled : never_used));
        }
      }
    }
  }

  void check_figures() const {
    const auto now = heap_.figures();
    RC_ASSERT(now.reserved == reserved());
    RC_ASSERT(now.used == used());
    RC_ASSERT(now.requested == requested());
    RC_ASSERT(now.live_blocks == live_.size());
    RC_ASSERT(now.reserved_high == reserved_high_);
    RC_ASSERT(now.used_high == used_high_);
    RC_ASSERT(std::ranges::equal(now.served_counts, served_));
    RC_ASSERT(now.granules_moved == moved_);
    RC_ASSERT(now.backing_requested_bytes - now.backing_returned_bytes == reserved());
  }

  [[nodiscard]] address at(std::size_t first) const { return base + first * minimum_; }
  [[nodiscard]] std::size_t first_of(address place) const { return (place - base) / minimum_; }
  [[nodiscard]] std::uint64_t count(piece_state state) const {
    return static_cast<std::uint64_t>(std::ranges::count(units_, state, &unit::state));
  }
  [[nodiscard]] std::uint64_t used() const { return count(piece_state::busy) * minimum_; }
  [[nodiscard]] std::uint64_t reserved() const { return used() + count(piece_state::idle) * minimum_; }
  [[nodiscard]] std::uint64_t requested() const {
    std::uint64_t sum = 0;
    for (const auto& [first, live] : live_) {
      sum += live.asked;
    }
    return sum;
  }

  switches on_;
  std::uint64_t minimum_;
  std::size_t per_granule_;
  pace pace_;
  history history_;
  std::vector<unit> units_;
  ordered_heap heap_;
  std::map<std::size_t, block> live_;  // by their first units
  std::vector<outcome> outcomes_;
  std::array<std::uint64_t, served_kinds> served_{};
  std::uint64_t reserved_high_ = 0;
  std::uint64_t used_high_ = 0;
  std::uint64_t moved_ = 0;
};

RC_GTEST_PROP(OrderedHeapHistory, EachDecisionObeysTheReference, ()) {
  const auto minimum = *rc::gen::element(granule_bytes / 4, granule_bytes);
  program random(some_switches(), minimum, pace::random);
  for (const auto& each : some_steps()) {
    random.perform(each);
  }
}

RC_GTEST_PROP(OrderedHeapHistory, D21_OnlyOpportunisticReuseDependsOnTheSpeedOfExecution, ()) {
  auto on = some_switches();
  on.opportunistic = false;
  const auto minimum = *rc::gen::element(granule_bytes / 4, granule_bytes);
  program eager(on, minimum, pace::eager);
  program lazy(on, minimum, pace::lazy);
  for (const auto& each : some_steps()) {
    eager.perform(each);
    lazy.perform(each);
  }
  RC_ASSERT(eager.outcomes() == lazy.outcomes());
}

}  // namespace
