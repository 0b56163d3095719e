// The runs of idle pieces: neighbours that one owner freed, which may serve a request together.
//
// The pieces of a run are a tree by address, a treap with links upwards, so that from any piece of a run its
// bounds are a few steps away however many pieces it has. The root stands for the run.
#pragma once

#include "memory/piece.hpp"

namespace soma::memory {

/// The root of the piece's run.
[[nodiscard]] inline node_id run_root(const node_array& nodes, node_id piece) noexcept {
  while (nodes[piece].run_up != node_id::none) {
    piece = nodes[piece].run_up;
  }
  return piece;
}

[[nodiscard]] node_id first_of_run(const node_array& nodes, node_id root) noexcept;
[[nodiscard]] node_id last_of_run(const node_array& nodes, node_id root) noexcept;

/// Makes the piece a run of its own.
inline void start_run(node_array& nodes, node_id piece) noexcept {
  auto& node = nodes[piece];
  node.run_up = node.run_left = node.run_right = node_id::none;
  node.run = node.size();
}

/// Makes one run of two, the first of which ends where the second begins. Returns the root.
node_id join_runs(node_array& nodes, node_id left_root, node_id right_root) noexcept;

/// What is left of a run on both sides of a piece, by their roots.
struct split_run {
  node_id left = node_id::none;
  node_id right = node_id::none;
};

/// Takes a piece out of its run.
split_run leave_run(node_array& nodes, node_id piece) noexcept;

}  // namespace soma::memory
