#include "memory/plain_heap.hpp"

#include <utility>

#include "memory/sizes.hpp"

namespace soma::memory {

namespace {

constexpr reach anything{.settled = true};

tl::unexpected<fault> unknown_address() {
  return failed(fault_code::unknown_address,
                "no live allocation starts at this address: it was freed before, or it points into an "
                "allocation, or it was never given out");
}

}  // namespace

plain_heap::plain_heap(range window) : index_(window, smallest_block_bytes) {}

result<std::uint64_t> plain_heap::block_bytes(std::uint64_t asked, std::uint64_t unit) {
  const auto rounded = round_up_checked(asked, unit);
  if (asked == 0 || !rounded) {
    return failed(fault_code::invalid_argument,
                  "an allocation of " + std::to_string(asked) +
                      " bytes was asked for; ask for at least 1 byte, and for less than 2^64 - " +
                      std::to_string(unit));
  }
  return *rounded;
}

std::optional<range> plain_heap::reuse(std::uint64_t asked, std::uint64_t rounded) {
  const auto begin = index_.find_idle(rounded, anything);
  if (!begin) {
    return std::nullopt;
  }
  index_.occupy({*begin, rounded}, asked);
  return range{*begin, rounded};
}

std::optional<new_place> plain_heap::plan_growth(std::uint64_t rounded) const {
  auto place = index_.find_new(rounded, anything);
  if (place) {  // nothing moves: what is idle as a whole is given back at once
    for (const auto granules : std::exchange(place->moved, {})) {
      place->new_bytes += granules.bytes;
    }
  }
  return place;
}

range plain_heap::grow(const new_place& place, std::uint64_t asked) {
  for (const auto granules : place.held) {
    index_.hold(granules);
  }
  index_.occupy(place.block, asked);
  return place.block;
}

result<void> plain_heap::begin_free(address block) {
  if (index_.find_busy(block) == nullptr || !announced_.insert(block).second) {
    return unknown_address();
  }
  return {};
}

void plain_heap::end_free(address block) {
  announced_.erase(block);
  index_.vacate(block, {});
}

result<void> plain_heap::free(address block) {
  if (auto begun = begin_free(block); !begun) {
    return begun;
  }
  end_free(block);
  return {};
}

std::vector<range> plain_heap::releasable() const {
  return index_.find_releasable(index_.idle_bytes(), anything);
}

void plain_heap::released(range granules) { index_.release(granules); }

}  // namespace soma::memory
