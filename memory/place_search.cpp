// The searches of the block index that look at holes: for places in vacant granules, for memory that can move
// or be given up, and for the largest block. They look at every vacant granule's pieces.

#include <algorithm>

#include "memory/block_index.hpp"
#include "memory/holes.hpp"

namespace soma::memory {

class block_index::hole_list {
public:
  /// The holes of what the rule allows; of idle memory only, or also of addresses without memory.
  hole_list(const block_index& index, const reach& allowed, bool with_free)
      : index_(index), allowed_(allowed), with_free_(with_free) {}

  /// The parts of a hole of idle memory alone.
  static std::vector<hole_part> parts_of_idle(const block_index& index, range where) {
    std::vector<hole_part> parts;
    add_parts(index, where, true, parts);
    return parts;
  }

  /// All that touch a vacant granule, or all there are.
  void find_vacant();
  void find_all();

  [[nodiscard]] const std::vector<hole>& holes() const noexcept { return holes_; }

  /// All granules that may be taken as a whole and have memory.
  [[nodiscard]] std::uint64_t movable() const noexcept { return movable_; }

  /// These granules, but those that the block touches, as stretches by rising address.
  [[nodiscard]] std::vector<range> movable_but(range block) const;

private:
  [[nodiscard]] const piece_node& node(node_id at) const { return index_.nodes()[at]; }
  [[nodiscard]] bool is_usable(node_id at) const;
  node_id add(node_id first);
  static void add_parts(const block_index& index, range where, bool has_memory,
                        std::vector<hole_part>& parts);

  const block_index& index_;
  const reach& allowed_;
  bool with_free_;
  std::vector<hole> holes_;
  std::uint64_t movable_ = 0;
};

bool block_index::hole_list::is_usable(node_id at) const {
  if (at == node_id::none) {
    return false;
  }
  const auto& here = node(at).what();
  switch (here.state) {
  case piece_state::free:
    return with_free_;
  case piece_state::idle:
    return allowed_.includes(here.freed_at);
  case piece_state::leaving:
    return with_free_ && allowed_.includes(here.freed_at);
  case piece_state::busy:
    break;
  }
  return false;
}

// The granules of neighbours that are alike.
void block_index::hole_list::add_parts(const block_index& index, range where, bool has_memory,
                                       std::vector<hole_part>& parts) {
  const auto first = number(where.begin) / granule_bytes;
  const auto last = (number(where.end()) - 1) / granule_bytes + 1;
  const auto whole = round_up(number(where.begin), granule_bytes) / granule_bytes;
  const auto whole_last = number(where.end()) / granule_bytes;
  const auto add_edge = [&](std::uint64_t granule) {
    const bool is_live = index.live_.is_live(granule - number(index.window_.begin) / granule_bytes);
    parts.push_back({granule, granule + 1, false, has_memory, !is_live});
  };
  if (first < whole) {
    add_edge(first);
  }
  if (whole < whole_last) {
    parts.push_back({whole, whole_last, true, has_memory, true});
  }
  if (last > whole_last && (last - 1 != first || first == whole)) {
    add_edge(last - 1);
  }
}

// The hole that begins with this piece. Returns the first piece that is not in it.
node_id block_index::hole_list::add(node_id first) {
  std::vector<hole_part> parts;
  range where{node(first).begin(), 0};
  auto part = where;
  bool has_memory = node(first).what().state == piece_state::idle;
  const auto end_part = [&] {
    if (!has_memory) {  // a leaving granule only as a whole: some of it may be another's still
      const address whole{round_up(number(part.begin), granule_bytes)};
      const address whole_end{round_down(number(part.end()), granule_bytes)};
      where = part.begin == where.begin ? range{whole, 0} : where;
      part = whole < whole_end ? range{whole, whole_end - whole} : range{whole, 0};
    }
    if (part.bytes > 0) {
      add_parts(index_, part, has_memory, parts);
      where.bytes += part.bytes;
    }
  };
  auto at = first;
  for (; is_usable(at); at = node(at).after) {
    const bool here = node(at).what().state == piece_state::idle;
    if (here != has_memory) {
      end_part();
      part = {node(at).begin(), 0};
      has_memory = here;
    }
    part.bytes += node(at).what().bytes;
  }
  end_part();
  if (where.bytes > 0) {
    holes_.emplace_back(where, std::move(parts));
    movable_ += holes_.back().movable();
  }
  return at;
}

void block_index::hole_list::find_all() {
  for (auto at = index_.pieces_.first(); at != node_id::none;) {
    at = is_usable(at) ? add(at) : node(at).after;
  }
}

void block_index::hole_list::find_vacant() {
  const auto& live = index_.live_;
  for (auto granule = live.next_vacant(0); granule < live.count();) {
    const auto end = live.next_live(granule);
    auto at = index_.pieces_.containing(live.begin_of(granule));
    while (is_usable(at) && is_usable(node(at).before)) {
      at = node(at).before;
    }
    const auto end_address = live.begin_of(end);
    while (at != node_id::none && node(at).begin() < end_address) {
      at = is_usable(at) ? add(at) : node(at).after;
    }
    granule = live.next_vacant(end);
  }
}

std::vector<range> block_index::hole_list::movable_but(range block) const {
  std::vector<range> found;
  const auto first = number(block.begin) / granule_bytes;
  const auto last = block.bytes == 0 ? first : (number(block.end()) - 1) / granule_bytes + 1;
  const auto add_part = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin < end) {
      found.push_back({address{begin * granule_bytes}, (end - begin) * granule_bytes});
    }
  };
  for (const auto& each : holes_) {
    for (const auto& part : each.parts()) {
      if (!part.is_whole || !part.has_memory) {
        continue;
      }
      if (first == last) {
        add_part(part.first, part.last);
      } else {
        add_part(part.first, std::min(part.last, first));
        add_part(std::max(part.first, last), part.last);
      }
    }
  }
  return found;
}

namespace {

// Takes so many bytes out of the stretches: from the smallest that is enough, else from the largest; of equal
// ones from the highest, and of each from its end.
std::vector<range> take_bytes(std::vector<range> stretches, std::uint64_t bytes) {
  std::vector<range> taken;
  while (bytes > 0 && !stretches.empty()) {
    const auto better = [bytes](const range& left, const range& right) {
      const bool is_enough = left.bytes >= bytes;
      if (is_enough != (right.bytes >= bytes)) {
        return is_enough;
      }
      if (left.bytes != right.bytes) {
        return is_enough ? left.bytes < right.bytes : left.bytes > right.bytes;
      }
      return left.begin > right.begin;
    };
    const auto best = std::min_element(stretches.begin(), stretches.end(), better);
    const auto part = std::min(best->bytes, bytes);
    taken.push_back({address{number(best->end()) - part}, part});
    bytes -= part;
    stretches.erase(best);
  }
  std::sort(taken.begin(), taken.end(),
            [](const range& left, const range& right) { return left.begin < right.begin; });
  return taken;
}

}  // namespace

// The same as find_new without free memory, where only large enough holes have to be known.
std::optional<address> block_index::find_in_vacant(std::uint64_t bytes, const reach& allowed) const {
  std::optional<price> best;
  const auto consider = [&](range where) {
    if (where.bytes < bytes) {
      return;
    }
    const hole in(where, hole_list::parts_of_idle(*this, where));
    in.visit_places(bytes, [&](range block) {
      const auto here = in.price_of(block, in.whole());
      best = !best || here < *best ? here : *best;
    });
  };
  for (auto granule = live_.next_vacant(0); granule < live_.count();) {
    const auto end = live_.next_live(granule);
    auto at = pieces_.containing(live_.begin_of(granule));
    while (takeable(at, allowed) && takeable(nodes()[at].before, allowed)) {
      at = nodes()[at].before;
    }
    const auto end_address = live_.begin_of(end);
    while (at != node_id::none && nodes()[at].begin() < end_address) {
      range where{nodes()[at].begin(), 0};
      for (; takeable(at, allowed); at = nodes()[at].after) {
        where.bytes += nodes()[at].what().bytes;
      }
      if (where.bytes > 0) {
        consider(where);
      } else {
        at = nodes()[at].after;
      }
    }
    granule = live_.next_vacant(end);
  }
  return best ? std::optional{best->begin} : std::nullopt;
}

std::optional<new_place> block_index::find_new(std::uint64_t bytes, const reach& allowed, moving from) const {
  if (bytes > window_.bytes) {  // also what could not be rounded up to granules
    return std::nullopt;
  }
  hole_list usable(*this, allowed, true);
  usable.find_vacant();
  const auto movable = from == moving::allowed ? usable.movable() : 0;
  const hole* in = nullptr;
  price best;
  for (const auto& each : usable.holes()) {
    each.visit_places(bytes, [&](range block) {
      auto here = each.price_of(block, movable);
      if (from == moving::not_allowed) {
        here.new_granules = here.without_memory;
      }
      if (in == nullptr || here < best) {
        in = &each;
        best = here;
      }
    });
  }
  if (in == nullptr) {
    return std::nullopt;
  }
  new_place place{{best.begin, bytes}, {}, {}, best.new_granules * granule_bytes};
  const auto first = number(place.block.begin) / granule_bytes;
  const auto last = (number(place.block.end()) - 1) / granule_bytes + 1;
  for (const auto& part : in->parts()) {
    const auto begin = std::max(first, part.first);
    const auto end = std::min(last, part.last);
    if (!part.has_memory && begin < end) {
      place.held.push_back({address{begin * granule_bytes}, (end - begin) * granule_bytes});
    }
  }
  const auto moved = best.without_memory - best.new_granules;
  if (moved > 0) {
    place.given_up = take_bytes(usable.movable_but(place.block), moved * granule_bytes);
  }
  return place;
}

std::optional<new_place> block_index::find_free(std::uint64_t bytes) const {
  const auto smallest = free_.fitting(nodes(), bytes);
  if (smallest == node_id::none) {
    return std::nullopt;
  }
  const range granules{nodes()[smallest].begin(), round_up(bytes, granule_bytes)};
  return new_place{{granules.begin, bytes}, {granules}, {}, granules.bytes};
}

std::vector<range> block_index::find_releasable(std::uint64_t bytes, const reach& allowed,
                                                range spared) const {
  std::vector<range> found;
  auto wanted = round_down(bytes, granule_bytes);
  if (wanted == 0) {
    return found;
  }
  hole_list idle(*this, allowed, false);
  idle.find_vacant();
  const auto take_from = [&](const std::vector<range>& stretches) {
    for (auto at = stretches.rbegin(); at != stretches.rend() && wanted > 0; ++at) {
      const auto part = std::min(at->bytes, wanted);
      found.push_back({address{number(at->end()) - part}, part});
      wanted -= part;
    }
  };
  take_from(idle.movable_but(spared));
  if (spared.bytes > 0 && wanted > 0) {
    const auto begin = round_down(number(spared.begin), granule_bytes);
    const auto end = round_up(number(spared.end()), granule_bytes);
    std::vector<range> under;
    for (const auto& stretch : idle.movable_but({})) {
      const auto first = std::max(number(stretch.begin), begin);
      const auto last = std::min(number(stretch.end()), end);
      if (first < last) {
        under.push_back({address{first}, last - first});
      }
    }
    take_from(under);
  }
  return found;
}

std::uint64_t block_index::largest(std::uint64_t new_bytes, const reach& allowed) const {
  hole_list usable(*this, allowed, true);
  usable.find_all();
  const auto granules = new_bytes / granule_bytes + usable.movable();
  std::uint64_t largest = 0;
  for (const auto& each : usable.holes()) {
    largest = std::max(largest, each.longest(granules));
  }
  return largest;
}

}  // namespace soma::memory
