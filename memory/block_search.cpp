// The searches of the block index for idle memory: best fit, and neighbours together.

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

// The runs of one owner, all of which may be taken, by first and last piece: those of several pieces, then
// those of one, each from the smallest on until `visit` says that it is enough.
template <class Visit>
void block_index::visit_runs_of(const idle_owner& owner, std::uint64_t least, Visit visit) const {
  for (auto run = owner.runs.first_fit(nodes(), least); run != node_id::none;
       run = owner.runs.next_fit(nodes(), run, least)) {
    if (visit(first_of_run(nodes(), run), last_of_run(nodes(), run), nodes()[run].run.bytes)) {
      break;
    }
  }
  const auto& by_size = owner.pieces.by_size();
  for (auto piece = by_size.first_fit(nodes(), least); piece != node_id::none;
       piece = by_size.next_fit(nodes(), piece, least)) {
    const bool is_alone = nodes()[piece].run_up == node_id::none && !is_joint(nodes(), piece);
    if (is_alone && visit(piece, piece, nodes()[piece].what().bytes)) {
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
          !may_join(first, nodes()[first].before, allowed) && !may_join(last, nodes()[last].after, allowed);
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
    return largest != nullptr && owner_of(nodes()[piece].what().freed_at) == largest->id;
  };
  for (auto piece = owner.pieces.first();
       piece != node_id::none && allowed.includes(nodes()[piece].what().freed_at);
       piece = nodes()[piece].later) {
    if (nodes()[piece].on == shelf::vacant) {
      continue;
    }
    auto first = piece;
    auto before = nodes()[first].before;
    while (may_join(piece, before, allowed) && is_of_largest(before)) {
      first = before;
      before = nodes()[first].before;
    }
    if (may_join(piece, before, allowed)) {
      continue;  // met from there
    }
    std::uint64_t together = 0;
    for (auto at = first; may_join(piece, at, allowed); at = nodes()[at].after) {
      together += nodes()[at].what().bytes;
    }
    if (together >= least) {
      visit(nodes()[first].begin(), together);
    }
  }
}

// Of the runs of one owner each, the smallest.
std::optional<address> block_index::find_own_run(std::uint64_t bytes, const reach& allowed) const {
  idle_.complete_runs(pieces_.nodes());
  std::optional<size_key> best;
  const auto consider = [&](size_key key, address begin) {
    if (key.begin = begin; !best || key < *best) {
      best = key;
    }
  };
  idle_.visit_owners(allowed, [&](const idle_owner& owner, sequence_number last) {
    const auto piece = owner.pieces.by_size().first_fit(nodes(), bytes);
    const auto run = owner.runs.first_fit(nodes(), bytes);
    if (!owner.pieces.all_up_to(nodes(), last)) {
      if (piece != node_id::none || run != node_id::none) {
        visit_limited(owner, bytes, allowed, consider);
      }
      return;
    }
    if (piece != node_id::none) {
      consider(shelved(nodes()[piece].size(), shelf::beside_live), nodes()[piece].begin());
    }
    if (run != node_id::none) {
      consider(shelved(nodes()[run].run, shelf::beside_live), nodes()[run].run.begin);
    }
  });
  return best ? std::optional{best->begin} : std::nullopt;
}

// The same for an owner of which only what was freed up to some task may be taken: all of that is looked at.
template <class Visit>
void block_index::visit_limited(const idle_owner& owner, std::uint64_t least, const reach& allowed,
                                Visit visit) const {
  const auto joins = [&](node_id at, node_id neighbour) {
    return may_join(at, neighbour, allowed) && owner_of(nodes()[neighbour].what().freed_at) == owner.id;
  };
  for (auto piece = owner.pieces.first();
       piece != node_id::none && allowed.includes(nodes()[piece].what().freed_at);
       piece = nodes()[piece].later) {
    if (nodes()[piece].on == shelf::vacant || joins(piece, nodes()[piece].before)) {
      continue;
    }
    std::uint64_t together = 0;
    for (auto at = piece; joins(piece, at); at = nodes()[at].after) {
      together += nodes()[at].what().bytes;
    }
    if (together >= least) {
      visit(shelved({together, nodes()[piece].begin()}, shelf::beside_live), nodes()[piece].begin());
    }
  }
}

std::optional<address> block_index::find_run(std::uint64_t bytes, const reach& allowed) const {
  const auto on = has_small_blocks() ? shelf::beside_live : shelf::any;
  std::optional<size_key> best;
  visit_runs(bytes, allowed, [&](address begin, std::uint64_t together) {
    if (const auto here = shelved({together, begin}, on); !best || here < *best) {
      best = here;
    }
    return true;
  });
  return best ? std::optional{best->begin} : std::nullopt;
}

std::optional<address> block_index::find_idle(std::uint64_t bytes, const reach& allowed) const {
  if (!has_small_blocks()) {
    const auto found = find_piece(bytes, allowed);
    return found != node_id::none ? std::optional{nodes()[found].begin()} : find_run(bytes, allowed);
  }
  // What is idle in live granules has no whole granule together.
  auto found = bytes < 2 * granule_bytes ? find_own_run(bytes, allowed) : std::nullopt;
  if (!found && bytes < 2 * granule_bytes && idle_.has_several_owners(allowed)) {
    found = find_run(bytes, allowed);
  }
  return found ? found : find_in_vacant(bytes, allowed);
}

}  // namespace soma::memory
