#include "memory/idle_pieces.hpp"

#include "memory/run_tree.hpp"

namespace soma::memory {

namespace {

bool is_in_run_of(const node_array& nodes, node_id piece, stream_id owner) {
  return piece != node_id::none && nodes[piece].what().state == piece_state::idle && nodes[piece].is_in_run &&
         nodes[piece].what().freed_at.stream == owner;
}

}  // namespace

void idle_pieces::insert(node_array& nodes, node_id added) {
  owner_of(nodes[added]).pieces.insert(nodes, added);
  note(nodes, added);
}

void idle_pieces::insert_behind(node_array& nodes, node_id added, node_id earlier) {
  owner_of(nodes[added]).pieces.insert_behind(nodes, added, earlier);
  note(nodes, added);
}

void idle_pieces::note(node_array& nodes, node_id added) {
  auto& node = nodes[added];
  bytes_ += node.what().bytes;
  node.is_in_run = false;
  node.run_left = node_id::none;
  node.run_right = outside_runs_;
  if (outside_runs_ != node_id::none) {
    nodes[outside_runs_].run_left = added;
  }
  outside_runs_ = added;
}

void idle_pieces::complete_runs(node_array& nodes) {
  while (outside_runs_ != node_id::none) {
    const auto added = outside_runs_;
    outside_runs_ = nodes[added].run_right;
    enter_run(nodes, added);
  }
}

void idle_pieces::enter_run(node_array& nodes, node_id added) {
  auto& owner = owners_[nodes[added].owner];
  start_run(nodes, added);
  nodes[added].is_in_run = true;
  auto root = added;
  const auto leave_order = [&](node_id run) {
    owner.runs.erase(nodes, run);
    return run;
  };
  if (const auto before = nodes[added].before; is_in_run_of(nodes, before, owner.id)) {
    root = join_runs(nodes, leave_order(run_root(nodes, before)), root);
  }
  if (const auto after = nodes[added].after; is_in_run_of(nodes, after, owner.id)) {
    root = join_runs(nodes, root, leave_order(run_root(nodes, after)));
  }
  owner.runs.insert(nodes, root);
}

void idle_pieces::erase(node_array& nodes, node_id removed) {
  auto& owner = owners_[nodes[removed].owner];
  owner.pieces.erase(nodes, removed);
  leave(nodes, removed, owner);
}

node_id idle_pieces::take_fitting(node_array& nodes, stream_id stream, std::uint64_t bytes) {
  const auto place = place_of(stream);
  const auto taken = place == 0 ? node_id::none : owners_[place].pieces.take_fitting(nodes, bytes);
  if (taken != node_id::none) {
    leave(nodes, taken, owners_[place]);
  }
  return taken;
}

// For a piece that is not in its owner's set any more.
void idle_pieces::leave(node_array& nodes, node_id removed, idle_owner& owner) {
  auto& node = nodes[removed];
  bytes_ -= node.what().bytes;
  if (!node.is_in_run) {
    (node.run_left == node_id::none ? outside_runs_ : nodes[node.run_left].run_right) = node.run_right;
    if (node.run_right != node_id::none) {
      nodes[node.run_right].run_left = node.run_left;
    }
  } else {
    owner.runs.erase(nodes, run_root(nodes, removed));
    const auto rest = leave_run(nodes, removed);
    for (const auto run : {rest.left, rest.right}) {
      if (run != node_id::none) {
        owner.runs.insert(nodes, run);
      }
    }
  }
  if (owner.pieces.empty()) {
    ++vacant_;
    if (constexpr std::size_t few = 8; 3 * vacant_ > list_.size() + few) {
      forget_vacant();
    }
  }
}

// An owner that is made is an empty one that is not in use: its trees are as they must be.
idle_owner& idle_pieces::owner_of(piece_node& piece) {
  const auto stream = piece.what().freed_at.stream;
  piece.owner = place_of(stream);
  if (piece.owner != 0) {
    latest_ = piece.owner;
    vacant_ -= owners_[piece.owner].pieces.empty() ? 1U : 0U;
    return owners_[piece.owner];
  }
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(owners_.size()));
    owners_.emplace_back();
  }
  piece.owner = unused_.back();
  unused_.pop_back();
  owners_[piece.owner].id = stream;
  list_.push_back(piece.owner);
  by_stream_.insert(number(stream), piece.owner);
  return owners_[piece.owner];
}

void idle_pieces::forget_vacant() {
  std::erase_if(list_, [&](std::uint32_t place) {
    if (!owners_[place].pieces.empty()) {
      return false;
    }
    by_stream_.erase(number(owners_[place].id));
    unused_.push_back(place);
    return true;
  });
  vacant_ = 0;
  latest_ = 0;
}

}  // namespace soma::memory
