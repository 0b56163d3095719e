#include "memory/piece_list.hpp"

#include <cassert>

#include "memory/sizes.hpp"

namespace soma::memory {

piece_list::piece_list(range window)
    : window_(window), first_in_granule_(window.bytes / granule_bytes), first_(nodes_.make()) {
  nodes_[first_].entry = {window.begin, {.bytes = window.bytes}};
  enter(first_);
}

std::uint64_t piece_list::granule_of(address inside) const noexcept {
  return (inside - window_.begin) / granule_bytes;
}

node_id piece_list::containing(address inside) const noexcept {
  if (const auto found = find(inside); found != node_id::none) {
    return found;
  }
  const auto granule = granule_of(inside);
  auto at = first_in_granule_.at(granule);
  if (at == node_id::none || nodes_[at].begin() > inside) {
    at = first_in_granule_.last_before(granule);
  }
  while (nodes_[at].end() <= inside) {
    at = nodes_[at].after;
  }
  return at;
}

node_id piece_list::cut(node_id at, std::uint64_t bytes) {
  const auto right = nodes_.make();
  auto& left_node = nodes_[at];
  auto& right_node = nodes_[right];
  assert(bytes > 0 && bytes < left_node.what().bytes);
  right_node.entry = {left_node.begin() + bytes, left_node.what()};
  right_node.what().bytes -= bytes;
  left_node.what().bytes = bytes;
  right_node.before = at;
  right_node.after = left_node.after;
  left_node.after = right;
  if (right_node.after != node_id::none) {
    nodes_[right_node.after].before = right;
  }
  enter(right);
  return right;
}

void piece_list::absorb_next(node_id at) noexcept {
  const auto absorbed = nodes_[at].after;
  leave(absorbed);
  const auto after = nodes_[absorbed].after;
  nodes_[at].what().bytes += nodes_[absorbed].what().bytes;
  nodes_[at].after = after;
  if (after != node_id::none) {
    nodes_[after].before = at;
  }
  nodes_.discard(absorbed);
}

void piece_list::enter(node_id added) {
  const auto begin = nodes_[added].begin();
  by_begin_.insert(number(begin), static_cast<std::uint32_t>(added));
  const auto granule = granule_of(begin);
  const auto first = first_in_granule_.at(granule);
  if (first == node_id::none || nodes_[first].begin() > begin) {
    first_in_granule_.set(granule, added);
  }
}

void piece_list::leave(node_id removed) {
  const auto& node = nodes_[removed];
  by_begin_.erase(number(node.begin()));
  const auto granule = granule_of(node.begin());
  if (first_in_granule_.at(granule) == removed) {
    const auto after = node.after;
    const bool has_more = after != node_id::none && granule_of(nodes_[after].begin()) == granule;
    first_in_granule_.set(granule, has_more ? after : node_id::none);
  }
}

}  // namespace soma::memory
