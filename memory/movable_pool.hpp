// A pool whose blocks can be moved: a block is known by a number, and has an address only while it is pinned.
//
// Compacting moves blocks that are not pinned towards the beginning of the memory. It is done in two steps:
// the pool plans the moves and counts them as made, and somebody makes them; until finish() is told of that,
// what they leave is not given out, and what is freed of what they move stays taken. The pool itself never
// touches the memory. For one thread at a time.
//
//   M1  blocks, free pieces and what is being left cover the memory, and none of them overlap.
//   M2  the moves of a plan, made one after the other in their order, each keep the bytes of the block; a
//   move
//       may overlap itself, and then goes down.
//   M3  a pinned block does not move.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "memory/classic_pool.hpp"
#include "memory/movable_block.hpp"

namespace soma::memory {

class movable_pool {
public:
  /// Blocks are multiples of `unit` bytes; blocks of a granule or more begin at multiples of a granule from
  /// the beginning of the memory, and are whole granules. Precondition: the unit divides a granule, if the
  /// memory has one, and the memory has one unit at least.
  movable_pool(range memory, std::uint64_t unit);

  /// Errors: invalid_argument (0 bytes, or more than the memory has), out_of_memory.
  [[nodiscard]] result<movable_id> allocate(std::uint64_t asked);

  /// A pinned block goes when it is unpinned. Errors: unknown_address (no such block, or a second free).
  [[nodiscard]] result<void> free(movable_id block);

  /// The block's address, which stays until it is unpinned as often as it was pinned. Errors:
  /// unknown_address.
  [[nodiscard]] result<address> pin(movable_id block);

  /// Errors: unknown_address; invalid_argument (it is not pinned).
  [[nodiscard]] result<void> unpin(movable_id block);

  /// The block that begins at this place, or none.
  [[nodiscard]] movable_id at(address place) const;

  struct plan {
    std::vector<block_move> moves;
    compaction report;
  };

  /// Plans the moves, which count as made from now on. Errors: not_complete (those of an earlier plan are not
  /// finished).
  [[nodiscard]] result<plan> compact();

  /// The moves of the last plan were made.
  void finish();

  [[nodiscard]] bool is_moving() const noexcept { return moving_; }
  [[nodiscard]] classic_figures figures() const;
  [[nodiscard]] range memory() const noexcept { return memory_; }

  /// Whether M1 holds. For tests.
  [[nodiscard]] bool is_consistent() const;

private:
  struct known_block {
    range where;
    std::uint64_t asked = 0;
    std::uint64_t pins = 0;
    bool is_freed = false;  // and pinned
  };
  using pieces = std::map<address, std::uint64_t>;

  void add_free(range piece);
  void remove_free(pieces::iterator piece);
  void take(range part);
  [[nodiscard]] bool is_large(std::uint64_t bytes) const noexcept;
  [[nodiscard]] std::uint64_t gap_before(address begin, std::uint64_t bytes) const noexcept;
  [[nodiscard]] address find_place(std::uint64_t bytes) const;
  [[nodiscard]] result<known_block*> find(movable_id block);
  void end(movable_id number, const known_block& ended);

  [[nodiscard]] pieces::iterator find_gap(pieces& gaps, std::uint64_t bytes) const;
  static void add_gap(pieces& gaps, address begin, address end);
  block_move move(movable_id number, address to, compaction& report);
  void rebuild_free();
  void leave(const std::vector<block_move>& moves);
  void leave(range part);

  [[nodiscard]] double fragmentation() const;
  [[nodiscard]] std::uint64_t largest_free() const;

  range memory_;
  std::uint64_t unit_;
  std::map<movable_id, known_block> blocks_;
  std::map<address, movable_id> by_place_;
  pieces free_;                                          // no two are neighbours
  std::set<std::pair<std::uint64_t, address>> by_size_;  // the same pieces
  std::vector<range> left_;  // by the moves that are not made yet, and what was freed meanwhile
  bool moving_ = false;
  movable_id last_ = movable_id::none;
  address used_up_to_ = address::null;  // nothing at or behind this was ever in a block
  classic_counters counters_;
};

}  // namespace soma::memory
