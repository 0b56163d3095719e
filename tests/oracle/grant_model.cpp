// What a request for a block of a pool gets: the order of the search, and what is given up for it.

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "oracle/device_model.hpp"

namespace oracle {

namespace {

// The stream's own frees; those in front of its next task; those that were executed. Each takes in the one
// before it.
rule own(const history& past, std::size_t stream) {
  return [&past, stream](origin from) { return from >= 0 && past.at(from).stream == stream; };
}

rule ordered(const history& past, std::size_t stream, bool by_events) {
  auto in_front = past.up_to(past.last(stream));
  return [&past, stream, by_events, in_front = std::move(in_front)](origin from) {
    return from < 0 || past.at(from).stream == stream ||
           (by_events && in_front[static_cast<std::size_t>(from)]);
  };
}

}  // namespace

rule device_model::without_waiting(const pool_model& of, std::size_t stream) const {
  const auto by_order = ordered(past, stream, of.switches.event);
  if (!of.switches.opportunistic) {
    return by_order;
  }
  return [by_order, executed = executed()](origin from) { return by_order(from) || executed(from); };
}

bool device_model::depends_on_execution(std::size_t pool, std::uint64_t bytes) const {
  const auto& of = pools_[pool];
  const auto most = std::min(bytes, of.limit) / granule * granule + 2 * granule;
  return of.switches.opportunistic || of.memory.reserved() + most > of.limit || most > left();
}

bool device_model::will_get_memory_back() const {
  return std::any_of(pools_.begin(), pools_.end(),
                     [](const auto& each) { return each.destroyed && each.memory.reserved() > 0; }) ||
         std::any_of(plain_blocks_.begin(), plain_blocks_.end(),
                     [](const auto& each) { return each.second.freed_by != no_task; });
}

std::optional<verdict> device_model::reuse(pool_model& of, std::size_t stream, verdict wish) const {
  const std::pair<served, rule> steps[] = {
      {served::same_stream, own(past, stream)},
      {served::event, ordered(past, stream, of.switches.event)},
      {served::opportunistic, without_waiting(of, stream)},
  };
  for (const auto& [how, allowed] : steps) {
    if (const auto begin = how == served::same_stream ? of.memory.find_own(wish.units, allowed)
                                                      : of.memory.find_idle(wish.units, allowed)) {
      wish.how = how;
      wish.begin = *begin;
      wish.allowed = allowed;
      return wish;
    }
  }
  return std::nullopt;
}

// A block of whole granules consists of new memory alone if nothing has to be given up for that.
place device_model::growth_place(const pool_model& of, const verdict& wish, pressure allowed) const {
  const auto bytes = wish.units * of.memory.unit_bytes();
  if (of.memory.unit_bytes() == granule && allowed == pressure::none && bytes <= left() &&
      of.memory.reserved() + bytes <= of.limit) {
    return of.memory.find_free(wish.units);
  }
  auto where = of.memory.find_new(wish.units, wish.allowed);
  // Nothing moves as long as the pool has no more than was ever used and 1/64 of it; after memory was given
  // up 512 times, 1/1024 of it more for each time beyond.
  const auto all = where.held * granule;
  const auto often = of.returns > 512 ? of.returns - 512 : 0;
  const auto kept = of.used_high + of.used_high / 64 + of.used_high / 1024 * often;
  if (allowed == pressure::none && all <= left() && of.memory.reserved() + all <= std::min(of.limit, kept)) {
    where.new_granules = where.held;
  }
  return where;
}

// Takes memory of the device for a pool, if need be after other pools have given some up.
bool device_model::take_from_device(std::size_t pool, std::uint64_t bytes, pressure allowed,
                                    std::uint64_t& credit) {
  for (std::size_t other = 0; other < pools_.size() && left() - credit < bytes; ++other) {
    if (other != pool) {
      give_up(pools_[other], bytes - (left() - credit), allowed);
    }
  }
  if (left() - credit < bytes) {
    return false;
  }
  credit += bytes;
  return true;
}

// Growing, with what may be given up for it: first what is above the limit, then what is missing on the
// device, of this pool before others, and what the block could use last. `credit` is memory that this pool
// has for this request: given up by it, or taken from the device. Nothing is given up unless all that there
// is would do.
bool device_model::grow(std::size_t pool, pressure allowed, verdict& wish, std::uint64_t& credit) {
  auto& of = pools_[pool];
  if (allowed != pressure::none) {
    auto emptied = of;
    const auto given_up = give_up(emptied, emptied.memory.reserved(), allowed);
    const auto needed = emptied.memory.find_new(wish.units, wish.allowed).new_granules * granule;
    if (emptied.memory.reserved() + needed > of.limit) {
      return false;
    }
    if (needed > given_up + credit && !take_from_device(pool, needed - given_up - credit, allowed, credit)) {
      return false;
    }
  }
  while (true) {
    const auto where = growth_place(of, wish, allowed);
    const auto needed = where.new_granules * granule;
    const auto most = of.limit - of.memory.reserved();
    const auto missing = needed > most ? needed - most : needed > credit ? needed - credit : 0;
    if (missing == 0) {
      wish.begin = where.begin;
      wish.new_granules = where.new_granules;
      wish.held = where.held;
      wish.gaps = where.gaps;
      move_away(of, wish);
      return true;
    }
    if (const auto given_up = give_up(of, missing, allowed, {where.begin, wish.units}); given_up > 0) {
      credit += given_up;
      continue;
    }
    if (needed > most || !take_from_device(pool, missing, allowed, credit)) {
      return false;
    }
  }
}

// Idle memory from elsewhere comes to the granules of the block that have none.
void device_model::move_away(pool_model& of, verdict& wish) const {
  const auto stream = [this](origin from) { return past.at(from).stream; };
  const auto moved =
      of.memory.move_away(wish.held - wish.new_granules, wish.allowed, {wish.begin, wish.units}, stream);
  of.returns += moved.ranges;
  of.returned_bytes += moved.bytes;
  of.moved += moved.bytes / granule;
  wish.moved = moved.origins;
}

verdict device_model::malloc_async(std::size_t pool, std::size_t stream, std::uint64_t bytes) {
  auto& of = pools_[pool];
  const auto unit = of.memory.unit_bytes();
  verdict wish;
  if (bytes == 0 || bytes > std::numeric_limits<std::uint64_t>::max() - (unit - 1)) {
    wish.error = soma::errc::invalid_argument;
    return wish;
  }
  wish.asked = bytes;
  wish.units = (bytes + unit - 1) / unit;
  if (auto found = reuse(of, stream, wish)) {
    return *found;
  }
  if (wish.units > of.limit / unit) {
    wish.error = soma::errc::out_of_memory;
    return wish;
  }
  wish = serve(pool, stream, std::move(wish));
  if (wish.error && could_serve(pool, stream, wish)) {
    throw std::logic_error("the model itself refuses what is legal");
  }
  return wish;
}

// The search behind reuse, in its order.
verdict device_model::serve(std::size_t pool, std::size_t stream, verdict wish) {
  auto& of = pools_[pool];
  const auto reusable = without_waiting(of, stream);
  const rule anything = [](origin) { return true; };
  std::uint64_t credit = 0;
  const auto grows = [&](pressure allowed, served how) {
    wish.how = how;
    wish.allowed = how == served::internal ? anything : reusable;
    return grow(pool, allowed, wish, credit);
  };
  if (grows(pressure::none, served::new_memory)) {
    return wish;
  }
  wish.served_by_order_alone = false;
  if (grows(pressure::seen, served::new_memory)) {
    return wish;
  }
  if (of.switches.internal) {
    if (const auto begin = of.memory.find_idle(wish.units, anything)) {
      wish.how = served::internal;
      wish.begin = *begin;
      wish.allowed = anything;
      return wish;
    }
    if (grows(pressure::seen, served::internal)) {
      return wish;
    }
  }
  if (grows(pressure::executed, served::new_memory) ||
      (of.switches.internal && grows(pressure::executed, served::internal))) {
    return wish;
  }
  wish.error = soma::errc::out_of_memory;
  return wish;
}

// D20, without any order of search: is there a place at all that consists of idle memory that the stream may
// have, now or after a wait, of free granules, and of idle granules that may be released? Then those outside
// of the place may go for its new granules, here and in other pools.
bool device_model::could_serve(std::size_t pool, std::size_t stream, const verdict& wish) const {
  const auto& of = pools_[pool];
  const rule allowed = of.switches.internal ? rule([](origin) { return true; }) : without_waiting(of, stream);
  const auto may_go = may_be_given_up(pressure::executed);
  const auto needed = of.memory.fewest_granules(wish.units, allowed, may_go) * granule;
  const auto own = of.memory.movable(allowed, may_go);
  std::uint64_t all = own;
  for (const auto& each : pools_) {
    all += &each == &of ? 0 : each.memory.releasable(may_go);
  }
  return of.memory.reserved() - own + needed <= of.limit && needed <= left() + all;
}

std::optional<std::string> device_model::granted(std::size_t pool, std::size_t stream,
                                                 const verdict& expected, std::uint64_t begin,
                                                 bool may_be_lent) {
  auto& of = pools_[pool];
  if (auto wrong = of.memory.objection(begin, expected.units, expected.allowed)) {
    return wrong;
  }
  // What is lent to a stream is pieces that are not joined with neighbours: the stream may take any of just
  // the right size, and where there is none and blocks may be smaller than a granule, any that it freed.
  const bool any_size = of.memory.unit_bytes() < granule &&
                        !of.memory.is_piece(expected.begin, expected.units, expected.allowed);
  const bool is_own = may_be_lent && expected.how == served::same_stream &&
                      (any_size ? of.memory.starts_piece(begin, expected.allowed)
                                : of.memory.is_piece(expected.begin, expected.units, expected.allowed) &&
                                      of.memory.is_piece(begin, expected.units, expected.allowed));
  if (expected.begin != begin && !is_own) {
    return "the place is legal, but another one comes first: unit " + std::to_string(expected.begin) +
           " instead of " + std::to_string(begin);
  }
  const auto origins = of.memory.occupy(begin, expected.units);
  of.takes += expected.gaps;
  of.taken_bytes += expected.held * granule;
  of.blocks[begin] = {expected.units, expected.asked};

  std::vector<task_id> awaited;
  if (expected.how == served::internal) {
    const auto in_front = past.up_to(past.last(stream));
    auto freed_by = expected.moved;
    freed_by.insert(origins.begin(), origins.end());
    for (const auto from : freed_by) {
      if (from >= 0 && past.at(from).stream != stream && !in_front[static_cast<std::size_t>(from)]) {
        awaited.push_back(from);
      }
    }
  }
  const auto is_new = [](origin from) { return from == never_used; };
  const bool first_time = awaited.empty() && std::all_of(origins.begin(), origins.end(), is_new);
  past.add_allocation(stream, std::move(awaited));

  ++of.served_counts[static_cast<std::size_t>(first_time ? served::new_memory : expected.how)];
  of.reserved_high = std::max(of.reserved_high, of.memory.reserved());
  of.used_high = std::max(of.used_high, of.used());
  of.requested_high = std::max(of.requested_high, of.requested());
  return std::nullopt;
}

bool device_model::would_serve(std::size_t pool, std::size_t stream, std::uint64_t bytes) const {
  auto copy = *this;
  copy.pools_[pool].switches.internal = false;
  for (std::size_t other = 0; other < copy.pools_.size(); ++other) {
    if (other != pool) {
      auto& kept = copy.pools_[other];  // counts as held, but gives nothing up
      copy.memory_ -= kept.memory.reserved();
      kept.memory = window_model(granule);
    }
  }
  return !copy.malloc_async(pool, stream, bytes).error;
}

bool device_model::is_largest(std::size_t pool, std::size_t stream, std::uint64_t bytes) const {
  const auto unit = pools_[pool].memory.unit_bytes();
  return bytes % unit == 0 && (bytes == 0 || would_serve(pool, stream, bytes)) &&
         !would_serve(pool, stream, bytes + unit);
}

}  // namespace oracle
