// How a pool of movable blocks is compacted: what moves where, and what is kept until the moves were made.

#include <algorithm>
#include <utility>

#include "memory/movable_pool.hpp"

namespace soma::memory {

// Goes through the blocks from below; each that is not pinned goes to the lowest place that is free by then,
// which is never above where it is. Small places below are in `gaps`; the one that ends at the block itself
// is not, since only that one may overlap the block.
result<movable_pool::plan> movable_pool::compact() {
  if (moving_) {
    return failed(fault_code::not_complete,
                  "an earlier compaction of this pool has not run yet; synchronize its stream first");
  }
  plan made;
  made.report.fragmentation_before = fragmentation();
  pieces gaps;                   // free by then, below `reached`
  auto reached = memory_.begin;  // what follows is free by then, up to the block that is looked at
  std::vector<std::pair<movable_id, address>> moved;
  for (const auto& [place, number] : by_place_) {
    const auto& block = blocks_.at(number);
    if (block.pins > 0) {
      ++made.report.blocks_pinned;
    }
    auto to = block.pins > 0 ? place : reached + gap_before(reached, block.where.bytes);
    const auto gap = block.pins > 0 ? gaps.end() : find_gap(gaps, block.where.bytes);
    if (gap != gaps.end()) {
      const range piece{gap->first, gap->second};
      to = piece.begin + gap_before(piece.begin, block.where.bytes);
      gaps.erase(gap);
      add_gap(gaps, piece.begin, to);
      add_gap(gaps, to + block.where.bytes, piece.end());
      moved.emplace_back(number, to);
      continue;
    }
    add_gap(gaps, reached, to);
    reached = to + block.where.bytes;
    if (to != place) {
      moved.emplace_back(number, to);
    }
  }
  for (const auto& [number, to] : moved) {
    made.moves.push_back(move(number, to, made.report));
  }
  rebuild_free();
  made.report.fragmentation_after = fragmentation();
  leave(made.moves);
  return made;
}

movable_pool::pieces::iterator movable_pool::find_gap(pieces& gaps, std::uint64_t bytes) const {
  return std::find_if(gaps.begin(), gaps.end(),
                      [&](const auto& gap) { return gap_before(gap.first, bytes) + bytes <= gap.second; });
}

void movable_pool::add_gap(pieces& gaps, address begin, address end) {
  if (begin != end) {
    gaps.emplace(begin, end - begin);
  }
}

block_move movable_pool::move(movable_id number, address to, compaction& report) {
  auto& block = blocks_.at(number);
  block_move made{block.where.begin, to, block.where.bytes,
                  is_large(block.where.bytes) ? block.where.bytes : 0};
  block.where.begin = to;
  ++report.blocks_moved;
  report.bytes_mapped += made.mapped;
  report.bytes_copied += made.bytes - made.mapped;
  return made;
}

// The places and free pieces, by where the blocks are now.
void movable_pool::rebuild_free() {
  by_place_.clear();
  for (const auto& [number, block] : blocks_) {
    by_place_.emplace(block.where.begin, number);
  }
  free_.clear();
  by_size_.clear();
  auto reached = memory_.begin;
  for (const auto& [place, number] : by_place_) {
    if (place != reached) {
      add_free({reached, place - reached});
    }
    reached = place + blocks_.at(number).where.bytes;
  }
  if (reached != memory_.end()) {
    add_free({reached, memory_.end() - reached});
  }
}

// Nothing is given out of what the moves touch before they are made: all that is free below the end of the
// highest block that moves, as far as a move reads or writes there.
void movable_pool::leave(const std::vector<block_move>& moves) {
  moving_ = !moves.empty();
  for (const auto& each : moves) {
    const range from{each.from, each.bytes};
    leave(from);
  }
}

// Takes what of the range is free.
void movable_pool::leave(range part) {
  auto piece = free_.upper_bound(part.begin);
  if (piece != free_.begin()) {
    --piece;
  }
  std::vector<range> found;
  for (; piece != free_.end() && piece->first < part.end(); ++piece) {
    const auto begin = std::max(piece->first, part.begin);
    const auto end = std::min(piece->first + piece->second, part.end());
    if (begin < end) {
      found.push_back({begin, end - begin});
    }
  }
  for (const auto& each : found) {
    take(each);
    left_.push_back(each);
  }
}

void movable_pool::finish() {
  moving_ = false;
  for (const auto& each : std::exchange(left_, {})) {
    add_free(each);
  }
}

}  // namespace soma::memory
