#include "memory/variable_size_pool.hpp"

#include <cassert>
#include <iterator>

#include "memory/sizes.hpp"

namespace soma::memory {

variable_size_pool::variable_size_pool(range memory, std::uint64_t unit)
    : memory_{memory.begin, round_down(memory.bytes, unit)}, unit_(unit), used_up_to_(memory.begin) {
  assert(memory_.bytes > 0);
  add_free(memory_);
}

void variable_size_pool::add_free(range piece) {
  free_.emplace(piece.begin, piece.bytes);
  by_size_.emplace(piece.bytes, piece.begin);
}

void variable_size_pool::remove_free(std::map<address, std::uint64_t>::iterator piece) {
  by_size_.erase({piece->second, piece->first});
  free_.erase(piece);
}

result<range> variable_size_pool::allocate(std::uint64_t asked) {
  const auto rounded = round_up_checked(asked, unit_);
  if (asked == 0 || !rounded || *rounded > memory_.bytes) {
    counters_.refused();
    return failed(fault_code::invalid_argument,
                  std::to_string(asked) + " bytes were asked for; the pool has blocks from 1 byte to " +
                      std::to_string(memory_.bytes) + " bytes");
  }
  const auto found = by_size_.lower_bound({*rounded, address::null});
  if (found == by_size_.end()) {
    counters_.refused();
    const auto now = figures();
    return failed(fault_code::out_of_memory,
                  "the pool has no free piece of " + describe_bytes(*rounded) + ": used " +
                      describe_bytes(now.used) + " of " + describe_bytes(memory_.bytes) +
                      ", the largest free piece has " + describe_bytes(now.largest_free));
  }
  const range piece{found->second, found->first};
  live_.emplace(piece.begin, live_block{*rounded, asked});
  remove_free(free_.find(piece.begin));
  const range block{piece.begin, *rounded};
  if (piece.bytes > *rounded) {
    add_free({block.end(), piece.bytes - *rounded});
  }
  counters_.allocated(*rounded, asked, block.begin < used_up_to_);
  used_up_to_ = std::max(used_up_to_, block.end());
  return block;
}

result<void> variable_size_pool::free(address block) {
  const auto live = live_.find(block);
  if (live == live_.end()) {
    return no_live_block("variable-size pool");
  }
  range merged{block, live->second.bytes};
  counters_.freed(live->second.bytes, live->second.asked);
  live_.erase(live);
  auto next = free_.lower_bound(block);
  if (next != free_.end() && next->first == merged.end()) {
    merged.bytes += next->second;
    remove_free(next);
  }
  auto previous = free_.lower_bound(block);
  if (previous != free_.begin()) {
    --previous;
    if (previous->first + previous->second == merged.begin) {
      merged = {previous->first, previous->second + merged.bytes};
      remove_free(previous);
    }
  }
  add_free(merged);
  return {};
}

classic_figures variable_size_pool::figures() const {
  return counters_.figures(memory_.bytes, by_size_.empty() ? 0 : std::prev(by_size_.end())->first);
}

}  // namespace soma::memory
