#include "memory/window_list.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "memory/sizes.hpp"

namespace soma::memory {

window_list::window_list(range addresses) {
  assert(addresses.bytes % slot_bytes == 0);
  if (addresses.bytes > 0) {
    free_runs_.emplace(addresses.begin, addresses.bytes);
  }
}

std::optional<range> window_list::take(std::uint64_t bytes) {
  const auto rounded = round_up_checked(bytes, slot_bytes);
  if (!rounded || *rounded == 0) {
    return std::nullopt;
  }
  for (auto run = free_runs_.begin(); run != free_runs_.end(); ++run) {
    const auto [begin, available] = *run;
    if (available < *rounded) {
      continue;
    }
    free_runs_.erase(run);
    if (available > *rounded) {
      free_runs_.emplace(begin + *rounded, available - *rounded);
    }
    return range{begin, *rounded};
  }
  return std::nullopt;
}

std::optional<range> window_list::take_half() {
  const auto largest = std::max_element(free_runs_.begin(), free_runs_.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  return largest == free_runs_.end() ? std::nullopt : take(std::max(slot_bytes, largest->second / 2));
}

void window_list::give_back(range window) {
  auto after = free_runs_.lower_bound(window.begin);
  assert(after == free_runs_.end() || window.end() <= after->first);
  if (after != free_runs_.end() && window.end() == after->first) {
    window.bytes += after->second;
    after = free_runs_.erase(after);
  }
  if (after != free_runs_.begin()) {
    const auto before = std::prev(after);
    assert(before->first + before->second <= window.begin);
    if (before->first + before->second == window.begin) {
      before->second += window.bytes;
      return;
    }
  }
  free_runs_.emplace(window.begin, window.bytes);
}

std::uint64_t window_list::free_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& [begin, bytes] : free_runs_) {
    sum += bytes;
  }
  return sum;
}

}  // namespace soma::memory
