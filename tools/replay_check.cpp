#include "tools/replay_check.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "tools/byte_size.hpp"

namespace soma::tools {

namespace {

std::string name_of(std::uint64_t id, std::uint64_t line) {
  return "block " + std::to_string(id) + " (malloc in line " + std::to_string(line) + ")";
}

/// A figure of the pool, and what it must be.
struct comparison {
  const char* name;
  std::uint64_t found;
  std::uint64_t wanted;
};

}  // namespace

void replay_check::sum::add(std::uint64_t bytes) {
  now += bytes;
  high = std::max(high, now);
}

replay_check::outcome replay_check::allocated(const planned_block& block, std::uintptr_t address) {
  const std::uint64_t bytes = round_up(block.bytes, minimum_block_);
  if (address == 0 || bytes > std::numeric_limits<std::uintptr_t>::max() - address) {
    return tl::unexpected("self-check: " + name_of(block.id, block.malloc_line) +
                          " has an address that cannot be");
  }
  const range added{.end = address + bytes, .id = block.id, .line = block.malloc_line};
  const auto above = live_.lower_bound(address);
  auto neighbour = above;
  if (above == live_.end() || above->first >= added.end) {
    neighbour =
        above != live_.begin() && std::prev(above)->second.end > address ? std::prev(above) : live_.end();
  }
  if (neighbour != live_.end()) {
    return tl::unexpected("self-check: " + name_of(block.id, block.malloc_line) + " overlaps the live " +
                          name_of(neighbour->second.id, neighbour->second.line));
  }
  live_.emplace_hint(above, address, added);
  used_.add(bytes);
  requested_.add(block.bytes);
  ++allocations_;
  return {};
}

void replay_check::freed(const planned_block& block, std::uintptr_t address) {
  live_.erase(address);
  used_.now -= round_up(block.bytes, minimum_block_);
  requested_.now -= block.bytes;
}

replay_check::outcome replay_check::compare(const pool_statistics& statistics) const {
  const served_counts& served = statistics.served;
  const std::array<comparison, 8> comparisons = {{
      {"used", statistics.used, used_.now},
      {"used_high", statistics.used_high, used_.high},
      {"requested", statistics.requested, requested_.now},
      {"requested_high", statistics.requested_high, requested_.high},
      {"live_blocks", statistics.live_blocks, live_.size()},
      {"reserved", statistics.reserved, statistics.used + statistics.idle},
      {"backing_requested_bytes - backing_returned_bytes",
       statistics.backing_requested_bytes - statistics.backing_returned_bytes, statistics.reserved},
      {"the sum of served",
       served.same_stream + served.event + served.opportunistic + served.internal + served.new_memory,
       allocations_},
  }};
  const auto* const wrong = std::find_if(comparisons.begin(), comparisons.end(),
                                         [](const comparison& each) { return each.found != each.wanted; });
  if (wrong != comparisons.end()) {
    return tl::unexpected(std::string("self-check: the pool's ") + wrong->name + " is " +
                          std::to_string(wrong->found) + " and should be " + std::to_string(wrong->wanted));
  }
  if (statistics.reserved > statistics.limit || statistics.reserved_high > statistics.limit ||
      statistics.reserved_high < std::max(statistics.reserved, statistics.used_high)) {
    return tl::unexpected("self-check: reserved " + std::to_string(statistics.reserved) + ", its high mark " +
                          std::to_string(statistics.reserved_high) + ", used_high " +
                          std::to_string(statistics.used_high) + " and the limit " +
                          std::to_string(statistics.limit) + " contradict each other");
  }
  return {};
}

}  // namespace soma::tools
