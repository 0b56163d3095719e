// What a request for a block of a pool gets: the order of the search, and what is given up for it.

#include <algorithm>
#include <limits>

#include "oracle/device_model.hpp"
#include "oracle/known_faults.hpp"

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
  const auto most = bytes / granule * granule + 2 * granule;
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
    if (const auto begin = of.memory.find_idle(wish.units, allowed)) {
      wish.how = how;
      wish.begin = begin;
      wish.allowed = allowed;
      return wish;
    }
  }
  return std::nullopt;
}

std::uint64_t device_model::new_granules(const pool_model& of, const verdict& wish) const {
  const auto unit = of.memory.unit_bytes();
  if (unit == granule) {
    return wish.units;
  }
  return of.memory.fewest_new_granules(wish.units, wish.allowed, known_faults::new_memory_is_of_one_range);
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
// device, of this pool before others. `credit` is memory that this pool has for this request: given up by it,
// or taken from the device. Nothing is given up unless all that there is would do.
bool device_model::grow(std::size_t pool, pressure allowed, verdict& wish, std::uint64_t& credit) {
  auto& of = pools_[pool];
  if (allowed != pressure::none) {
    auto emptied = of;
    const auto given_up = give_up(emptied, emptied.memory.reserved(), allowed);
    const auto needed = new_granules(emptied, wish) * granule;
    if (emptied.memory.reserved() + needed > of.limit) {
      return false;
    }
    if (needed > given_up + credit && !take_from_device(pool, needed - given_up - credit, allowed, credit)) {
      return false;
    }
  }
  while (true) {
    const auto needed = new_granules(of, wish) * granule;
    const auto most = of.limit - of.memory.reserved();
    const auto missing = needed > most ? needed - most : needed > credit ? needed - credit : 0;
    if (missing == 0) {
      wish.new_granules = needed / granule;
      if (of.memory.unit_bytes() == granule) {
        wish.begin = of.memory.smallest_free(wish.units);
      }
      return true;
    }
    if (const auto released = give_up(of, missing, allowed); released > 0) {
      credit += released;
      continue;
    }
    if (needed > most || !take_from_device(pool, missing, allowed, credit)) {
      return false;
    }
  }
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
  wish.how = served::new_memory;
  wish.allowed = without_waiting(of, stream);
  const auto legal = beside_idle(of, wish);
  std::uint64_t credit = 0;
  if (grow(pool, pressure::none, wish, credit)) {
    return wish;
  }
  wish.served_by_order_alone = false;
  if (grow(pool, pressure::seen, wish, credit)) {
    return wish;
  }
  if (of.switches.internal) {
    const rule anything = [](origin) { return true; };
    if (const auto begin = of.memory.find_idle(wish.units, anything)) {
      wish.how = served::internal;
      wish.begin = begin;
      wish.allowed = anything;
      return wish;
    }
  }
  if (grow(pool, pressure::executed, wish, credit)) {
    return wish;
  }
  if (legal && !known_faults::refuses_idle_beside_new) {
    return *legal;
  }
  wish.error = soma::errc::out_of_memory;
  return wish;
}

// A place of idle memory that the stream may have and new granules, wherever they are, for which nothing has
// to be given up.
std::optional<verdict> device_model::beside_idle(const pool_model& of, verdict wish) const {
  if (wish.units > of.limit / of.memory.unit_bytes()) {
    return std::nullopt;
  }
  wish.new_granules = of.memory.fewest_new_granules(wish.units, wish.allowed);
  const auto bytes = wish.new_granules * granule;
  if (of.memory.reserved() + bytes > of.limit || bytes > left()) {
    return std::nullopt;
  }
  return wish;
}

std::optional<std::string> device_model::granted(std::size_t pool, std::size_t stream,
                                                 const verdict& expected, std::uint64_t begin) {
  auto& of = pools_[pool];
  if (auto wrong = of.memory.objection(begin, expected.units, expected.allowed, expected.new_granules)) {
    return wrong;
  }
  if (expected.begin && *expected.begin != begin) {
    return "the place is legal, but another one comes first: unit " + std::to_string(*expected.begin) +
           " instead of " + std::to_string(begin);
  }
  const auto origins = of.memory.occupy(begin, expected.units);
  of.taken_bytes += expected.new_granules * granule;
  of.blocks[begin] = {expected.units, expected.asked};

  std::vector<task_id> awaited;
  if (expected.how == served::internal) {
    const auto in_front = past.up_to(past.last(stream));
    for (const auto from : origins) {
      if (from >= 0 && past.at(from).stream != stream && !in_front[static_cast<std::size_t>(from)]) {
        awaited.push_back(from);
      }
    }
  }
  past.add_allocation(stream, std::move(awaited));

  const auto is_new = [](origin from) { return from == never_used; };
  const bool first_time = expected.new_granules > 0 || std::all_of(origins.begin(), origins.end(), is_new);
  ++of.served_counts[static_cast<std::size_t>(first_time ? served::new_memory : expected.how)];
  of.reserved_high = std::max(of.reserved_high, of.memory.reserved());
  of.used_high = std::max(of.used_high, of.used());
  of.requested_high = std::max(of.requested_high, of.requested());
  return std::nullopt;
}

// By trying: the largest request that the model would serve on a copy of the device without other pools.
std::uint64_t device_model::largest_available(std::size_t pool, std::size_t stream) const {
  const auto unit = pools_[pool].memory.unit_bytes();
  for (auto bytes = pools_[pool].limit; bytes > 0; bytes -= unit) {
    auto copy = *this;
    copy.pools_[pool].switches.internal = false;
    for (std::size_t other = 0; other < copy.pools_.size(); ++other) {
      if (other != pool) {
        auto& kept = copy.pools_[other];  // counts as held, but gives nothing up
        copy.memory_ -= kept.memory.reserved();
        kept.memory = window_model(granule);
      }
    }
    if (!copy.malloc_async(pool, stream, bytes).error) {
      return bytes;
    }
  }
  return 0;
}

}  // namespace oracle
