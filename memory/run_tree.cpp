#include "memory/run_tree.hpp"

namespace soma::memory {

namespace {

void set_left(node_array& nodes, node_id parent, node_id child) noexcept {
  nodes[parent].run_left = child;
  if (child != node_id::none) {
    nodes[child].run_up = parent;
  }
}

void set_right(node_array& nodes, node_id parent, node_id child) noexcept {
  nodes[parent].run_right = child;
  if (child != node_id::none) {
    nodes[child].run_up = parent;
  }
}

void add_up(node_array& nodes, node_id at) noexcept {
  auto& node = nodes[at];
  node.run.bytes = node.what().bytes;
  for (const auto child : {node.run_left, node.run_right}) {
    node.run.bytes += child != node_id::none ? nodes[child].run.bytes : 0;
  }
}

}  // namespace

node_id first_of_run(const node_array& nodes, node_id root) noexcept {
  while (nodes[root].run_left != node_id::none) {
    root = nodes[root].run_left;
  }
  return root;
}

node_id last_of_run(const node_array& nodes, node_id root) noexcept {
  while (nodes[root].run_right != node_id::none) {
    root = nodes[root].run_right;
  }
  return root;
}

node_id join_runs(node_array& nodes, node_id left_root, node_id right_root) noexcept {
  const auto begin = nodes[left_root].run.begin;
  const auto root = rank(left_root) >= rank(right_root) ? left_root : right_root;
  auto left = left_root;
  auto right = right_root;
  auto parent = node_id::none;
  bool went_right = false;
  // Down the right edge of the left tree and the left edge of the right one.
  while (left != node_id::none && right != node_id::none) {
    const auto left_bytes = nodes[left].run.bytes;
    const auto right_bytes = nodes[right].run.bytes;
    const bool left_is_up = rank(left) >= rank(right);
    const auto up = left_is_up ? left : right;
    nodes[up].run.bytes = left_bytes + right_bytes;
    if (parent != node_id::none) {
      went_right ? set_right(nodes, parent, up) : set_left(nodes, parent, up);
    }
    parent = up;
    went_right = left_is_up;
    if (left_is_up) {
      left = nodes[left].run_right;
    } else {
      right = nodes[right].run_left;
    }
  }
  const auto rest = left != node_id::none ? left : right;
  went_right ? set_right(nodes, parent, rest) : set_left(nodes, parent, rest);
  nodes[root].run_up = node_id::none;
  nodes[root].run.begin = begin;
  return root;
}

// Each node on the way up goes, with what it has on the other side, to that side's rest.
split_run leave_run(node_array& nodes, node_id piece) noexcept {
  auto& node = nodes[piece];
  split_run rest{node.run_left, node.run_right};
  auto begin = node.run.begin;
  auto child = piece;
  for (auto at = node.run_up; at != node_id::none;) {
    const auto up = nodes[at].run_up;
    begin = nodes[at].run.begin;  // of the run in the end: the last one here is the root
    if (nodes[at].run_left == child) {
      set_left(nodes, at, rest.right);
      rest.right = at;
    } else {
      set_right(nodes, at, rest.left);
      rest.left = at;
    }
    add_up(nodes, at);
    child = at;
    at = up;
  }
  if (rest.left != node_id::none) {
    nodes[rest.left].run_up = node_id::none;
    nodes[rest.left].run.begin = begin;
  }
  if (rest.right != node_id::none) {
    nodes[rest.right].run_up = node_id::none;
    nodes[rest.right].run.begin = node.end();
  }
  start_run(nodes, piece);
  return rest;
}

}  // namespace soma::memory
