#include "memory/block_index.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "memory/sizes.hpp"

namespace soma::memory {

namespace {

bool mergeable(const piece& left, const piece& right) {
  if (left.state != right.state) {
    return false;
  }
  return left.state == piece_state::free ||
         (left.state != piece_state::busy && left.freed_at == right.freed_at);
}

}  // namespace

block_index::block_index(range window, std::uint64_t minimum_block)
    : window_(window), minimum_block_(minimum_block), pieces_(window),
      idle_(minimum_block < granule_bytes ? found_by::run : found_by::piece), live_(window) {
  assert(window.bytes % granule_bytes == 0 && number(window.begin) % granule_bytes == 0);
  assert(minimum_block > 0 && granule_bytes % minimum_block == 0);
  attach(pieces_.first());
}

// -- changing -----------------------------------------------------------------------------------------------

// For a piece that is not busy.
void block_index::attach(node_id at) {
  nodes()[at].on = shelf_of(at);
  const auto state = nodes()[at].what().state;
  if (state == piece_state::free) {
    free_.insert(nodes(), at);
  } else {
    (state == piece_state::idle ? idle_ : leaving_).insert(nodes(), at);
  }
}

// For a rest of a piece that was behind this one in its list.
void block_index::attach_behind(node_id at, node_id earlier) {
  nodes()[at].on = shelf_of(at);
  const auto state = nodes()[at].what().state;
  if (state == piece_state::free) {
    free_.insert_behind(nodes(), at, earlier);
  } else {
    (state == piece_state::idle ? idle_ : leaving_).insert_behind(nodes(), at, earlier);
  }
}

void block_index::detach(node_id at) {
  const auto state = nodes()[at].what().state;
  if (state == piece_state::free) {
    free_.erase(nodes(), at);
  } else {
    (state == piece_state::idle ? idle_ : leaving_).erase(nodes(), at);
  }
}

void block_index::leave_blocks(const piece& busy) {
  busy_bytes_ -= busy.bytes;
  requested_bytes_ -= busy.requested;
  --busy_count_;
}

void block_index::settle_in(node_id at, bool alone) {
  if (has_small_blocks() && nodes()[at].what().state == piece_state::idle) {
    const auto first = round_up(number(nodes()[at].begin()), granule_bytes);
    const auto last = round_down(number(nodes()[at].end()), granule_bytes);
    for (const auto bound : {address{first}, address{last}}) {
      if (bound > nodes()[at].begin() && bound < nodes()[at].end() && is_bound(bound)) {
        const auto right = pieces_.cut(at, bound - nodes()[at].begin());
        nodes()[right].what().state = piece_state::busy;  // so that the left one does not merge with it
        place(at, alone);
        nodes()[right].what().state = piece_state::idle;
        at = right;
      }
    }
  }
  place(at, alone);
}

void block_index::place(node_id at, bool alone) {
  const auto joins = [&](node_id neighbour, address between) {
    return neighbour != node_id::none && mergeable(nodes()[neighbour].what(), nodes()[at].what()) &&
           !is_bound(between);
  };
  if (!alone) {
    if (const auto after = nodes()[at].after; joins(after, nodes()[at].end())) {
      detach(after);
      pieces_.absorb_next(at);
    }
    if (const auto before = nodes()[at].before; joins(before, nodes()[at].begin())) {
      detach(before);
      pieces_.absorb_next(before);
      at = before;
    }
  }
  attach(at);
}

// Takes free or idle memory out of the lists, as one piece, whose state counts as busy until it gets another
// one: what is left of the pieces at both ends must not make a run with it. Tells what the pieces were.
node_id block_index::take_out(range part, [[maybe_unused]] piece_state expected, idle_parts* parts) {
  auto first = node_id::none;
  for (auto at = pieces_.containing(part.begin);; at = nodes()[first].after) {
    assert(nodes()[at].what().state == expected);
    auto earlier = nodes()[at].earlier;
    detach(at);
    auto left = node_id::none;
    auto right = node_id::none;
    if (nodes()[at].begin() < part.begin) {
      left = at;
      at = pieces_.cut(left, part.begin - nodes()[left].begin());
    }
    if (part.end() < nodes()[at].end()) {
      right = pieces_.cut(at, part.end() - nodes()[at].begin());
    }
    auto& taken = nodes()[at];
    if (parts != nullptr) {
      parts->push_back({{taken.begin(), taken.what().bytes}, taken.what().freed_at});
    }
    taken.what().state = piece_state::busy;
    if (left != node_id::none) {
      attach_behind(left, earlier);
      earlier = left;
    }
    if (right != node_id::none) {
      attach_behind(right, earlier);
    }
    if (first == node_id::none) {
      first = at;
    } else {
      pieces_.absorb_next(first);
    }
    if (nodes()[first].end() == part.end()) {
      return first;
    }
  }
}

void block_index::hold(range granules) {
  for (auto begin = granules.begin; begin < granules.end();) {
    const auto at = pieces_.containing(begin);
    const auto state = nodes()[at].what().state;
    const range part{begin, std::min(nodes()[at].end(), granules.end()) - begin};
    const auto freed_at = state == piece_state::free ? never_used : nodes()[at].what().freed_at;
    make_piece(take_out(part, state, nullptr), piece_state::idle, freed_at);
    begin = part.end();
  }
}

// Of a piece that is in no list and counts as busy.
void block_index::make_piece(node_id at, piece_state state, position freed_at) {
  nodes()[at].what() = {.bytes = nodes()[at].what().bytes, .state = state, .freed_at = freed_at};
  settle_in(at);
}

// Several pieces out of one. What is not made yet is still
// busy, so that nothing merges with it too early.
void block_index::make_pieces(node_id at, const idle_parts& parts, piece_state state) {
  for (const auto& [where, freed_at] : parts) {
    const auto rest = nodes()[at].what().bytes > where.bytes ? pieces_.cut(at, where.bytes) : node_id::none;
    make_piece(at, state, freed_at);
    at = rest;
  }
}

idle_parts block_index::give_up(range granules) {
  idle_parts parts;
  const auto given_up = take_out(granules, piece_state::idle, &parts);
  auto left = parts;
  for (auto& part : left) {
    part.freed_at = part.freed_at == never_used ? settled : part.freed_at;
  }
  make_pieces(given_up, left, piece_state::leaving);
  free_settled(granules);
  return parts;
}

// Settled leaving memory becomes free by whole granules.
void block_index::free_settled(range around) {
  for (auto begin = around.begin; begin < around.end();) {
    const auto at = pieces_.containing(begin);
    const auto& here = nodes()[at].what();
    begin = nodes()[at].end();
    if (here.state != piece_state::leaving || here.freed_at != settled) {
      continue;
    }
    const auto first = round_up(number(nodes()[at].begin()), granule_bytes);
    const auto last = round_down(number(nodes()[at].end()), granule_bytes);
    if (first < last) {
      const range whole{address{first}, last - first};
      make_piece(take_out(whole, piece_state::leaving, nullptr), piece_state::free, settled);
    }
  }
}

// For a piece that is in no list.
void block_index::make_block(node_id at, std::uint64_t requested) {
  auto& block = nodes()[at].what();
  block.requested = requested;
  block.state = piece_state::busy;
  block.freed_at = {};
  busy_bytes_ += block.bytes;
  requested_bytes_ += requested;
  ++busy_count_;
  for (const auto granule : live_.enter({nodes()[at].begin(), block.bytes})) {
    regroup(granule);
  }
}

idle_parts block_index::occupy(range block, std::uint64_t requested) {
  idle_parts parts;
  make_block(take_out(block, piece_state::idle, &parts), requested);
  return parts;
}

// take_out for the most frequent case: the start of an idle piece, or all of it. The piece is in no list any
// more.
address block_index::take_front(node_id at, std::uint64_t bytes, std::uint64_t requested, idle_parts& parts) {
  const auto earlier = nodes()[at].earlier;
  auto rest = node_id::none;
  if (bytes < nodes()[at].what().bytes) {
    rest = pieces_.cut(at, bytes);
  }
  const auto begin = nodes()[at].begin();
  parts.push_back({{begin, bytes}, nodes()[at].what().freed_at});
  nodes()[at].what().state = piece_state::busy;
  if (rest != node_id::none) {
    attach_behind(rest, earlier);
  }
  make_block(at, requested);
  return begin;
}

std::optional<address> block_index::take_idle(std::uint64_t bytes, const reach& allowed,
                                              std::uint64_t requested, idle_parts& parts) {
  if (has_small_blocks()) {
    const auto begin = find_idle(bytes, allowed);
    if (begin) {
      const auto at = pieces_.find(*begin);
      if (at != node_id::none && nodes()[at].what().bytes >= bytes) {
        idle_.erase(nodes(), at);
        return take_front(at, bytes, requested, parts);
      }
      parts = occupy({*begin, bytes}, requested);
    }
    return begin;
  }
  if (const auto at = find_piece(bytes, allowed); at != node_id::none) {
    idle_.erase(nodes(), at);
    return take_front(at, bytes, requested, parts);
  }
  const auto run = find_run(bytes, allowed);
  if (run) {
    parts = occupy({*run, bytes}, requested);
  }
  return run;
}

std::optional<address> block_index::take_own(std::uint64_t bytes, stream_id own, std::uint64_t requested,
                                             idle_parts& parts) {
  if (has_small_blocks()) {
    return take_idle(bytes, {.own = own}, requested, parts);
  }
  if (const auto at = idle_.take_fitting(nodes(), own, bytes); at != node_id::none) {
    return take_front(at, bytes, requested, parts);
  }
  const auto* owner = idle_.find(own);
  if (owner == nullptr || owner->pieces.bytes() < bytes) {
    return std::nullopt;
  }
  idle_.complete_runs(nodes());
  const auto run = owner->runs.first_from(nodes(), {bytes, address::null});
  if (run == node_id::none) {
    return std::nullopt;
  }
  const auto begin = nodes()[run].run.begin;
  parts = occupy({begin, bytes}, requested);
  return begin;
}

void block_index::restore(const idle_parts& parts, const order_clock& seen) {
  auto at = pieces_.find(parts.front().where.begin);
  assert(at != node_id::none && nodes()[at].what().state == piece_state::busy);
  leave_blocks(nodes()[at].what());
  const auto turned = live_.leave({nodes()[at].begin(), nodes()[at].what().bytes});
  auto restored = parts;
  for (auto& part : restored) {
    const bool is_settled = part.freed_at.stream != stream_id::none && seen.covers(part.freed_at);
    part.freed_at = is_settled ? settled : part.freed_at;
  }
  make_pieces(at, restored, piece_state::idle);
  for (const auto granule : turned) {
    regroup(granule);
  }
}

std::optional<std::uint64_t> block_index::vacate(address begin, position freed_at) {
  const auto at = pieces_.find(begin);
  if (at == node_id::none || nodes()[at].what().state != piece_state::busy) {
    return std::nullopt;
  }
  auto& block = nodes()[at].what();
  const auto bytes = block.bytes;
  leave_blocks(block);
  block.requested = 0;
  block.state = piece_state::idle;
  block.freed_at = freed_at;
  // The neighbours are looked at only if one of them may be of the same task: they are seldom in the cache.
  const auto turned = live_.leave({begin, bytes});
  settle_in(at, !idle_.may_have(nodes(), freed_at));
  for (const auto granule : turned) {
    regroup(granule);
  }
  return bytes;
}

void block_index::settle(const order_clock& seen) {
  std::vector<stream_id> concerned;
  const auto first_free = [&](const idle_owner& owner) {
    return nodes()[owner.pieces.first()].what().freed_at.sequence;
  };
  for (auto* pieces : {&idle_, &leaving_}) {
    concerned.clear();
    pieces->visit_owners({.ordered = &seen}, [&](const idle_owner& owner, sequence_number last) {
      if (owner.id != stream_id::none && first_free(owner) <= last) {
        concerned.push_back(owner.id);
      }
    });
    for (const auto stream : concerned) {
      const auto last = seen.of(stream);
      for (auto owner = pieces->find(stream); owner != nullptr && first_free(*owner) <= last;
           owner = pieces->find(stream)) {
        const auto at = owner->pieces.first();
        const range where{nodes()[at].begin(), nodes()[at].what().bytes};
        detach(at);
        nodes()[at].what().freed_at = settled;
        settle_in(at);
        if (pieces == &leaving_) {
          free_settled(where);
        }
      }
    }
  }
}

void block_index::release(range granules) {
  assert(granules.bytes % granule_bytes == 0 && number(granules.begin) % granule_bytes == 0);
  make_piece(take_out(granules, piece_state::idle, nullptr), piece_state::free, settled);
}

#ifdef SOMA_MUTATIONS
void block_index::change_owner(address begin, position freed_at, stream_id to) {
  const auto at = pieces_.find(begin);
  if (at == node_id::none || nodes()[at].what().state != piece_state::idle ||
      nodes()[at].what().freed_at != freed_at || freed_at.stream == stream_id::none) {
    return;
  }
  detach(at);
  nodes()[at].what().freed_at.stream = to;
  settle_in(at);
}
#endif

// -- looking ------------------------------------------------------------------------------------------------

const piece* block_index::find_busy(address begin) const {
  const auto at = pieces_.find(begin);
  return at != node_id::none && nodes()[at].what().state == piece_state::busy ? &nodes()[at].what() : nullptr;
}

std::vector<position> block_index::freed_in(range part) const {
  std::vector<position> found;
  for (auto at = pieces_.containing(part.begin); at != node_id::none && nodes()[at].begin() < part.end();
       at = nodes()[at].after) {
    const auto& here = nodes()[at].what();
    if (here.state == piece_state::idle || here.state == piece_state::leaving) {
      found.push_back(here.freed_at);
    }
  }
  return found;
}

bool block_index::has_others(const reach& allowed, stream_id stream) const {
  bool found = false;
  for (const idle_pieces* pieces : {&std::as_const(idle_), &leaving_}) {
    pieces->visit_owners(allowed, [&](const idle_owner& owner, sequence_number /*last*/) {
      found = found || owner.id != stream;
    });
  }
  return found;
}

std::vector<position> block_index::unsettled() const {
  std::vector<position> last_frees;
  idle_.visit_owners([&](const idle_owner& owner) {
    if (owner.id != stream_id::none && owner.id != not_yet_anyone) {
      last_frees.push_back(nodes()[owner.pieces.last()].what().freed_at);
    }
  });
  std::sort(last_frees.begin(), last_frees.end());
  return last_frees;
}

}  // namespace soma::memory
