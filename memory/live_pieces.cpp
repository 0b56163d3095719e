// The block index where blocks may be smaller than a granule: idle pieces keep to granules of one kind, live
// or vacant, also when a granule's kind changes.

#include "memory/block_index.hpp"

namespace soma::memory {

bool block_index::is_bound(address at) const {
  if (!has_small_blocks() || number(at) % granule_bytes != 0 || at == window_.begin || at >= window_.end()) {
    return false;
  }
  const auto granule = live_.granule_of(at);
  return live_.is_live(granule - 1) != live_.is_live(granule);
}

shelf block_index::shelf_of(node_id at) const {
  const auto state = nodes()[at].what().state;
  if (state == piece_state::leaving) {
    return shelf::vacant;
  }
  if (state == piece_state::free || !has_small_blocks()) {
    return shelf::any;
  }
  return live_.is_live(live_.granule_of(nodes()[at].begin())) ? shelf::beside_live : shelf::vacant;
}

// A granule became live or vacant: what is idle in it changes the shelf.
void block_index::regroup(std::uint64_t granule) {
  if (!has_small_blocks()) {
    return;
  }
  const auto begin = live_.begin_of(granule);
  const auto end = begin + granule_bytes;
  split_at(begin);
  split_at(end);
  auto at = pieces_.find(begin);
  if (at == node_id::none) {
    at = nodes()[pieces_.containing(begin)].after;
  }
  for (; at != node_id::none && nodes()[at].begin() < end; at = nodes()[at].after) {
    if (nodes()[at].what().state == piece_state::idle) {
      const auto earlier = nodes()[at].earlier;
      detach(at);
      attach_behind(at, earlier);
    }
  }
  join_at(begin);
  join_at(end);
}

// Cuts the idle piece across a bound, if there is one.
void block_index::split_at(address bound) {
  if (!is_bound(bound) || pieces_.find(bound) != node_id::none) {
    return;
  }
  const auto at = pieces_.containing(bound);
  if (nodes()[at].what().state == piece_state::idle) {
    const auto earlier = nodes()[at].earlier;
    detach(at);
    const auto right = pieces_.cut(at, bound - nodes()[at].begin());
    attach_behind(at, earlier);
    attach_behind(right, at);
  }
}

// Merges the idle pieces on both sides of what is no bound any more.
void block_index::join_at(address bound) {
  const auto right = bound < window_.end() ? pieces_.find(bound) : node_id::none;
  if (right == node_id::none || nodes()[right].before == node_id::none || is_bound(bound)) {
    return;
  }
  const auto left = nodes()[right].before;
  const auto& here = nodes()[left].what();
  const auto& there = nodes()[right].what();
  if (here.state == piece_state::idle && there.state == piece_state::idle &&
      here.freed_at == there.freed_at) {
    detach(right);
    const auto earlier = nodes()[left].earlier;
    detach(left);
    pieces_.absorb_next(left);
    attach_behind(left, earlier);
  }
}

}  // namespace soma::memory
