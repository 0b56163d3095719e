// The searches of the block index: best fit, neighbours together, new memory, and what can be given up.

#include <algorithm>
#include <cassert>
#include <iterator>

#include "memory/block_index.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

bool block_index::takeable(const_iterator at, const reach& allowed) const {
  return at->second.state == piece_state::idle && allowed.includes(at->second.freed_at);
}

std::uint64_t block_index::takeable_before(const_iterator at, const reach& allowed) const {
  std::uint64_t bytes = 0;
  while (at != pieces_.begin() && takeable(std::prev(at), allowed)) {
    --at;
    bytes += at->second.bytes;
  }
  return bytes;
}

std::uint64_t block_index::takeable_after(const_iterator at, const reach& allowed) const {
  std::uint64_t bytes = 0;
  for (++at; at != pieces_.end() && takeable(at, allowed); ++at) {
    bytes += at->second.bytes;
  }
  return bytes;
}

// An upper bound, cheap to have: what owners with anything takeable hold in all.
std::uint64_t block_index::takeable_bytes(const reach& allowed) const {
  std::uint64_t bytes = 0;
  for (const auto& [owner, pieces] : idle_) {
    if (allowed.limit(owner) != sequence_number::none) {
      bytes += pieces.bytes;
    }
  }
  return bytes;
}

std::optional<address> block_index::find_piece(std::uint64_t bytes, const reach& allowed) const {
  std::optional<size_key> best;
  for (const auto& [owner, pieces] : idle_) {
    const auto last = allowed.limit(owner);
    if (last == sequence_number::none) {
      continue;
    }
    for (auto at = pieces.by_size.lower_bound({bytes, address::null}); at != pieces.by_size.end(); ++at) {
      if (best && *best <= at->first) {
        break;
      }
      if (at->second <= last) {
        best = at->first;
        break;
      }
    }
  }
  return best ? std::optional{best->second} : std::nullopt;
}

std::optional<address> block_index::find_run(std::uint64_t bytes, const reach& allowed) const {
  if (takeable_bytes(allowed) < bytes) {
    return std::nullopt;
  }
  std::optional<size_key> best;
  for (auto at = pieces_.begin(); at != pieces_.end(); ++at) {
    if (!takeable(at, allowed)) {
      continue;
    }
    const auto begin = at->first;
    std::uint64_t run = 0;
    while (at != pieces_.end() && takeable(at, allowed)) {
      run += at->second.bytes;
      ++at;
    }
    if (run >= bytes && (!best || size_key{run, begin} < *best)) {
      best = {run, begin};
    }
    if (at == pieces_.end()) {
      break;
    }
  }
  return best ? std::optional{best->second} : std::nullopt;
}

std::optional<address> block_index::find_idle(std::uint64_t bytes, const reach& allowed) const {
  if (const auto found = find_piece(bytes, allowed)) {
    return found;
  }
  return find_run(bytes, allowed);
}

// A block that uses idle neighbours of a free piece: from the left neighbours on, or else up to the end of
// the right ones, whichever takes fewer new granules.
std::optional<new_place> block_index::place_beside(const_iterator free_piece, std::uint64_t bytes,
                                                   const reach& allowed) const {
  const auto [begin, free] = *free_piece;
  const auto end = begin + free.bytes;
  const auto left = std::min(takeable_before(free_piece, allowed), bytes);
  const auto right = std::min(takeable_after(free_piece, allowed), bytes);
  const auto from_left = round_up(bytes - left, granule_bytes);
  const auto from_right = round_up(bytes - right, granule_bytes);
  const auto left_begin = address{number(begin) - left};
  if (from_left <= free.bytes && from_left <= from_right) {
    return new_place{{left_begin, bytes}, {begin, from_left}};
  }
  if (from_right <= free.bytes) {
    return new_place{{address{number(end) + right - bytes}, bytes},
                     {address{number(end) - from_right}, from_right}};
  }
  if (left + free.bytes + right >= bytes) {
    return new_place{{left_begin, bytes}, {begin, free.bytes}};
  }
  return std::nullopt;
}

std::optional<new_place> block_index::find_new(std::uint64_t bytes, const reach& allowed) const {
  if (bytes > window_.bytes) {  // also what could not be rounded up to granules
    return std::nullopt;
  }
  if (minimum_block_ == granule_bytes) {
    const auto smallest = free_by_size_.lower_bound({bytes, address::null});
    if (smallest == free_by_size_.end()) {
      return std::nullopt;
    }
    const range block{smallest->second, bytes};
    return new_place{block, block};
  }
  std::optional<new_place> best;
  for (const auto& [size, begin] : free_by_size_) {  // smallest first: an equal one does not replace it
    const auto place = place_beside(pieces_.find(begin), bytes, allowed);
    if (place && (!best || place->held.bytes < best->held.bytes)) {
      best = place;
    }
  }
  return best;
}

std::vector<range> block_index::find_releasable(std::uint64_t bytes, const reach& allowed) const {
  std::vector<range> found;
  auto wanted = round_down(bytes, granule_bytes);
  auto at = pieces_.end();
  while (wanted > 0 && at != pieces_.begin()) {
    --at;
    if (!takeable(at, allowed)) {
      continue;
    }
    const auto end = at->first + at->second.bytes;
    const auto before = takeable_before(at, allowed);
    const address begin{number(at->first) - before};
    at = pieces_.find(begin);
    const auto first = round_up(number(begin), granule_bytes);
    const auto last = round_down(number(end), granule_bytes);
    if (first >= last) {
      continue;
    }
    const auto released = std::min(last - first, wanted);
    found.push_back({address{last - released}, released});
    wanted -= released;
  }
  return found;
}

std::uint64_t block_index::largest_idle(const reach& allowed) const {
  std::uint64_t largest = 0;
  std::uint64_t run = 0;
  for (auto at = pieces_.begin(); at != pieces_.end(); ++at) {
    run = takeable(at, allowed) ? run + at->second.bytes : 0;
    largest = std::max(largest, run);
  }
  return largest;
}

std::uint64_t block_index::largest_new(std::uint64_t new_bytes, const reach& allowed) const {
  new_bytes = round_down(new_bytes, granule_bytes);
  std::uint64_t largest = 0;
  for (const auto& [size, begin] : free_by_size_) {
    const auto usable = std::min(size, new_bytes);
    if (usable == 0) {
      continue;
    }
    if (minimum_block_ == granule_bytes) {
      largest = std::max(largest, usable);
      continue;
    }
    const auto at = pieces_.find(begin);
    const auto left = takeable_before(at, allowed);
    const auto right = takeable_after(at, allowed);
    largest = std::max(largest, usable == size ? left + size + right : std::max(left, right) + usable);
  }
  return largest;
}

}  // namespace soma::memory
