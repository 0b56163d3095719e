#include "memory/granule_index.hpp"

#include <bit>

namespace soma::memory {

granule_index::granule_index(std::uint64_t granules)
    : part_of_((granules + part_granules - 1) / part_granules) {}

void granule_index::set(std::uint64_t granule, node_id first) {
  auto& place = part_of_[granule / part_granules];
  if (place == 0) {
    place = static_cast<std::uint32_t>(parts_.size());
    parts_.emplace_back();
  }
  auto& here = parts_[place];
  const auto slot = granule % part_granules;
  const bool was_filled = here.first[slot] != node_id::none;
  const bool is_filled = first != node_id::none;
  here.first[slot] = first;
  if (was_filled != is_filled) {
    here.filled[slot / 64] ^= std::uint64_t{1} << (slot % 64);
    here.count += is_filled ? 1 : ~std::size_t{0};
  }
}

// The last filled slot below `end`; part_granules if there is none.
std::size_t granule_index::last_in(const part& here, std::size_t end) noexcept {
  for (auto word = (end + 63) / 64; word-- > 0;) {
    auto filled = here.filled[word];
    if (const auto above = end - word * 64; above < 64) {
      filled &= (std::uint64_t{1} << above) - 1;
    }
    if (filled != 0) {
      return word * 64 + static_cast<std::size_t>(std::bit_width(filled)) - 1;
    }
  }
  return part_granules;
}

node_id granule_index::last_before(std::uint64_t granule) const noexcept {
  auto place = static_cast<std::size_t>(granule / part_granules);
  auto end = static_cast<std::size_t>(granule % part_granules);
  while (true) {
    if (const auto number = place < part_of_.size() ? part_of_[place] : 0; number != 0) {
      const auto& here = parts_[number];
      if (const auto slot = here.count > 0 ? last_in(here, end) : part_granules; slot != part_granules) {
        return here.first[slot];
      }
    }
    --place;
    end = part_granules;
  }
}

}  // namespace soma::memory
