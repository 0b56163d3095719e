// The check of the block index's invariants: walks over everything, for tests.

#include "memory/block_index.hpp"
#include "memory/run_tree.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

namespace {

bool is_listed(const node_array& nodes, const piece_set& in, node_id piece) {
  return in.by_size().first_from(nodes, nodes[piece].size()) == piece;
}

// How many pieces the list of a set has; nothing if it is out of order, or wrong in itself.
std::optional<std::size_t> list_length(const node_array& nodes, const piece_set& of, stream_id owner) {
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  auto earlier = node_id::none;
  for (auto at = of.first(); at != node_id::none; at = nodes[at].later) {
    const auto& here = nodes[at].what();
    if (nodes[at].earlier != earlier || here.freed_at.stream != owner ||
        (earlier != node_id::none && owner != stream_id::none &&
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
  const bool has_memory = here.state == piece_state::idle || here.state == piece_state::busy;
  const auto unit = has_memory ? minimum_block_ : granule_bytes;
  if (here.bytes % unit != 0 || (node.begin() - window_.begin) % unit != 0) {
    return "I2: a piece of a wrong size or place";
  }
  if (pieces_.find(node.begin()) != at || pieces_.containing(node.begin() + here.bytes / 2) != at) {
    return "I1: a piece is not found by its addresses";
  }
  if (here.state == piece_state::free && !is_listed(nodes(), free_, at)) {
    return "I4: a free piece is not listed";
  }
  if (here.state == piece_state::leaving) {
    const bool is_of_several = freed_by_several_.contains(node.begin());
    if (!is_listed(nodes(), leaving_, at) || is_of_several != (here.freed_at == several) ||
        (is_of_several ? here.bytes != granule_bytes : here.freed_at.stream == stream_id::none)) {
      return "I4: a leaving piece is not listed, or settled";
    }
  }
  if (here.state == piece_state::idle) {
    const auto* owner = idle_.find(here.freed_at.stream);
    if (owner == nullptr || !is_listed(nodes(), owner->pieces, at)) {
      return "I4: an idle piece is not listed under its owner";
    }
  }
  return std::nullopt;
}

// `first` is idle, and the piece before it is not of its run.
std::optional<std::string> block_index::broken_run(node_id first) const {
  const auto stream = nodes()[first].what().freed_at.stream;
  const auto root = run_root(nodes(), first);
  const auto& owner = *idle_.find(stream);
  std::uint64_t bytes = 0;
  auto last = first;
  for (auto at = first; at != node_id::none && nodes()[at].what().state == piece_state::idle &&
                        nodes()[at].what().freed_at.stream == stream;
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
  if (owner.runs.first_from(nodes(), nodes()[root].run) != root) {
    return "I6: a run is not listed";
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
  std::size_t leaving_count = 0;
  std::size_t idle_count = 0;
  std::size_t run_count = 0;
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
    if (is_alike &&
        (here.state == piece_state::free ||
         (here.state != piece_state::busy && here.freed_at != several && left->freed_at == here.freed_at))) {
      return "I3: neighbours that are not merged";
    }
    if (here.state == piece_state::free) {
      ++free_count;
    } else if (here.state == piece_state::leaving) {
      ++leaving_count;
    } else if (here.state == piece_state::idle) {
      ++idle_count;
      idle += here.bytes;
      if (!is_alike || left->freed_at.stream != here.freed_at.stream) {
        ++run_count;
        if (auto broken = broken_run(at)) {
          return broken;
        }
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
  if (!in_order || listed != idle_count || by_size != idle_count || count_of(nodes(), free_) != free_count ||
      leaving_.size() != leaving_count || count_of(nodes(), leaving_) != leaving_count) {
    return "I4: something is listed that does not exist, or out of order";
  }
  if (in_runs + run_count != idle_count || runs != run_count) {
    return "I6: a run is listed that does not exist";
  }
  if (idle != idle_.bytes() || busy != busy_bytes_ || requested != requested_bytes_) {
    return "I5: a sum is wrong";
  }
  return std::nullopt;
}

}  // namespace soma::memory
