// The searches of the block index for places that take new memory.

#include <algorithm>
#include <tuple>

#include "memory/block_index.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

// A free piece, or neighbouring idle pieces that may be taken, as one.
struct block_index::stretch {
  range where;
  bool is_free = false;
};

namespace {

// How good a place is: less is better.
struct price {
  std::uint64_t new_bytes = 0;
  std::uint64_t free_bytes = 0;  // of the free pieces that it touches
  address begin = address::null;

  bool operator<(const price& other) const {
    return std::tie(new_bytes, free_bytes, begin) < std::tie(other.new_bytes, other.free_bytes, other.begin);
  }
};

// The granules of a free piece that a block touches.
range touched_granules(range free, range block) {
  const auto first = round_down(std::max(number(free.begin), number(block.begin)), granule_bytes);
  const auto last = round_up(std::min(number(free.end()), number(block.end())), granule_bytes);
  return {address{first}, last - first};
}

// The price of a block that starts in `at`, within the run.
template <class Iterator>
price price_of(range block, Iterator at) {
  price sum{.begin = block.begin};
  for (; at->where.begin < block.end(); ++at) {
    if (at->is_free) {
      sum.new_bytes += touched_granules(at->where, block).bytes;
      sum.free_bytes += at->where.bytes;
    }
    if (at->where.end() >= block.end()) {
      break;
    }
  }
  return sum;
}

// The longest part of the run with at most `new_bytes` of new granules. Moved up or down until it meets a
// bound between stretches, a part takes no more new granules: only those that start or end at one count. This
// looks at those that start there.
template <class Iterator>
std::uint64_t longest_part(Iterator begin, Iterator end, std::uint64_t new_bytes) {
  std::uint64_t longest = 0;
  std::uint64_t bytes = 0;  // of the stretches from `begin` up to `last`
  std::uint64_t free_bytes = 0;
  for (auto last = begin; begin != end; ++begin) {
    for (; last != end; ++last) {
      const auto more = last->is_free ? last->where.bytes : 0;
      if (free_bytes + more > new_bytes) {
        break;
      }
      free_bytes += more;
      bytes += last->where.bytes;
    }
    longest = std::max(longest, last == end ? bytes : bytes + (new_bytes - free_bytes));
    if (last == begin) {
      ++last;
    } else {
      bytes -= begin->where.bytes;
      free_bytes -= begin->is_free ? begin->where.bytes : 0;
    }
  }
  return longest;
}

}  // namespace

// The run of free and takeable memory around a free piece; nothing if another free piece of it comes before,
// so that each run is met once.
void block_index::gather(node_id free_piece, const reach& allowed, std::vector<stretch>& run) const {
  run.clear();
  auto first = free_piece;
  auto before = nodes()[first].before;
  while (takeable(before, allowed)) {
    first = before;
    before = nodes()[first].before;
  }
  if (before != node_id::none && nodes()[before].what().state == piece_state::free) {
    return;
  }
  for (auto at = first; at != node_id::none; at = nodes()[at].after) {
    const auto& node = nodes()[at];
    const bool is_free = node.what().state == piece_state::free;
    if (!is_free && !takeable(at, allowed)) {
      return;
    }
    if (!is_free && !run.empty() && !run.back().is_free) {
      run.back().where.bytes += node.what().bytes;
    } else {
      run.push_back({{node.begin(), node.what().bytes}, is_free});
    }
  }
}

new_place block_index::place_at(range block) const {
  new_place place{block, {}, 0};
  for (auto at = pieces_.containing(block.begin); at != node_id::none && nodes()[at].begin() < block.end();
       at = nodes()[at].after) {
    const auto& node = nodes()[at];
    if (node.what().state == piece_state::free) {
      place.held.push_back(touched_granules({node.begin(), node.what().bytes}, block));
      place.new_bytes += place.held.back().bytes;
    }
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
  return new_place{block, {granules}, granules.bytes};
}

std::optional<new_place> block_index::find_new(std::uint64_t bytes, const reach& allowed) const {
  if (bytes > window_.bytes) {  // also what could not be rounded up to granules
    return std::nullopt;
  }
  std::optional<price> best;
  std::vector<stretch> run;
  run.reserve(8);
  for (auto gap = free_.first(); gap != node_id::none; gap = nodes()[gap].later) {
    gather(gap, allowed, run);
    if (run.empty() || run.back().where.end() - run.front().where.begin < bytes) {
      continue;
    }
    if (run.size() == 1) {  // at its end it takes as many, from a higher address
      const price here{round_up(bytes, granule_bytes), run.front().where.bytes, run.front().where.begin};
      best = !best || here < *best ? here : *best;
      continue;
    }
    const auto consider = [&](range block, auto at) {
      if (const auto here = price_of(block, at); !best || here < *best) {
        best = here;
      }
    };
    for (auto at = run.begin(); at != run.end(); ++at) {
      if (run.back().where.end() - at->where.begin >= bytes) {
        consider({at->where.begin, bytes}, at);
      }
      if (at->where.end() - run.front().where.begin >= bytes) {
        const range block{address{number(at->where.end()) - bytes}, bytes};
        auto first = at;
        while (first->where.begin > block.begin) {
          --first;
        }
        consider(block, first);
      }
    }
  }
  return best ? std::optional{place_at({best->begin, bytes})} : std::nullopt;
}

std::uint64_t block_index::largest_new(std::uint64_t new_bytes, const reach& allowed) const {
  new_bytes = round_down(new_bytes, granule_bytes);
  std::uint64_t largest = 0;
  std::vector<stretch> run;
  for (auto gap = free_.first(); gap != node_id::none; gap = nodes()[gap].later) {
    gather(gap, allowed, run);
    largest = std::max({largest, longest_part(run.begin(), run.end(), new_bytes),
                        longest_part(run.rbegin(), run.rend(), new_bytes)});
  }
  return largest;
}

}  // namespace soma::memory
