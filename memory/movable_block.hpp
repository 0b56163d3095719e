// What others need to know of a movable pool (memory/movable_pool.hpp): its blocks, moves, and reports.
#pragma once

#include <cstdint>

#include "memory/identifiers.hpp"

namespace soma::memory {

/// A block of a movable pool. Numbers are never given twice in a pool.
enum class movable_id : std::uint64_t { none = 0 };

/// A move of a block. The whole granules of the pool that both places cover in the same way can be moved by
/// mapping: `mapped` bytes from the beginning of the block on.
struct block_move {
  address from = address::null;
  address to = address::null;
  std::uint64_t bytes = 0;
  std::uint64_t mapped = 0;
};

/// What a compaction did. Fragmentation is 1 - largest free piece / all that is free, or 0 if nothing is.
struct compaction {
  std::uint64_t blocks_moved = 0;  // a count
  std::uint64_t bytes_copied = 0;
  std::uint64_t bytes_mapped = 0;
  std::uint64_t blocks_pinned = 0;  // a count: blocks that could not be moved
  double fragmentation_before = 0;
  double fragmentation_after = 0;  // once the moves are made
};

}  // namespace soma::memory
