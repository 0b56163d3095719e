// The block index against a model that knows each unit of the window, in random programs: after every change
// the pieces are those of the model, and every search finds what trying all places finds.

#include "memory/block_index.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "block_index_model.hpp"
#include "memory/sizes.hpp"

namespace {

using namespace block_index_model;

using step = std::array<std::uint32_t, 4>;

std::vector<step> some_steps() {
  const auto any = rc::gen::inRange(0U, 4096U);
  return *rc::gen::container<std::vector<step>>(rc::gen::container<step>(any));
}

/// Does each step to the index and to the model, and compares.
class comparison {
public:
  comparison(std::size_t granules, std::uint64_t minimum)
      : minimum_(minimum), granules_(granules), model_(granules, minimum),
        index_({base, granules * granule_bytes}, minimum) {}

  void perform(const step& now) {
    const auto [kind, first, second, third] = now;
    const rule allowed(second);
    if (const auto what = kind % 9; what == 8) {
      allocate_own(first % (2 * model_.per_granule() + 2) + 1,
                   static_cast<std::uint32_t>(second % streams + 1), third);
    } else if (what == 0) {
      hold(first % granules_, second % 3 + 1);
    } else if (what < 3) {
      allocate(first % (2 * model_.per_granule() + 2) + 1, allowed, third);
    } else if (what < 5) {
      vacate(first, second, third);
    } else if (what == 5) {
      settle(first);
    } else if (what == 6) {
      release(first % 8 * granule_bytes / 2, allowed, {third % model_.units().size(), first / 8 % 9});
    } else {
      check_largest(third % 8 * granule_bytes / 2, allowed);
    }
    check_pieces();
  }

private:
  void hold(std::size_t first, std::size_t count) {
    count = std::min(count, granules_ - first);
    const auto begin = first * model_.per_granule();
    const auto size = count * model_.per_granule();
    const auto& units = model_.units();
    const auto is_free = [](const unit& each) { return each.state == piece_state::free; };
    const auto from = units.begin() + static_cast<std::ptrdiff_t>(begin);
    if (std::all_of(from, from + static_cast<std::ptrdiff_t>(size), is_free)) {
      index_.hold({model_.at(begin), count * granule_bytes});
      model_.set(begin, size, {.state = piece_state::idle, .freed_at = never_used});
    }
  }

  void allocate(std::size_t count, const rule& allowed, std::uint32_t pick) {
    const auto bytes = count * minimum_;
    const auto idle = index_.find_idle(bytes, allowed.as_reach());
    RC_ASSERT(idle == model_.find_idle(count, allowed));
    if (idle) {
      occupy(model_.first_of(*idle), count, pick);
      return;
    }
    if (minimum_ == granule_bytes && pick % 2 == 0) {
      const auto place = index_.find_free(bytes);
      const auto expected = model_.find_free(count);
      RC_ASSERT(place.has_value() == expected.has_value());
      if (place) {
        take(*place, {*expected, count, count}, count, allowed, pick);
      }
      return;
    }
    const auto place = index_.find_new(bytes, allowed.as_reach());
    const auto expected = model_.find_new(count, allowed);
    RC_ASSERT(place.has_value() == expected.has_value());
    if (place) {
      take(*place, *expected, count, allowed, pick);
    }
  }

  void allocate_own(std::size_t count, std::uint32_t stream, std::uint32_t pick) {
    const auto bytes = count * minimum_;
    const auto expected = model_.find_own(count, rule(stream));  // allows what it freed, and nothing else
    RC_ASSERT(index_.find_own(bytes, stream_id{stream}) == expected);
    idle_parts parts;
    RC_ASSERT(index_.take_own(bytes, stream_id{stream}, bytes, parts) == expected);
    if (expected) {
      index_.restore(parts, {});
      occupy(model_.first_of(*expected), count, pick);
    }
  }

  void take(const new_place& found, const model::place& expected, std::size_t count, const rule& allowed,
            std::uint32_t pick) {
    RC_ASSERT(found.block == (range{model_.at(expected.first), count * minimum_}));
    RC_ASSERT(found.new_bytes == expected.new_granules * granule_bytes);
    auto given_up = model_.releasable(allowed, {expected.first, count});
    given_up.resize(expected.held - expected.new_granules);
    for (const auto part : found.held) {
      RC_ASSERT((part.begin - base) % granule_bytes == 0U && part.bytes % granule_bytes == 0U);
      RC_ASSERT(part.begin < found.block.end() && found.block.begin < part.end());
      index_.hold(part);
      model_.set(model_.first_of(part.begin), part.bytes / minimum_,
                 {.state = piece_state::idle, .freed_at = never_used});
    }
    RC_ASSERT(bytes_of(found.held) == expected.held * granule_bytes);
    std::vector<std::size_t> moved;
    for (const auto part : found.moved) {
      for (auto end = part.end(); end > part.begin; end = address{number(end) - granule_bytes}) {
        moved.push_back((end - base) / granule_bytes - 1);
      }
      index_.give_up(part);
    }
    RC_ASSERT(moved == given_up);
    for (const auto granule : given_up) {
      model_.give_up(granule);
    }
    occupy(expected.first, count, pick);
  }

  static std::uint64_t bytes_of(const std::vector<range>& parts) {
    std::uint64_t sum = 0;
    for (const auto part : parts) {
      sum += part.bytes;
    }
    return sum;
  }

  void occupy(std::size_t first, std::size_t count, std::uint32_t pick) {
    std::vector<position> freed_by;
    bool used_before = false;
    for (std::size_t i = first; i < first + count; ++i) {
      const auto& each = model_.units()[i];
      RC_ASSERT(each.state == piece_state::idle);
      used_before = used_before || each.freed_at != never_used;
      if (each.freed_at.stream != stream_id::none &&
          (i == first || model_.units()[i - 1].freed_at != each.freed_at)) {
        freed_by.push_back(each.freed_at);
      }
    }
    const auto requested = count * minimum_ - pick % minimum_;
    const auto parts = index_.occupy({model_.at(first), count * minimum_}, requested);
    if (pick % 5 == 0) {  // undone, it is as if nothing had happened
      index_.restore(parts, {});
      return;
    }
    std::vector<position> parts_freed_by;
    bool any_used_before = false;
    std::uint64_t bytes = 0;
    for (const auto& [where, freed_at] : parts) {
      bytes += where.bytes;
      any_used_before = any_used_before || freed_at != never_used;
      if (freed_at.stream != stream_id::none) {
        parts_freed_by.push_back(freed_at);
      }
    }
    RC_ASSERT(bytes == count * minimum_);
    RC_ASSERT(parts_freed_by == freed_by);
    RC_ASSERT(any_used_before == used_before);
    model_.set(first, count, {.state = piece_state::busy, .block = first});
    live_[first] = {count, requested};
  }

  void vacate(std::uint32_t which, std::uint32_t stream, std::uint32_t how) {
    if (live_.empty()) {
      return;
    }
    const auto block = std::next(live_.begin(), static_cast<std::ptrdiff_t>(which % live_.size()));
    auto freed_at = position{};
    if (how % 4 != 0) {  // else a free that needs no order
      freed_at.stream = stream_id{stream % streams + 1};
      auto& last = last_.at(number(freed_at.stream));
      last += how % 3 == 0 && last > 0 ? 0U : 1U;  // now and then one task frees several blocks
      freed_at.sequence = sequence_number{last};
    }
    index_.vacate(model_.at(block->first), freed_at);
    model_.set(block->first, block->second.first, {.state = piece_state::idle, .freed_at = freed_at});
    live_.erase(block);
  }

  void settle(std::uint32_t bits) {
    order_clock seen;
    for (std::uint64_t stream = 1; stream <= streams; ++stream, bits /= 8) {
      if (bits % 8 != 0) {
        seen.add({stream_id{stream}, sequence_number{bits % 8}});
      }
    }
    index_.settle(seen);
    for (auto& each : model_.units()) {
      if (each.freed_at.stream != stream_id::none && seen.covers(each.freed_at)) {
        each.freed_at = {};
      }
    }
    model_.free_settled();
  }

  void release(std::uint64_t bytes, const rule& allowed, run spared) {
    auto expected = model_.releasable(allowed, spared);
    expected.resize(std::min<std::size_t>(expected.size(), bytes / granule_bytes));
    std::vector<std::size_t> found;
    const range kept{model_.at(spared.first), spared.count * minimum_};
    for (const auto part : index_.find_releasable(bytes, allowed.as_reach(), kept)) {
      for (auto end = part.end(); end > part.begin; end = address{number(end) - granule_bytes}) {
        found.push_back((end - base) / granule_bytes - 1);
      }
      index_.release(part);
    }
    RC_ASSERT(found == expected);
    for (const auto granule : found) {
      model_.set(granule * model_.per_granule(), model_.per_granule(), {});
    }
  }

  void check_largest(std::uint64_t new_bytes, const rule& allowed) {
    const auto largest_idle = index_.largest_idle(allowed.as_reach()) / minimum_;
    const auto largest_new = index_.largest_new(new_bytes, allowed.as_reach()) / minimum_;
    for (std::size_t count = 1; count <= model_.units().size(); ++count) {
      RC_ASSERT(model_.find_idle(count, allowed).has_value() == (count <= largest_idle));
      if (count > largest_idle) {  // find_new is asked for nothing smaller
        const auto place = model_.find_new(count, allowed);
        const bool fits = place && place->new_granules * granule_bytes <= new_bytes;
        RC_ASSERT(fits == (count <= largest_new));
      }
    }
  }

  void check_pieces() {
    RC_ASSERT(index_.broken_invariant() == std::nullopt);
    const auto expected = model_.pieces();
    const auto shown = model_.shown();
    RC_ASSERT(index_.pieces().size() == expected.size());
    std::map<stream_id, sequence_number> unsettled;
    std::uint64_t idle = 0;
    auto actual = index_.pieces().begin();
    for (const auto& each : expected) {
      const auto& unit = shown[each.first];
      RC_ASSERT(actual->first == model_.at(each.first));
      RC_ASSERT(actual->second.bytes == each.count * minimum_);
      RC_ASSERT(actual->second.state == unit.state);
      RC_ASSERT(unit.state == piece_state::busy || actual->second.freed_at == unit.freed_at);
      if (unit.state == piece_state::idle) {
        idle += each.count * minimum_;
        if (unit.freed_at.stream != stream_id::none) {
          auto& last = unsettled[unit.freed_at.stream];
          last = std::max(last, unit.freed_at.sequence);
        }
      }
      ++actual;
    }
    RC_ASSERT(index_.idle_bytes() == idle);
    RC_ASSERT(index_.unsettled().size() == unsettled.size());
    for (const auto last : index_.unsettled()) {
      RC_ASSERT(unsettled[last.stream] == last.sequence);
    }
    check_blocks();
  }

  void check_blocks() {
    std::uint64_t busy = 0;
    std::uint64_t requested = 0;
    for (const auto& [first, block] : live_) {
      const auto* found = index_.find_busy(model_.at(first));
      RC_ASSERT(found != nullptr);
      RC_ASSERT(found->bytes == block.first * minimum_);
      RC_ASSERT(found->requested == block.second);
      busy += found->bytes;
      requested += found->requested;
    }
    RC_ASSERT(index_.busy_bytes() == busy);
    RC_ASSERT(index_.requested_bytes() == requested);
    RC_ASSERT(index_.busy_count() == live_.size());
  }

  std::uint64_t minimum_;
  std::size_t granules_;
  model model_;
  block_index index_;
  std::map<std::size_t, std::pair<std::size_t, std::uint64_t>> live_;  // first unit -> units, requested bytes
  std::array<std::uint64_t, streams + 1> last_{};
};

void compare(comparison both) {
  for (const auto& each : some_steps()) {
    both.perform(each);
  }
}

RC_GTEST_PROP(BlockIndexModel, SmallBlocksAreAsInTheModel, ()) { compare({6, granule_bytes / 4}); }

RC_GTEST_PROP(BlockIndexModel, WholeGranulesAreAsInTheModel, ()) { compare({12, granule_bytes}); }

}  // namespace
