#include "memory/piece_set.hpp"

namespace soma::memory {

void piece_set::insert(node_array& nodes, node_id added) {
  auto earlier = last_;
  if (const auto& freed_at = nodes[added].what().freed_at; freed_at.stream != stream_id::none) {
    while (earlier != node_id::none && nodes[earlier].what().freed_at.sequence > freed_at.sequence) {
      earlier = nodes[earlier].earlier;
    }
  }
  insert_behind(nodes, added, earlier);
}

void piece_set::insert_behind(node_array& nodes, node_id added, node_id earlier) {
  auto& node = nodes[added];
  node.earlier = earlier;
  auto& link = earlier == node_id::none ? first_ : nodes[earlier].later;
  node.later = link;
  link = added;
  (node.later == node_id::none ? last_ : nodes[node.later].earlier) = added;
  by_size_.insert(nodes, added);
  bytes_ += node.what().bytes;
  ++size_;
}

void piece_set::erase(node_array& nodes, node_id removed) {
  by_size_.erase(nodes, removed);
  leave_list(nodes, removed);
}

node_id piece_set::take_fitting(node_array& nodes, std::uint64_t bytes) {
  const auto taken = by_size_.take_from(nodes, {bytes, address::null});
  if (taken != node_id::none) {
    leave_list(nodes, taken);
  }
  return taken;
}

void piece_set::leave_list(node_array& nodes, node_id removed) {
  const auto& node = nodes[removed];
  (node.earlier == node_id::none ? first_ : nodes[node.earlier].later) = node.later;
  (node.later == node_id::none ? last_ : nodes[node.later].earlier) = node.earlier;
  bytes_ -= node.what().bytes;
  --size_;
}

node_id piece_set::fitting(const node_array& nodes, std::uint64_t bytes, sequence_number last) const {
  auto at = fitting(nodes, bytes);
  if (at == node_id::none || all_up_to(nodes, last)) {
    return at;
  }
  // Two walks at once, by size and by time, of which the shorter decides: neither many pieces that were freed
  // too late nor many that are too small make this long, only both together.
  auto best = node_id::none;
  auto freed = first_;
  while (at != node_id::none && nodes[at].what().freed_at.sequence > last) {
    if (nodes[freed].what().freed_at.sequence > last) {  // this comes before the end of the list
      return best;
    }
    const auto size = nodes[freed].size();
    if (size.bytes >= bytes && (best == node_id::none || size < nodes[best].size())) {
      best = freed;
    }
    freed = nodes[freed].later;
    at = by_size_.next(nodes, at);
  }
  return at;
}

}  // namespace soma::memory
