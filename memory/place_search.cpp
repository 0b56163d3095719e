// The searches of the block index for places that take new memory.

#include <algorithm>
#include <tuple>

#include "memory/block_index.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

// Neighbouring granules without memory, or neighbouring idle pieces that may be taken, as one.
struct block_index::stretch {
  range where;
  bool is_gap = false;
};

namespace {

// How good a place is: less is better.
struct price {
  std::uint64_t new_bytes = 0;
  std::uint64_t held_bytes = 0;  // of granules without memory
  std::uint64_t gap_bytes = 0;   // of the gaps that it touches
  address begin = address::null;

  bool operator<(const price& other) const {
    return std::tie(new_bytes, held_bytes, gap_bytes, begin) <
           std::tie(other.new_bytes, other.held_bytes, other.gap_bytes, other.begin);
  }
};

range touched_granules(range part, range block) {
  const auto first = round_down(std::max(number(part.begin), number(block.begin)), granule_bytes);
  const auto last = round_up(std::min(number(part.end()), number(block.end())), granule_bytes);
  return {address{first}, last - first};
}

// The granules that lie in the hole as a whole: they have no memory, or it could be moved. A block takes as
// much memory as it touches of these, whether it is there already or has to come from elsewhere.
range open_granules(range hole) {
  const auto first = round_up(number(hole.begin), granule_bytes);
  const auto last = round_down(number(hole.end()), granule_bytes);
  return {address{first}, last > first ? last - first : 0};
}

template <class Hole>
range whole(const Hole& hole) {
  return {hole.front().where.begin, hole.back().where.end() - hole.front().where.begin};
}

// Of these whole granules, by falling address, as many as are wanted and the block does not touch.
std::vector<range> outside_of(range block, const std::vector<range>& runs, std::uint64_t wanted) {
  std::vector<range> found;
  const auto add = [&](std::uint64_t first, std::uint64_t last) {
    if (const auto taken = first < last ? std::min(last - first, wanted) : 0; taken > 0) {
      found.push_back({address{last - taken}, taken});
      wanted -= taken;
    }
  };
  const auto first = round_down(number(block.begin), granule_bytes);
  const auto last = round_up(number(block.end()), granule_bytes);
  for (const auto run : runs) {
    if (wanted == 0) {
      break;
    }
    add(std::max(number(run.begin), last), number(run.end()));
    add(number(run.begin), std::min(number(run.end()), first));
  }
  return found;
}

std::uint64_t bytes_of(const std::vector<range>& runs) {
  std::uint64_t bytes = 0;
  for (const auto granules : runs) {
    bytes += granules.bytes;
  }
  return bytes;
}

// The price of a block that starts in `at`, within the hole. So much idle memory could be moved, here and
// elsewhere.
template <class Iterator>
price price_of(range block, Iterator at, range open, std::uint64_t movable) {
  price sum{.begin = block.begin};
  for (; at->where.begin < block.end(); ++at) {
    if (at->is_gap) {
      sum.held_bytes += touched_granules(at->where, block).bytes;
      sum.gap_bytes += at->where.bytes;
    }
    if (at->where.end() >= block.end()) {
      break;
    }
  }
  const bool touches = open.begin < block.end() && block.begin < open.end();
  const auto taken = touches ? touched_granules(open, block).bytes : 0;
  sum.new_bytes = taken > movable ? taken - movable : 0;
  return sum;
}

// The longest part of the hole that touches at most so many bytes of its open granules. It starts where the
// hole starts or ends where it ends.
std::uint64_t longest_part(range hole, std::uint64_t most) {
  const auto open = open_granules(hole);
  if (open.bytes <= most) {
    return hole.bytes;
  }
  return most + std::max(open.begin - hole.begin, hole.end() - open.end());
}

}  // namespace

// The hole around a gap; nothing if another gap of it comes before, so that each hole is met once.
void block_index::gather(node_id gap, const reach& allowed, hole& found) const {
  found.clear();
  auto first = gap;
  auto before = nodes()[first].before;
  while (takeable(before, allowed)) {
    first = before;
    before = nodes()[first].before;
  }
  if (before != node_id::none && is_gap(before, allowed)) {
    return;
  }
  for (auto at = first; at != node_id::none; at = nodes()[at].after) {
    const auto& node = nodes()[at];
    const bool is_free = is_gap(at, allowed);
    if (!is_free && !takeable(at, allowed)) {
      return;
    }
    if (!found.empty() && found.back().is_gap == is_free) {
      found.back().where.bytes += node.what().bytes;
    } else {
      found.push_back({{node.begin(), node.what().bytes}, is_free});
    }
  }
}

template <class Visit>
void block_index::visit_holes(const reach& allowed, Visit visit) const {
  hole found;
  found.reserve(8);
  for (const auto* gaps : {&free_, &leaving_}) {
    for (auto gap = gaps->first(); gap != node_id::none; gap = nodes()[gap].later) {
      if (!is_gap(gap, allowed)) {
        continue;
      }
      gather(gap, allowed, found);
      if (!found.empty()) {
        visit(found);
      }
    }
  }
}

new_place block_index::place_at(range block, const reach& allowed) const {
  new_place place{block, {}, {}, 0};
  for (auto at = pieces_.containing(block.begin); at != node_id::none && nodes()[at].begin() < block.end();
       at = nodes()[at].after) {
    if (!is_gap(at, allowed)) {
      continue;
    }
    const auto granules = touched_granules({nodes()[at].begin(), nodes()[at].what().bytes}, block);
    if (!place.held.empty() && place.held.back().end() == granules.begin) {
      place.held.back().bytes += granules.bytes;
    } else {
      place.held.push_back(granules);
    }
    place.new_bytes += granules.bytes;
  }
  return place;
}

std::optional<new_place> block_index::find_free(std::uint64_t bytes) const {
  const auto smallest = free_.fitting(nodes(), bytes);
  if (smallest == node_id::none) {
    return std::nullopt;
  }
  const auto& node = nodes()[smallest];
  const range block{node.begin(), bytes};
  const auto granules = touched_granules({node.begin(), node.what().bytes}, block);
  return new_place{block, {granules}, {}, granules.bytes};
}

// The idle granules that may be taken as a whole.
std::uint64_t block_index::movable_bytes(const reach& allowed) const {
  return bytes_of(releasable_runs(allowed));
}

std::optional<new_place> block_index::find_new(std::uint64_t bytes, const reach& allowed) const {
  if (bytes > window_.bytes) {  // also what could not be rounded up to granules
    return std::nullopt;
  }
  const auto idle = releasable_runs(allowed);
  const auto movable = bytes_of(idle);
  std::optional<price> best;
  visit_holes(allowed, [&](const hole& found) {
    const auto within = whole(found);
    if (within.bytes < bytes) {
      return;
    }
    const auto open = open_granules(within);
    const auto consider = [&](range block, auto at) {
      if (const auto here = price_of(block, at, open, movable); !best || here < *best) {
        best = here;
      }
    };
    for (auto at = found.begin(); at != found.end(); ++at) {
      if (within.end() - at->where.begin >= bytes) {
        consider({at->where.begin, bytes}, at);
      }
      if (found.size() > 1 && at->where.end() - within.begin >= bytes) {  // else it is not cheaper there
        const range block{address{number(at->where.end()) - bytes}, bytes};
        auto first = at;
        while (first->where.begin > block.begin) {
          --first;
        }
        consider(block, first);
      }
    }
  });
  if (!best) {
    return std::nullopt;
  }
  auto place = place_at({best->begin, bytes}, allowed);
  place.moved = outside_of(place.block, idle, place.new_bytes - best->new_bytes);
  place.new_bytes = best->new_bytes;
  return place;
}

std::uint64_t block_index::largest_new(std::uint64_t new_bytes, const reach& allowed) const {
  const auto most = round_down(new_bytes, granule_bytes) + movable_bytes(allowed);
  std::uint64_t largest = 0;
  visit_holes(allowed,
              [&](const hole& found) { largest = std::max(largest, longest_part(whole(found), most)); });
  return largest;
}

}  // namespace soma::memory
