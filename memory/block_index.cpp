#include "memory/block_index.hpp"

#include <algorithm>
#include <cassert>

#include "memory/sizes.hpp"

namespace soma::memory {

namespace {

bool mergeable(const piece& left, const piece& right) {
  if (left.state != right.state) {
    return false;
  }
  return left.state == piece_state::free ||
         (left.state != piece_state::busy && left.freed_at == right.freed_at && left.freed_at != several);
}

}  // namespace

block_index::block_index(range window, std::uint64_t minimum_block)
    : window_(window), minimum_block_(minimum_block), pieces_(window) {
  assert(window.bytes % granule_bytes == 0 && number(window.begin) % granule_bytes == 0);
  assert(minimum_block > 0 && granule_bytes % minimum_block == 0);
  attach(pieces_.first());
}

// -- changing -----------------------------------------------------------------------------------------------

// For a free, idle or leaving piece.
void block_index::attach(node_id at) {
  switch (nodes()[at].what().state) {
  case piece_state::free:
    free_.insert(nodes(), at);
    break;
  case piece_state::leaving:
    leaving_.insert_behind(nodes(), at, leaving_.last());  // in no order
    break;
  default:
    idle_.insert(nodes(), at);
  }
}

// For a rest of such a piece that was behind this one in its list.
void block_index::attach_behind(node_id at, node_id earlier) {
  switch (nodes()[at].what().state) {
  case piece_state::free:
    free_.insert_behind(nodes(), at, earlier);
    break;
  case piece_state::leaving:
    leaving_.insert_behind(nodes(), at, earlier);
    break;
  default:
    idle_.insert_behind(nodes(), at, earlier);
  }
}

void block_index::detach(node_id at) {
  switch (nodes()[at].what().state) {
  case piece_state::free:
    free_.erase(nodes(), at);
    break;
  case piece_state::leaving:
    leaving_.erase(nodes(), at);
    break;
  default:
    idle_.erase(nodes(), at);
  }
}

void block_index::leave_blocks(const piece& busy) {
  busy_bytes_ -= busy.bytes;
  requested_bytes_ -= busy.requested;
  --busy_count_;
}

void block_index::settle_in(node_id at) {
  const auto joins = [&](node_id neighbour) {
    return neighbour != node_id::none && mergeable(nodes()[neighbour].what(), nodes()[at].what());
  };
  if (const auto after = nodes()[at].after; joins(after)) {
    detach(after);
    pieces_.absorb_next(at);
  }
  if (const auto before = nodes()[at].before; joins(before)) {
    detach(before);
    pieces_.absorb_next(before);
    at = before;
  }
  attach(at);
}

// Takes idle pieces, or those without memory, out of the lists, as one piece, whose state counts as busy
// until it gets another one: what is left of the pieces at both ends must not make a run with it. Tells what
// the pieces were.
node_id block_index::take_out(range part, [[maybe_unused]] bool has_memory, idle_parts* parts) {
  auto first = node_id::none;
  for (auto at = pieces_.containing(part.begin);; at = nodes()[first].after) {
    assert(nodes()[at].what().state != piece_state::busy &&
           (nodes()[at].what().state == piece_state::idle) == has_memory);
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
  become(take_out(granules, false, nullptr), piece_state::idle, never_used);
}

// For a piece that is in no list.
void block_index::become(node_id at, piece_state state, position freed_at) {
  nodes()[at].what() = {.bytes = nodes()[at].what().bytes, .state = state, .freed_at = freed_at};
  settle_in(at);
}

namespace {

// The granules of these pieces, those together that were freed by the same. One in which several have freed
// something stands alone.
std::vector<departure> departures_of(const idle_parts& parts) {
  std::vector<departure> found;
  for (const auto& [where, freed_at] : parts) {
    auto begin = round_down(number(where.begin), granule_bytes);
    const auto end = round_up(number(where.end()), granule_bytes);
    const bool is_unsettled = freed_at.stream != stream_id::none;
    if (!found.empty() && number(found.back().granules.end()) > begin) {  // they share a granule
      if (auto& last = found.back(); last.granules.bytes > granule_bytes) {
        last.granules.bytes -= granule_bytes;
        found.push_back({{last.granules.end(), granule_bytes}, last.frees});
      }
      auto& frees = found.back().frees;
      if (is_unsettled && std::find(frees.begin(), frees.end(), freed_at) == frees.end()) {
        frees.push_back(freed_at);
      }
      begin += granule_bytes;
    }
    if (begin < end) {
      found.push_back(
          {{address{begin}, end - begin}, is_unsettled ? std::vector{freed_at} : std::vector<position>{}});
    }
  }
  return found;
}

// The last of the frees if they are of one stream.
position freed_last(const std::vector<position>& frees) {
  auto last = frees.front();
  for (const auto free : frees) {
    if (free.stream != last.stream) {
      return several;
    }
    last = std::max(last, free);
  }
  return last;
}

}  // namespace

std::vector<departure> block_index::give_up(range granules) {
  assert(granules.bytes % granule_bytes == 0 && number(granules.begin) % granule_bytes == 0);
  idle_parts parts;
  auto at = take_out(granules, true, &parts);
  auto departures = departures_of(parts);
  for (const auto& [part, frees] : departures) {
    // What is still to come counts as busy, so this does not merge with it too early.
    const auto rest = nodes()[at].what().bytes > part.bytes ? pieces_.cut(at, part.bytes) : node_id::none;
    const auto freed_at = frees.empty() ? settled : freed_last(frees);
    if (freed_at == several) {
      freed_by_several_[part.begin] = frees;
    }
    become(at, frees.empty() ? piece_state::free : piece_state::leaving, freed_at);
    at = rest;
  }
  return departures;
}

// For a piece that is in no list.
void block_index::make_block(node_id at, std::uint64_t requested) {
  auto& block = nodes()[at].what();
  block.requested = requested;
  block.state = piece_state::busy;
  block.lease = 0;
  latest_block_ = at;
  busy_bytes_ += block.bytes;
  requested_bytes_ += requested;
  ++busy_count_;
}

idle_parts block_index::occupy(range block, std::uint64_t requested) {
  idle_parts parts;
  make_block(take_out(block, true, &parts), requested);
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
  make_block(at, requested);
  if (rest != node_id::none) {
    idle_.insert_behind(nodes(), rest, earlier);
  }
  return begin;
}

std::optional<address> block_index::take_idle(std::uint64_t bytes, const reach& allowed,
                                              std::uint64_t requested, idle_parts& parts) {
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
  if (const auto piece = best_own(bytes, own); piece && serves_alone(*piece, bytes)) {
    return take_front(idle_.take_fitting(nodes(), own, bytes), bytes, requested, parts);
  }
  const auto begin = smallest_run_of(own, bytes);
  if (begin) {
    parts = occupy({*begin, bytes}, requested);
  }
  return begin;
}

void block_index::restore(const idle_parts& parts, const order_clock& seen) {
  auto at = pieces_.find(parts.front().where.begin);
  assert(at != node_id::none && nodes()[at].what().state == piece_state::busy);
  leave_blocks(nodes()[at].what());
  for (const auto& [where, freed_at] : parts) {
    // What is not restored yet is still busy, so this does not merge with it too early.
    const auto rest = nodes()[at].what().bytes > where.bytes ? pieces_.cut(at, where.bytes) : node_id::none;
    const bool is_settled = freed_at.stream != stream_id::none && seen.covers(freed_at);
    nodes()[at].what() = {
        .bytes = where.bytes, .state = piece_state::idle, .freed_at = is_settled ? settled : freed_at};
    settle_in(at);
    at = rest;
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
  if (idle_.may_have(nodes(), freed_at)) {
    settle_in(at);
  } else {
    idle_.insert(nodes(), at);
  }
  return bytes;
}

void block_index::settle(const order_clock& seen) {
  std::vector<stream_id> concerned;
  const auto first_free = [&](const idle_owner& owner) {
    return nodes()[owner.pieces.first()].what().freed_at.sequence;
  };
  idle_.visit_owners({.ordered = &seen}, [&](const idle_owner& owner, sequence_number last) {
    if (owner.id != stream_id::none && first_free(owner) <= last) {
      concerned.push_back(owner.id);
    }
  });
  for (const auto stream : concerned) {
    const auto last = seen.of(stream);
    for (auto owner = idle_.find(stream); owner != nullptr && first_free(*owner) <= last;
         owner = idle_.find(stream)) {
      const auto at = owner->pieces.first();
      detach(at);
      nodes()[at].what().freed_at = settled;
      settle_in(at);
    }
  }
  settle_leaving(seen);
}

// Looks at all leaving pieces: what of one stream is settled does not depend on where it lies.
void block_index::settle_leaving(const order_clock& seen) {
  std::vector<node_id> concerned;
  for (auto at = leaving_.first(); at != node_id::none; at = nodes()[at].later) {
    const auto& freed_at = nodes()[at].what().freed_at;
    if (freed_at != several && seen.covers(freed_at)) {
      concerned.push_back(at);
    }
  }
  for (const auto at : concerned) {
    detach(at);
    become(at, piece_state::free, settled);
  }
  for (auto granule = freed_by_several_.begin(); granule != freed_by_several_.end();) {
    auto& [begin, frees] = *granule;
    std::erase_if(frees, [&](position free) { return seen.covers(free); });
    const auto left = frees.empty() ? settled : freed_last(frees);
    if (left == several) {
      ++granule;
      continue;
    }
    const auto at = pieces_.find(begin);
    detach(at);
    become(at, frees.empty() ? piece_state::free : piece_state::leaving, left);
    granule = freed_by_several_.erase(granule);
  }
}

void block_index::release(range granules) {
  assert(granules.bytes % granule_bytes == 0 && number(granules.begin) % granule_bytes == 0);
  become(take_out(granules, true, nullptr), piece_state::free, settled);
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

std::optional<size_key> block_index::best_own(std::uint64_t bytes, stream_id own) const {
  const auto* owner = idle_.find(own);
  const auto best = owner == nullptr ? node_id::none : owner->pieces.fitting(nodes(), bytes);
  if (best == node_id::none) {
    return std::nullopt;
  }
  return nodes()[best].size();
}

piece& block_index::live_block(address begin) noexcept {
  const auto at = pieces_.find(begin);
  assert(at != node_id::none && nodes()[at].what().state == piece_state::busy);
  return nodes()[at].what();
}

void block_index::mark_lent(address begin, std::uint64_t lease) { live_block(begin).lease = lease; }

void block_index::mark_lent(address begin, std::uint64_t lease, position freed_at, std::uint8_t served) {
  auto& block = live_block(begin);
  block.lease = lease;
  block.freed_at = freed_at;
  block.served = served;
  block.joined = false;
  block.stitched = false;
}

address block_index::find_busy_around(address inside) const {
  if (!window_.contains(inside)) {
    return address::null;
  }
  const auto& found = nodes()[pieces_.containing(inside)].entry;
  return found.second.state == piece_state::busy ? found.first : address::null;
}

std::vector<position> block_index::unsettled() const {
  std::vector<position> last_frees;
  idle_.visit_owners([&](const idle_owner& owner) {
    if (owner.id != stream_id::none) {
      last_frees.push_back(nodes()[owner.pieces.last()].what().freed_at);
    }
  });
  std::sort(last_frees.begin(), last_frees.end());
  return last_frees;
}

}  // namespace soma::memory
