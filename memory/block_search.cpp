// The searches of the block index for idle memory: best fit, neighbours together, and what can be given up.

#include <algorithm>

#include "memory/block_index.hpp"
#include "memory/run_tree.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

node_id block_index::find_piece(std::uint64_t bytes, const reach& allowed) const {
  auto best = node_id::none;
  idle_.visit_owners(allowed, [&](const idle_owner& owner, sequence_number last) {
    const auto found = owner.pieces.fitting(nodes(), bytes, last);
    if (found != node_id::none && (best == node_id::none || nodes()[found].size() < nodes()[best].size())) {
      best = found;
    }
  });
  return best;
}

// The runs of one owner, all of which may be taken, by first and last piece, from the smallest on until
// `visit` says that it is enough.
template <class Visit>
void block_index::visit_runs_of(const idle_owner& owner, std::uint64_t least, Visit visit) const {
  for (auto run = owner.runs.first_from(nodes(), {least, address::null}); run != node_id::none;
       run = owner.runs.next(nodes(), run)) {
    if (visit(first_of_run(nodes(), run), last_of_run(nodes(), run), nodes()[run].run.bytes)) {
      break;
    }
  }
}

// The longest runs of neighbours that may be taken and have together at least so many bytes: (begin, bytes).
// `visit` says whether it can do without larger ones than the one that it was told of.
//
// The owner with the most pieces, all of which may be taken, is looked up by size; its runs count where they
// have no neighbour of others that may be taken. Every other run is met by going through the pieces of the
// others, from the leftmost of these in it.
template <class Visit>
void block_index::visit_runs(std::uint64_t least, const reach& allowed, Visit visit) const {
  struct part {
    const idle_owner* owner;
    sequence_number last;
  };
  short_list<part, 4> parts;
  std::uint64_t bytes = 0;
  const idle_owner* largest = nullptr;
  idle_.visit_owners(allowed, [&](const idle_owner& owner, sequence_number last) {
    parts.push_back({&owner, last});
    bytes += owner.pieces.bytes();
    if (owner.pieces.all_up_to(nodes(), last) &&
        (largest == nullptr || owner.pieces.size() > largest->pieces.size())) {
      largest = &owner;
    }
  });
  if (bytes < least) {
    return;
  }
  idle_.complete_runs(pieces_.nodes());
  if (largest != nullptr) {
    visit_runs_of(*largest, least, [&](node_id first, node_id last, std::uint64_t together) {
      const bool is_whole =
          !takeable(nodes()[first].before, allowed) && !takeable(nodes()[last].after, allowed);
      return is_whole && visit(nodes()[first].begin(), together);
    });
  }
  for (const auto& [owner, last] : parts) {
    if (owner != largest) {
      visit_runs_from(*owner, largest, least, allowed, visit);
    }
  }
}

// The runs in which a piece of this owner is the leftmost that is not of the largest one.
template <class Visit>
void block_index::visit_runs_from(const idle_owner& owner, const idle_owner* largest, std::uint64_t least,
                                  const reach& allowed, Visit visit) const {
  const auto is_of_largest = [&](node_id piece) {
    return largest != nullptr && nodes()[piece].what().freed_at.stream == largest->id;
  };
  for (auto piece = owner.pieces.first();
       piece != node_id::none && allowed.includes(nodes()[piece].what().freed_at);
       piece = nodes()[piece].later) {
    auto first = piece;
    auto before = nodes()[first].before;
    while (takeable(before, allowed) && is_of_largest(before)) {
      first = before;
      before = nodes()[first].before;
    }
    if (takeable(before, allowed)) {
      continue;  // met from there
    }
    std::uint64_t together = 0;
    for (auto at = first; takeable(at, allowed); at = nodes()[at].after) {
      together += nodes()[at].what().bytes;
    }
    if (together >= least) {
      visit(nodes()[first].begin(), together);
    }
  }
}

std::optional<address> block_index::find_run(std::uint64_t bytes, const reach& allowed) const {
  std::optional<size_key> best;
  visit_runs(bytes, allowed, [&](address begin, std::uint64_t together) {
    if (const size_key here{together, begin}; !best || here < *best) {
      best = here;
    }
    return true;
  });
  return best ? std::optional{best->begin} : std::nullopt;
}

std::optional<address> block_index::find_idle(std::uint64_t bytes, const reach& allowed) const {
  if (const auto found = find_piece(bytes, allowed); found != node_id::none) {
    return nodes()[found].begin();
  }
  return find_run(bytes, allowed);
}

std::optional<address> block_index::find_own(std::uint64_t bytes, stream_id own) const {
  const auto piece = best_own(bytes, own);
  return piece && serves_alone(*piece, bytes) ? piece->begin : smallest_run_of(own, bytes);
}

std::optional<address> block_index::smallest_run_of(stream_id own, std::uint64_t bytes) const {
  const auto* owner = idle_.find(own);
  if (owner == nullptr || owner->pieces.bytes() < bytes) {
    return std::nullopt;
  }
  idle_.complete_runs(pieces_.nodes());
  const auto run = owner->runs.first_from(nodes(), {bytes, address::null});
  return run == node_id::none ? std::nullopt : std::optional{nodes()[run].run.begin};
}

// The whole granules of idle memory that may go, by falling address.
std::vector<range> block_index::releasable_runs(const reach& allowed) const {
  std::vector<range> runs;
  visit_runs(granule_bytes, allowed, [&](address begin, std::uint64_t bytes) {
    const auto first = round_up(number(begin), granule_bytes);
    const auto last = round_down(number(begin + bytes), granule_bytes);
    if (first < last) {
      runs.push_back({address{first}, last - first});
    }
    return false;
  });
  std::sort(runs.begin(), runs.end(),
            [](const range& left, const range& right) { return left.begin > right.begin; });
  return runs;
}

std::vector<range> block_index::find_releasable(std::uint64_t bytes, const reach& allowed,
                                                range spared) const {
  std::vector<range> found;
  auto wanted = round_down(bytes, granule_bytes);
  if (wanted == 0) {
    return found;
  }
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
  const auto runs = releasable_runs(allowed);
  for (const auto run : runs) {
    add(std::max(number(run.begin), spared_last), number(run.end()));
    add(number(run.begin), std::min(number(run.end()), spared_first));
  }
  if (spared.bytes > 0) {
    for (const auto run : runs) {
      add(std::max(number(run.begin), spared_first), std::min(number(run.end()), spared_last));
    }
  }
  return found;
}

std::uint64_t block_index::largest_idle(const reach& allowed) const {
  std::uint64_t largest = 0;
  visit_runs(0, allowed, [&](address /*begin*/, std::uint64_t together) {
    largest = std::max(largest, together);
    return false;
  });
  return largest;
}

}  // namespace soma::memory
