#include "memory/block_index.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "memory/sizes.hpp"

namespace soma::memory {

namespace {

bool mergeable(const piece& left, const piece& right) {
  if (left.state != right.state) {
    return false;
  }
  return left.state == piece_state::free ||
         (left.state == piece_state::idle && left.freed_at == right.freed_at);
}

}  // namespace

block_index::block_index(range window, std::uint64_t minimum_block)
    : window_(window), minimum_block_(minimum_block) {
  assert(window.bytes % granule_bytes == 0 && number(window.begin) % granule_bytes == 0);
  assert(minimum_block > 0 && granule_bytes % minimum_block == 0);
  insert(window.begin, {.bytes = window.bytes});
}

// -- changing -----------------------------------------------------------------------------------------------

block_index::iterator block_index::insert(address begin, const piece& added) {
  switch (added.state) {
  case piece_state::free:
    free_by_size_.emplace(added.bytes, begin);
    break;
  case piece_state::idle: {
    auto& owner = idle_[added.freed_at.stream];
    owner.by_size.emplace(size_key{added.bytes, begin}, added.freed_at.sequence);
    owner.bytes += added.bytes;
    idle_bytes_ += added.bytes;
    break;
  }
  case piece_state::busy:
    busy_bytes_ += added.bytes;
    requested_bytes_ += added.requested;
    ++busy_count_;
    break;
  }
  return pieces_.emplace(begin, added).first;
}

block_index::iterator block_index::remove(iterator at) {
  const auto& [begin, removed] = *at;
  switch (removed.state) {
  case piece_state::free:
    free_by_size_.erase({removed.bytes, begin});
    break;
  case piece_state::idle: {
    const auto owner = idle_.find(removed.freed_at.stream);
    owner->second.by_size.erase({removed.bytes, begin});
    owner->second.bytes -= removed.bytes;
    idle_bytes_ -= removed.bytes;
    if (owner->second.by_size.empty()) {
      idle_.erase(owner);
    }
    break;
  }
  case piece_state::busy:
    busy_bytes_ -= removed.bytes;
    requested_bytes_ -= removed.requested;
    --busy_count_;
    break;
  }
  return pieces_.erase(at);
}

// Cuts a free or idle piece in two; both parts keep its state and free. Returns the right one.
block_index::iterator block_index::split(iterator at, address middle) {
  auto left = at->second;
  auto right = at->second;
  const auto begin = at->first;
  assert(middle > begin && middle < begin + left.bytes && left.state != piece_state::busy);
  left.bytes = middle - begin;
  right.bytes -= left.bytes;
  remove(at);
  insert(begin, left);
  return insert(middle, right);
}

// Makes the bounds of `part` bounds of pieces. Returns the first piece in it.
block_index::iterator block_index::split_out(range part) {
  auto first = std::prev(pieces_.upper_bound(part.begin));
  if (first->first < part.begin) {
    first = split(first, part.begin);
  }
  const auto last = std::prev(pieces_.lower_bound(part.end()));
  if (last->first + last->second.bytes > part.end()) {
    split(last, part.end());
  }
  return pieces_.find(part.begin);
}

block_index::iterator block_index::merge_around(iterator at) {
  auto begin = at->first;
  auto merged = at->second;
  if (const auto after = std::next(at); after != pieces_.end() && mergeable(merged, after->second)) {
    merged.bytes += after->second.bytes;
    remove(after);
  }
  if (at != pieces_.begin()) {
    if (const auto before = std::prev(at); mergeable(before->second, merged)) {
      merged.bytes += before->second.bytes;
      begin = before->first;
      remove(before);
    }
  }
  if (merged.bytes == at->second.bytes) {
    return at;
  }
  remove(at);
  return insert(begin, merged);
}

void block_index::hold(range granules) {
  const auto first = split_out(granules);
  assert(first->second.state == piece_state::free && first->second.bytes == granules.bytes);
  remove(first);
  merge_around(
      insert(granules.begin, {.bytes = granules.bytes, .state = piece_state::idle, .freed_at = never_used}));
}

std::vector<idle_part> block_index::occupy(range block, std::uint64_t requested) {
  std::vector<idle_part> parts;
  auto at = split_out(block);
  while (at != pieces_.end() && at->first < block.end()) {
    assert(at->second.state == piece_state::idle);
    parts.push_back({{at->first, at->second.bytes}, at->second.freed_at});
    at = remove(at);
  }
  insert(block.begin, {.bytes = block.bytes, .requested = requested, .state = piece_state::busy});
  return parts;
}

void block_index::restore(const std::vector<idle_part>& parts, const order_clock& seen) {
  const auto block = pieces_.find(parts.front().where.begin);
  assert(block != pieces_.end() && block->second.state == piece_state::busy);
  remove(block);
  for (const auto& [where, freed_at] : parts) {
    const bool is_settled = freed_at.stream != stream_id::none && seen.covers(freed_at);
    insert(where.begin,
           {.bytes = where.bytes, .state = piece_state::idle, .freed_at = is_settled ? settled : freed_at});
  }
  // Merged only when all are in place: neighbours in the map must be neighbours in the window.
  for (const auto& part : parts) {
    if (const auto at = pieces_.find(part.where.begin); at != pieces_.end()) {
      merge_around(at);
    }
  }
}

void block_index::vacate(address begin, position freed_at) {
  const auto at = pieces_.find(begin);
  assert(at != pieces_.end() && at->second.state == piece_state::busy);
  const piece idle{.bytes = at->second.bytes, .state = piece_state::idle, .freed_at = freed_at};
  remove(at);
  merge_around(insert(begin, idle));
}

void block_index::settle(const order_clock& seen) {
  std::vector<address> covered;
  for (const auto& [owner, pieces] : idle_) {
    const auto last = seen.of(owner);
    if (owner == stream_id::none || last == sequence_number::none) {
      continue;
    }
    for (const auto& [key, sequence] : pieces.by_size) {
      if (sequence <= last) {
        covered.push_back(key.second);
      }
    }
  }
  for (const auto begin : covered) {
    const auto at = pieces_.find(begin);
    const piece idle{.bytes = at->second.bytes, .state = piece_state::idle};
    remove(at);
    merge_around(insert(begin, idle));
  }
}

void block_index::release(range granules) {
  assert(granules.bytes % granule_bytes == 0 && number(granules.begin) % granule_bytes == 0);
  auto at = split_out(granules);
  while (at != pieces_.end() && at->first < granules.end()) {
    assert(at->second.state == piece_state::idle);
    at = remove(at);
  }
  merge_around(insert(granules.begin, {.bytes = granules.bytes, .state = piece_state::free}));
}

#ifdef SOMA_MUTATIONS
void block_index::change_owner(address begin, position freed_at, stream_id to) {
  const auto at = pieces_.find(begin);
  if (at == pieces_.end() || at->second.state != piece_state::idle || at->second.freed_at != freed_at ||
      freed_at.stream == stream_id::none) {
    return;
  }
  auto changed = at->second;
  changed.freed_at.stream = to;
  remove(at);
  merge_around(insert(begin, changed));
}
#endif

// -- looking ------------------------------------------------------------------------------------------------

const piece* block_index::find_busy(address begin) const {
  const auto at = pieces_.find(begin);
  return at != pieces_.end() && at->second.state == piece_state::busy ? &at->second : nullptr;
}

std::vector<position> block_index::unsettled() const {
  std::vector<position> last_frees;
  for (const auto& [owner, pieces] : idle_) {
    if (owner == stream_id::none) {
      continue;
    }
    auto last = sequence_number::none;
    for (const auto& [key, sequence] : pieces.by_size) {
      last = std::max(last, sequence);
    }
    last_frees.push_back({owner, last});
  }
  return last_frees;
}

std::optional<std::string> block_index::broken_invariant() const {
  auto expected_begin = window_.begin;
  std::uint64_t idle = 0;
  std::uint64_t busy = 0;
  std::uint64_t requested = 0;
  std::size_t free_count = 0;
  std::size_t idle_count = 0;
  const piece* previous = nullptr;
  for (const auto& [begin, at] : pieces_) {
    if (begin != expected_begin || at.bytes == 0) {
      return "I1: a gap, an overlap or an empty piece";
    }
    expected_begin = begin + at.bytes;
    const auto unit = at.state == piece_state::free ? granule_bytes : minimum_block_;
    if (at.bytes % unit != 0 || (begin - window_.begin) % unit != 0) {
      return "I2: a piece of a wrong size or place";
    }
    if (previous != nullptr && mergeable(*previous, at)) {
      return "I3: neighbours that are not merged";
    }
    previous = &at;
    if (at.state == piece_state::free) {
      ++free_count;
      if (!free_by_size_.contains({at.bytes, begin})) {
        return "I4: a free piece is not listed";
      }
    } else if (at.state == piece_state::idle) {
      ++idle_count;
      idle += at.bytes;
      const auto owner = idle_.find(at.freed_at.stream);
      if (owner == idle_.end() || !owner->second.by_size.contains({at.bytes, begin})) {
        return "I4: an idle piece is not listed under its owner";
      }
    } else {
      busy += at.bytes;
      requested += at.requested;
    }
  }
  if (expected_begin != window_.end()) {
    return "I1: the pieces do not end where the window ends";
  }
  std::size_t listed_idle = 0;
  for (const auto& [owner, pieces] : idle_) {
    listed_idle += pieces.by_size.size();
  }
  if (free_by_size_.size() != free_count || listed_idle != idle_count) {
    return "I4: something is listed that does not exist";
  }
  if (idle != idle_bytes_ || busy != busy_bytes_ || requested != requested_bytes_) {
    return "I5: a sum is wrong";
  }
  return std::nullopt;
}

}  // namespace soma::memory
