// Blocks and free pieces. How blocks are moved is in movable_pool_moves.cpp.

#include "memory/movable_pool.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <string>

#include "memory/sizes.hpp"

namespace soma::memory {

movable_pool::movable_pool(range memory, std::uint64_t unit)
    : memory_{memory.begin, round_down(memory.bytes, unit)}, unit_(unit) {
  assert(memory_.bytes > 0 && (granule_bytes % unit == 0 || memory_.bytes < granule_bytes));
  add_free(memory_);
}

// -- free pieces --------------------------------------------------------------------------------------------

void movable_pool::remove_free(pieces::iterator piece) {
  by_size_.erase({piece->second, piece->first});
  free_.erase(piece);
}

// Merges with both neighbours.
void movable_pool::add_free(range piece) {
  auto next = free_.lower_bound(piece.begin);
  if (next != free_.end() && next->first == piece.end()) {
    piece.bytes += next->second;
    remove_free(next++);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == piece.begin) {
      piece = {previous->first, previous->second + piece.bytes};
      remove_free(previous);
    }
  }
  free_.emplace(piece.begin, piece.bytes);
  by_size_.emplace(piece.bytes, piece.begin);
}

// Precondition: the range lies in one free piece.
void movable_pool::take(range part) {
  const auto piece = std::prev(free_.upper_bound(part.begin));
  const range whole{piece->first, piece->second};
  remove_free(piece);
  if (part.begin != whole.begin) {
    add_free({whole.begin, part.begin - whole.begin});
  }
  if (part.end() != whole.end()) {
    add_free({part.end(), whole.end() - part.end()});
  }
}

// What lies between a place and the next one where a block of this size may begin.
std::uint64_t movable_pool::gap_before(address begin, std::uint64_t bytes) const noexcept {
  const auto offset = begin - memory_.begin;
  return is_large(bytes) ? round_up(offset, granule_bytes) - offset : 0;
}

bool movable_pool::is_large(std::uint64_t bytes) const noexcept { return bytes >= granule_bytes; }

// The smallest free piece that fits, then the lowest; null if there is none.
address movable_pool::find_place(std::uint64_t bytes) const {
  for (auto piece = by_size_.lower_bound({bytes, address::null}); piece != by_size_.end(); ++piece) {
    const auto gap = gap_before(piece->second, bytes);
    if (gap + bytes <= piece->first) {
      return piece->second + gap;
    }
  }
  return address::null;
}

// -- blocks -------------------------------------------------------------------------------------------------

result<movable_id> movable_pool::allocate(std::uint64_t asked) {
  auto rounded = round_up_checked(asked, unit_);
  if (rounded && is_large(*rounded)) {
    rounded = round_up_checked(asked, granule_bytes);
  }
  if (asked == 0 || !rounded || *rounded > memory_.bytes) {
    counters_.refused();
    return failed(fault_code::invalid_argument,
                  std::to_string(asked) + " bytes were asked for; the pool has blocks from 1 byte to " +
                      std::to_string(memory_.bytes) + " bytes, in whole granules from 2 MiB on");
  }
  const auto place = find_place(*rounded);
  if (place == address::null) {
    counters_.refused();
    const auto now = figures();
    return failed(fault_code::out_of_memory,
                  "the pool has no free piece of " + describe_bytes(*rounded) + ": used " +
                      describe_bytes(now.used) + " of " + describe_bytes(memory_.bytes) +
                      ", the largest free piece has " + describe_bytes(now.largest_free) +
                      "; compacting may make a larger one");
  }
  const range where{place, *rounded};
  take(where);
  last_ = next(last_);
  blocks_.emplace(last_, known_block{where, asked});
  by_place_.emplace(place, last_);
  counters_.allocated(*rounded, asked, place < used_up_to_);
  used_up_to_ = std::max(used_up_to_, where.end());
  return last_;
}

result<movable_pool::known_block*> movable_pool::find(movable_id block) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end() || found->second.is_freed) {
    return failed(fault_code::unknown_address,
                  "the compactor has no block with this number: it was freed, or never given out");
  }
  return &found->second;
}

movable_id movable_pool::at(address place) const {
  const auto found = by_place_.find(place);
  return found == by_place_.end() ? movable_id::none : found->second;
}

result<void> movable_pool::free(movable_id block) {
  return find(block).map([&](movable_pool::known_block* found) {
    found->is_freed = true;
    if (found->pins == 0) {
      end(block, *found);
    }
  });
}

void movable_pool::end(movable_id number, const known_block& ended) {
  const auto where = ended.where;
  counters_.freed(where.bytes, ended.asked);
  by_place_.erase(where.begin);
  blocks_.erase(number);
  if (moving_) {
    left_.push_back(where);  // a move may still write to it
  } else {
    add_free(where);
  }
}

result<address> movable_pool::pin(movable_id block) {
  return find(block).map([](movable_pool::known_block* found) {
    ++found->pins;
    return found->where.begin;
  });
}

result<void> movable_pool::unpin(movable_id block) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end() || found->second.pins == 0) {
    return failed(fault_code::invalid_argument, "the block is not pinned");
  }
  if (--found->second.pins == 0 && found->second.is_freed) {
    end(block, found->second);
  }
  return {};
}

// -- figures ------------------------------------------------------------------------------------------------

std::uint64_t movable_pool::largest_free() const { return by_size_.empty() ? 0 : by_size_.rbegin()->first; }

double movable_pool::fragmentation() const {
  std::uint64_t idle = 0;
  for (const auto& [begin, bytes] : free_) {
    idle += bytes;
  }
  return idle == 0 ? 0 : 1 - static_cast<double>(largest_free()) / static_cast<double>(idle);
}

classic_figures movable_pool::figures() const { return counters_.figures(memory_.bytes, largest_free()); }

bool movable_pool::is_consistent() const {
  std::map<address, std::uint64_t> all(free_);
  std::size_t count = free_.size();
  for (const auto& [number, block] : blocks_) {
    all.emplace(block.where.begin, block.where.bytes);
    ++count;
  }
  for (const auto& each : left_) {
    all.emplace(each.begin, each.bytes);
    ++count;
  }
  auto reached = memory_.begin;
  for (const auto& [begin, bytes] : all) {
    if (begin != reached) {
      return false;
    }
    reached = begin + bytes;
  }
  return reached == memory_.end() && all.size() == count;
}

}  // namespace soma::memory
