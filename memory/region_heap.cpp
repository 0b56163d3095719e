#include "memory/region_heap.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace soma::memory {

void region_heap::add_free(range freed) {
  free_.emplace(freed.begin, freed.bytes);
  by_size_.emplace(freed.bytes, freed.begin);
}

void region_heap::remove_free(pieces::iterator taken) {
  by_size_.erase({taken->second, taken->first});
  free_.erase(taken);
}

std::map<address, region_heap::region>::iterator region_heap::region_of(address inside) {
  return std::prev(regions_.upper_bound(inside));
}

void region_heap::add(range fresh) {
  regions_.emplace(fresh.begin, region{fresh.bytes, 0, fresh.begin});
  idle_.emplace(fresh.bytes, fresh.begin);
  add_free(fresh);
  bytes_ += fresh.bytes;
}

void region_heap::remove(range idle) {
  assert(idle_.contains({idle.bytes, idle.begin}));
  remove_free(free_.find(idle.begin));
  idle_.erase({idle.bytes, idle.begin});
  regions_.erase(idle.begin);
  bytes_ -= idle.bytes;
}

std::optional<region_heap::piece> region_heap::take(std::uint64_t bytes) {
  const auto found = by_size_.lower_bound({bytes, address::null});
  if (found == by_size_.end()) {
    return std::nullopt;
  }
  const range from{found->second, found->first};
  remove_free(free_.find(from.begin));
  if (from.bytes > bytes) {
    add_free({from.begin + bytes, from.bytes - bytes});
  }
  const auto in = region_of(from.begin);
  if (in->second.taken == 0) {
    idle_.erase({in->second.bytes, in->first});
  }
  in->second.taken += bytes;
  taken_ += bytes;
  const piece made{{from.begin, bytes}, from.begin < in->second.used_up_to};
  in->second.used_up_to = std::max(in->second.used_up_to, made.where.end());
  return made;
}

void region_heap::put(range memory) {
  const auto in = region_of(memory.begin);
  const range whole{in->first, in->second.bytes};
  in->second.taken -= memory.bytes;
  taken_ -= memory.bytes;
  if (in->second.taken == 0) {
    idle_.emplace(whole.bytes, whole.begin);
  }
  auto merged = memory;
  auto next = free_.lower_bound(memory.begin);
  if (next != free_.end() && next->first == merged.end() && merged.end() != whole.end()) {
    merged.bytes += next->second;
    remove_free(next++);
  }
  if (next != free_.begin() && merged.begin != whole.begin) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == merged.begin) {
      merged = {previous->first, previous->second + merged.bytes};
      remove_free(previous);
    }
  }
  add_free(merged);
}

std::vector<range> region_heap::regions() const {
  std::vector<range> all;
  for (const auto& [begin, each] : regions_) {
    all.push_back({begin, each.bytes});
  }
  return all;
}

}  // namespace soma::memory
