#include "memory/holes.hpp"

#include <algorithm>
#include <utility>

namespace soma::memory {

hole::hole(range where, std::vector<hole_part> parts) : where_(where), parts_(std::move(parts)) {
  sums before;
  for (auto& part : parts_) {
    part.whole_before = before.whole;
    part.without_memory_before = before.without_memory;
    part.vacant_before = before.vacant;
    const auto granules = part.last - part.first;
    before.whole += part.is_whole ? granules : 0;
    before.without_memory += part.has_memory ? 0 : granules;
    before.vacant += part.is_vacant ? granules : 0;
    movable_ += part.is_whole && part.has_memory ? granules : 0;
  }
  whole_ = before.whole;
}

// Of the granules of the hole before this one.
hole::sums hole::up_to(std::uint64_t granule) const {
  auto at = std::upper_bound(parts_.begin(), parts_.end(), granule,
                             [](std::uint64_t wanted, const hole_part& part) { return wanted < part.first; });
  if (at == parts_.begin()) {
    return {};
  }
  --at;
  const auto granules = std::min(granule, at->last) - at->first;
  return {at->whole_before + (at->is_whole ? granules : 0),
          at->without_memory_before + (at->has_memory ? 0 : granules),
          at->vacant_before + (at->is_vacant ? granules : 0)};
}

price hole::price_of(range block, std::uint64_t movable) const {
  const auto before = up_to(number(block.begin) / granule_bytes);
  const auto with = up_to((number(block.end()) - 1) / granule_bytes + 1);
  const auto whole = with.whole - before.whole;
  return {whole > movable ? whole - movable : 0, with.vacant - before.vacant,
          with.without_memory - before.without_memory, where_.bytes, block.begin};
}

std::uint64_t hole::longest(std::uint64_t whole_granules) const noexcept {
  if (whole_granules >= whole_) {
    return where_.bytes;
  }
  // Whole granules are neighbours; what is beside them is in granules that are not.
  const auto first = round_up(number(where_.begin), granule_bytes) - number(where_.begin);
  const auto last = number(where_.end()) - round_down(number(where_.end()), granule_bytes);
  return whole_granules * granule_bytes + std::max(first, last);
}

}  // namespace soma::memory
