// The searches of the block index for idle memory: best fit, neighbours together, and what can be given up.

#include <algorithm>
#include <cassert>
#include <iterator>

#include "memory/block_index.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

bool block_index::takeable(const_iterator at, const reach& allowed) const {
  return at->second.state == piece_state::idle && allowed.includes(at->second.freed_at);
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

// The next whole granules of idle memory that may go, down from here. Moves to the first piece of their run.
std::optional<range> block_index::releasable_before(const_iterator& at, const reach& allowed) const {
  while (at != pieces_.begin()) {
    --at;
    if (!takeable(at, allowed)) {
      continue;
    }
    const auto end = at->first + at->second.bytes;
    while (at != pieces_.begin() && takeable(std::prev(at), allowed)) {
      --at;
    }
    const auto first = round_up(number(at->first), granule_bytes);
    const auto last = round_down(number(end), granule_bytes);
    if (first < last) {
      return range{address{first}, last - first};
    }
  }
  return std::nullopt;
}

std::vector<range> block_index::find_releasable(std::uint64_t bytes, const reach& allowed,
                                                range spared) const {
  std::vector<range> found;
  auto wanted = round_down(bytes, granule_bytes);
  const auto add = [&](std::uint64_t first, std::uint64_t last) {
    if (const auto released = first < last ? std::min(last - first, wanted) : 0; released > 0) {
      found.push_back({address{last - released}, released});
      wanted -= released;
    }
  };
  if (spared.bytes == 0) {
    spared = {};
  }
  const auto spared_first = round_down(number(spared.begin), granule_bytes);
  const auto spared_last = round_up(number(spared.end()), granule_bytes);
  for (auto at = pieces_.cend(); wanted > 0;) {
    const auto run = releasable_before(at, allowed);
    if (!run) {
      break;
    }
    add(std::max(number(run->begin), spared_last), number(run->end()));
    add(number(run->begin), std::min(number(run->end()), spared_first));
  }
  for (auto at = pieces_.cend(); wanted > 0 && spared.bytes > 0;) {
    const auto run = releasable_before(at, allowed);
    if (!run) {
      break;
    }
    add(std::max(number(run->begin), spared_first), std::min(number(run->end()), spared_last));
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

}  // namespace soma::memory
