// The largest block to be had: a pool's own search serves everything up to it, in random states of the heap.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "memory/ordered_heap.hpp"
#include "memory/sizes.hpp"

namespace {

using namespace soma::memory;
using releasable = ordered_heap::releasable;

constexpr address base{64 * granule_bytes};
constexpr std::uint64_t window_bytes = 8 * granule_bytes;
constexpr std::uint64_t streams = 3;

position at(std::uint64_t stream, std::uint64_t sequence) {
  return {stream_id{stream}, sequence_number{sequence}};
}

/// Gives up idle memory that may go; returns how many bytes.
std::uint64_t give_up(ordered_heap& heap, std::uint64_t bytes, releasable which, range spared = {}) {
  std::uint64_t released = 0;
  for (const auto part : heap.plan_release(bytes, which, spared)) {
    heap.released(part);
    released += part.bytes;
  }
  return released;
}

/// Whether growing serves the wish, giving up idle memory for want of a place, of room below the limit, and
/// of memory on the device.
bool grows(ordered_heap& heap, const request& wish, std::uint64_t& device_free, releasable which) {
  while (true) {
    const auto place = heap.plan_growth(wish, joining::reusable, 0);
    const auto held = place ? place->new_bytes : 0;
    if (place && heap.over_limit(held) == 0 && held <= device_free) {
      heap.grow(wish, *place);
      return true;
    }
    auto missing = heap.reserved();
    if (place) {
      missing = heap.over_limit(held) > 0 ? heap.over_limit(held)
                                          : held - device_free / granule_bytes * granule_bytes;
    }
    const auto released = give_up(heap, missing, which, place ? place->block : range{});
    device_free += released;
    if (released == 0) {
      return false;
    }
  }
}

/// What a pool does for a request before it inserts waits or refuses.
bool serves(ordered_heap heap, const request& wish, std::uint64_t device_free) {
  return heap.reuse(wish) || grows(heap, wish, device_free, releasable::seen) ||
         grows(heap, wish, device_free, releasable::executed);
}

/// A heap after some allocations, frees, executions, synchronisations and releases.
class random_heap {
public:
  explicit random_heap(std::uint64_t minimum)
      : minimum_(minimum),
        heap_({base, window_bytes}, *rc::gen::inRange<std::uint64_t>(1, 9) * granule_bytes, minimum) {
    heap_.set_reuse_switches({*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(), false});
    using step = std::array<std::uint32_t, 3>;
    const auto steps =
        *rc::gen::container<std::vector<step>>(rc::gen::container<step>(rc::gen::inRange(0U, 4096U)));
    for (const auto& [kind, first, second] : steps) {
      perform(kind, first, second);
    }
  }

  [[nodiscard]] const ordered_heap& heap() const { return heap_; }

  /// A wish of a stream that is ordered after some of what the others did.
  [[nodiscard]] request some_wish() const {
    request wish{stream_id{*rc::gen::inRange<std::uint64_t>(1, streams + 1)}, {}, 0, 0};
    for (std::uint64_t stream = 1; stream <= streams; ++stream) {
      if (stream != number(wish.stream)) {
        wish.ordered.add(at(stream, *rc::gen::inRange<std::uint64_t>(1, 20)));
      }
    }
    return wish;
  }

private:
  void perform(std::uint32_t kind, std::uint32_t first, std::uint32_t second) {
    const auto stream = first % streams + 1;
    switch (kind % 8) {
    case 0:
    case 1:
    case 2: {
      const auto bytes = (second % (2 * granule_bytes / minimum_) + 1) * minimum_;
      const request wish{stream_id{stream}, {}, bytes, bytes};
      if (const auto found = heap_.reuse(wish)) {
        live_.push_back(found->block.begin);
      } else if (const auto place = heap_.plan_growth(wish);
                 place && heap_.over_limit(place->new_bytes) == 0) {
        live_.push_back(heap_.grow(wish, *place).block.begin);
      }
      break;
    }
    case 3:
    case 4:
    case 5:
      if (!live_.empty()) {
        const auto which = live_.begin() + static_cast<std::ptrdiff_t>(second % live_.size());
        RC_ASSERT(heap_.give_back(*which, at(stream, ++sequence_)));
        live_.erase(which);
      }
      break;
    case 6:
      second % 2 == 0 ? heap_.executed(at(stream, sequence_)) : saw(at(stream, sequence_));
      break;
    default:
      give_up(heap_, second % 3 * granule_bytes, releasable::executed);
    }
  }

  void saw(position last) {
    order_clock seen;
    if (last.sequence != sequence_number::none) {
      seen.add(last);
    }
    heap_.saw(seen);
  }

  std::uint64_t minimum_;
  ordered_heap heap_;
  std::vector<address> live_;
  std::uint64_t sequence_ = 0;  // one count for all streams
};

RC_GTEST_PROP(LargestAvailable, ARequestUpToItIsServed, ()) {
  const auto minimum = *rc::gen::element(granule_bytes / 4, granule_bytes);
  const random_heap random(minimum);
  auto wish = random.some_wish();
  const auto device_free = *rc::gen::inRange<std::uint64_t>(0, 4 * granule_bytes);
  const auto largest = random.heap().largest_available(wish.stream, wish.ordered, device_free);
  RC_ASSERT(largest % minimum == 0U);
  for (auto bytes = minimum; bytes <= largest; bytes += minimum) {
    wish.asked = wish.rounded = bytes;
    RC_ASSERT(serves(random.heap(), wish, device_free));
  }
}

RC_GTEST_PROP(LargestAvailable, NothingAboveItIsServed, ()) {
  const auto minimum = *rc::gen::element(granule_bytes / 4, granule_bytes);
  const random_heap random(minimum);
  auto wish = random.some_wish();
  const auto device_free = *rc::gen::inRange<std::uint64_t>(0, 4 * granule_bytes);
  const auto largest = random.heap().largest_available(wish.stream, wish.ordered, device_free);
  for (auto bytes = largest + minimum; bytes <= window_bytes; bytes += minimum) {
    wish.asked = wish.rounded = bytes;
    RC_ASSERT(!serves(random.heap(), wish, device_free));
  }
}

// What is needed is what is really taken from the device, whichever idle memory goes first.
RC_GTEST_PROP(LargestAvailable, WhatIsNeededAfterAReleaseIsEnoughAndNotTooMuch, ()) {
  const auto minimum = *rc::gen::element(granule_bytes / 4, granule_bytes);
  const random_heap random(minimum);
  auto wish = random.some_wish();
  const auto which = *rc::gen::element(releasable::seen, releasable::executed);
  wish.asked = wish.rounded = *rc::gen::inRange<std::uint64_t>(1, window_bytes / minimum + 1) * minimum;
  auto heap = random.heap();
  if (heap.reuse(wish)) {
    return;
  }
  const auto needed = heap.needed_after_release(wish, which);
  for (std::uint64_t device_free = 0; device_free <= window_bytes; device_free += granule_bytes) {
    auto tried = random.heap();
    auto left = device_free;
    RC_ASSERT(grows(tried, wish, left, which) == (needed && *needed <= device_free));
  }
}

}  // namespace
