// The check of the block index's invariants: walks over everything, for tests.

#include "memory/block_index.hpp"
#include "memory/run_tree.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

namespace {

bool is_listed(const node_array& nodes, const piece_set& in, node_id piece) {
  return in.by_size().first_from(nodes, by_piece::key(nodes[piece])) == piece;
}

// How many pieces the list of a set has; nothing if it is out of order, or wrong in itself.
std::optional<std::size_t> list_length(const node_array& nodes, const piece_set& of, stream_id owner) {
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  auto earlier = node_id::none;
  for (auto at = of.first(); at != node_id::none; at = nodes[at].later) {
    const auto& here = nodes[at].what();
    if (nodes[at].earlier != earlier || owner_of(here.freed_at) != owner ||
        (earlier != node_id::none && owner != stream_id::none && owner != not_yet_anyone &&
         nodes[earlier].what().freed_at.sequence > here.freed_at.sequence)) {
      return std::nullopt;
    }
    earlier = at;
    bytes += here.bytes;
    ++count;
  }
  return earlier == of.last() && bytes == of.bytes() && count == of.size() ? std::optional{count}
                                                                           : std::nullopt;
}

std::size_t count_of(const node_array& nodes, const piece_set& set) {
  std::size_t count = 0;
  for (auto at = set.by_size().first_from(nodes, {}); at != node_id::none;
       at = set.by_size().next(nodes, at)) {
    ++count;
  }
  return count;
}

}  // namespace

std::optional<std::string> block_index::broken_piece(node_id at) const {
  const auto& node = nodes()[at];
  const auto& here = node.what();
  const auto unit = here.state == piece_state::free ? granule_bytes : minimum_block_;
  if (here.bytes % unit != 0 || (node.begin() - window_.begin) % unit != 0) {
    return "I2: a piece of a wrong size or place";
  }
  if (pieces_.find(node.begin()) != at || pieces_.containing(node.begin() + here.bytes / 2) != at) {
    return "I1: a piece is not found by its addresses";
  }
  if (here.state == piece_state::free && !is_listed(nodes(), free_, at)) {
    return "I4: a free piece is not listed";
  }
  if (here.state == piece_state::idle) {
    const auto* owner = idle_.find(owner_of(here.freed_at));
    const bool by_size =
        node.on != shelf::vacant && !(has_small_blocks() && is_joint(nodes(), run_root(nodes(), at)));
    if (owner == nullptr || node.is_by_size != by_size || is_listed(nodes(), owner->pieces, at) != by_size) {
      return "I4: an idle piece is not listed under its owner, or by a size that it has not alone";
    }
  }
  return has_small_blocks() ? broken_kind(at) : std::nullopt;
}

// Of the granules that it is in.
std::optional<std::string> block_index::broken_kind(node_id at) const {
  const auto& node = nodes()[at];
  const auto state = node.what().state;
  const auto first = live_.granule_of(node.begin());
  const auto last = live_.granule_of(node.begin() + (node.what().bytes - 1));
  if (state == piece_state::busy) {
    return live_.next_vacant(first) > last ? std::nullopt
                                           : std::optional<std::string>("I7: a block is in a vacant granule");
  }
  const bool is_live = live_.is_live(first);
  if (is_live ? live_.next_vacant(first) <= last : live_.next_live(first) <= last) {
    return "I7: a piece is in live and in vacant granules";
  }
  if (state == piece_state::idle && node.on != (is_live ? shelf::beside_live : shelf::vacant)) {
    return "I7: a piece is on the wrong shelf";
  }
  if (state != piece_state::idle && is_live) {
    return "I7: addresses without memory are in a live granule";
  }
  return std::nullopt;
}

// What leaves, leaves by granules, and is free when all of a granule is settled.
std::optional<std::string> block_index::broken_leaving(node_id at) const {
  const auto& node = nodes()[at];
  const auto leaves = [&](node_id neighbour) {
    return neighbour != node_id::none && nodes()[neighbour].what().state == piece_state::leaving;
  };
  if ((number(node.begin()) % granule_bytes != 0 && !leaves(node.before)) ||
      (number(node.end()) % granule_bytes != 0 && !leaves(node.after))) {
    return "I2: a part of a granule leaves";
  }
  const auto whole = round_up(number(node.begin()), granule_bytes);
  if (node.what().freed_at == settled && whole + granule_bytes <= number(node.end())) {
    return "I2: a leaving granule is settled";
  }
  if (node.what().freed_at == never_used) {
    return "I2: leaving memory was never used";
  }
  return std::nullopt;
}

// `first` is idle in live granules or of any size, and the piece before it is not of its run.
std::optional<std::string> block_index::broken_run(node_id first) const {
  const auto stream = owner_of(nodes()[first].what().freed_at);
  const auto root = run_root(nodes(), first);
  const auto& owner = *idle_.find(stream);
  std::uint64_t bytes = 0;
  auto last = first;
  for (auto at = first;
       at != node_id::none && nodes()[at].what().state == piece_state::idle &&
       owner_of(nodes()[at].what().freed_at) == stream && nodes()[at].on == nodes()[first].on;
       at = nodes()[at].after) {
    bytes += nodes()[at].what().bytes;
    last = at;
    if (run_root(nodes(), at) != root) {
      return "I6: neighbours of one owner are not one run";
    }
  }
  if (first_of_run(nodes(), root) != first || last_of_run(nodes(), root) != last ||
      nodes()[root].run.begin != nodes()[first].begin() || nodes()[root].run.bytes != bytes) {
    return "I6: a run has wrong bounds or a wrong size";
  }
  const bool is_listed = owner.runs.first_from(nodes(), by_run::key(nodes()[root])) == root;
  if (is_listed != (first != last)) {
    return "I6: a run of several pieces is not listed, or one piece alone is";
  }
  return std::nullopt;
}

std::optional<std::string> block_index::broken_invariant() const {
  idle_.complete_runs(pieces_.nodes());
  auto expected_begin = window_.begin;
  std::uint64_t idle = 0;
  std::uint64_t busy = 0;
  std::uint64_t requested = 0;
  std::size_t free_count = 0;
  std::size_t idle_count = 0;
  std::size_t run_count = 0;
  std::size_t vacant_count = 0;
  std::size_t leaving_count = 0;
  auto before = node_id::none;
  for (auto at = pieces_.first(); at != node_id::none; before = at, at = nodes()[at].after) {
    const auto& here = nodes()[at].what();
    if (nodes()[at].before != before || nodes()[at].begin() != expected_begin || here.bytes == 0) {
      return "I1: a gap, an overlap or an empty piece";
    }
    expected_begin = nodes()[at].end();
    if (auto broken = broken_piece(at)) {
      return broken;
    }
    const auto* left = before == node_id::none ? nullptr : &nodes()[before].what();
    const bool is_alike = left != nullptr && left->state == here.state;
    if (is_alike && !is_bound(nodes()[at].begin()) &&
        (here.state == piece_state::free ||
         (here.state != piece_state::busy && left->freed_at == here.freed_at))) {
      return "I3: neighbours that are not merged";
    }
    if (here.state == piece_state::free) {
      ++free_count;
    } else if (here.state == piece_state::idle) {
      ++idle_count;
      idle += here.bytes;
      if (nodes()[at].on == shelf::vacant) {
        ++vacant_count;
      } else if (!is_alike || owner_of(left->freed_at) != owner_of(here.freed_at) ||
                 nodes()[before].on != nodes()[at].on) {
        ++run_count;
        if (auto broken = broken_run(at)) {
          return broken;
        }
      }
    } else if (here.state == piece_state::leaving) {
      ++leaving_count;
      if (auto broken = broken_leaving(at)) {
        return broken;
      }
    } else {
      busy += here.bytes;
      requested += here.requested;
    }
  }
  if (expected_begin != window_.end()) {
    return "I1: the pieces do not end where the window ends";
  }
  std::size_t listed = 0;
  std::size_t by_size = 0;
  std::size_t runs = 0;
  std::size_t in_runs = 0;
  bool in_order = list_length(nodes(), free_, stream_id::none) == free_count;
  idle_.visit_owners([&](const idle_owner& owner) {
    const auto length = list_length(nodes(), owner.pieces, owner.id);
    in_order = in_order && length && *length > 0;
    listed += length.value_or(0);
    by_size += count_of(nodes(), owner.pieces);
    for (auto run = owner.runs.first_from(nodes(), {}); run != node_id::none;
         run = owner.runs.next(nodes(), run)) {
      ++runs;
      for (auto at = first_of_run(nodes(), run); at != last_of_run(nodes(), run); at = nodes()[at].after) {
        ++in_runs;
      }
    }
  });
  std::size_t leaving_listed = 0;
  leaving_.visit_owners([&](const idle_owner& owner) {
    const auto length = list_length(nodes(), owner.pieces, owner.id);
    in_order = in_order && length && *length > 0;
    leaving_listed += length.value_or(0);
  });
  const auto joint = has_small_blocks() ? vacant_count + in_runs + runs : 0;
  if (!in_order || listed != idle_count || by_size + joint != idle_count || leaving_listed != leaving_count ||
      count_of(nodes(), free_) != free_count) {
    return "I4: something is listed that does not exist, or out of order";
  }
  if (in_runs + run_count + vacant_count != idle_count || runs > run_count) {
    return "I6: a run is listed that does not exist";
  }
  if (idle != idle_.bytes() || busy != busy_bytes_ || requested != requested_bytes_) {
    return "I5: a sum is wrong";
  }
  return std::nullopt;
}

}  // namespace soma::memory
