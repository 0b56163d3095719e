#include "oracle/window_model.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace oracle {

std::vector<stretch> window_model::stretches() const {
  std::vector<stretch> found;
  for (const auto& [number, units] : held_) {
    for (std::size_t each = 0; each < units.size(); ++each) {
      const auto place = number * units_per_granule_ + each;
      const auto& [busy, from] = units[each];
      if (!found.empty() && found.back().end() == place && found.back().busy == busy &&
          (busy || found.back().from == from)) {
        ++found.back().units;
      } else {
        found.push_back({place, 1, busy, from});
      }
    }
  }
  return found;
}

std::optional<std::uint64_t> window_model::find_idle(std::uint64_t units, const rule& allowed,
                                                     const owner_of_origin& owner) const {
  if (units_per_granule_ == 1) {
    return find_idle_granules(units, allowed);
  }
  if (const auto found = find_beside_live(units, allowed, &owner)) {
    return found;
  }
  if (const auto found = find_beside_live(units, allowed, nullptr)) {
    return found;
  }
  std::optional<std::array<std::uint64_t, 3>> best;
  visit_places(units, holes(allowed, false), [&](std::uint64_t begin, const hole& in) {
    std::array<std::uint64_t, 3> here{0, in.units, begin};
    for (auto each = begin / units_per_granule_; each <= (begin + units - 1) / units_per_granule_; ++each) {
      here[0] += is_live(each) ? 0U : 1U;
    }
    best = best ? std::min(*best, here) : here;
  });
  return best ? std::optional{(*best)[2]} : std::nullopt;
}

// The smallest run in granules with something live; of one owner each, if that is given.
std::optional<std::uint64_t> window_model::find_beside_live(std::uint64_t units, const rule& allowed,
                                                            const owner_of_origin* owner) const {
  std::optional<std::array<std::uint64_t, 3>> best;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::optional<std::int64_t> of;
  const auto end_run = [&] {
    const bool is_at_bound = begin % units_per_granule_ == 0 || (begin + size) % units_per_granule_ == 0;
    if (const std::array<std::uint64_t, 3> here{is_at_bound ? 1U : 0U, size, begin};
        size >= units && (!best || here < *best)) {
      best = here;
    }
    size = 0;
  };
  for (const auto& [number, held] : held_) {
    for (std::uint64_t each = 0; each < units_per_granule_; ++each) {
      const auto place = number * units_per_granule_ + each;
      if (held[each].busy || !allowed(held[each].from) || !is_live(number)) {
        end_run();
        continue;
      }
      const auto whose = owner == nullptr ? std::optional<std::int64_t>{} : (*owner)(held[each].from);
      if (size > 0 && (place != begin + size || whose != of)) {
        end_run();
      }
      begin = size == 0 ? place : begin;
      of = whose;
      ++size;
    }
  }
  end_run();
  return best ? std::optional{(*best)[2]} : std::nullopt;
}

std::optional<std::uint64_t> window_model::find_idle_granules(std::uint64_t units,
                                                              const rule& allowed) const {
  std::vector<stretch> pieces;
  std::vector<stretch> runs;
  for (const auto& each : stretches()) {
    if (each.busy || !allowed(each.from)) {
      continue;
    }
    pieces.push_back(each);
    if (!runs.empty() && runs.back().end() == each.begin) {
      runs.back().units += each.units;
    } else {
      runs.push_back(each);
    }
  }
  for (const auto* candidates : {&pieces, &runs}) {
    const stretch* best = nullptr;
    for (const auto& each : *candidates) {  // by rising address: an equal one does not replace it
      if (each.units >= units && (best == nullptr || each.units < best->units)) {
        best = &each;
      }
    }
    if (best != nullptr) {
      return best->begin;
    }
  }
  return std::nullopt;
}

// The free granules between the others. The last gap is as large as a window can be: larger than all others
// together.
std::vector<window_model::gap> window_model::gaps() const {
  constexpr std::uint64_t endless = std::uint64_t{1} << 40;
  std::set<std::uint64_t> others;
  for (const auto* granules : {&held_, &left_}) {
    for (const auto& [number, units] : *granules) {
      others.insert(number);
    }
  }
  std::vector<gap> found;
  std::uint64_t first = 0;
  for (const auto number : others) {
    if (number > first) {
      found.push_back({first, number - first});
    }
    first = number + 1;
  }
  found.push_back({first, endless});
  return found;
}

// In units, the end of the part of the window in which a place for a block may have to be looked for.
std::uint64_t window_model::end_for(std::uint64_t units) const {
  const auto whole = (units + units_per_granule_ - 1) / units_per_granule_;
  const auto last =
      std::max(held_.empty() ? 0 : held_.rbegin()->first + 1, left_.empty() ? 0 : left_.rbegin()->first + 1);
  return (last + whole + 1) * units_per_granule_;
}

place window_model::find_free(std::uint64_t units) const {
  const auto granules = (units + units_per_granule_ - 1) / units_per_granule_;
  const gap* best = nullptr;
  const auto all = gaps();
  for (const auto& each : all) {
    if (each.granules >= granules && (best == nullptr || each.granules < best->granules)) {
      best = &each;
    }
  }
  return {best->first * units_per_granule_, granules, granules, 1, {}, 0};
}

bool window_model::is_live(std::uint64_t number) const {
  const auto held = held_.find(number);
  return held != held_.end() &&
         std::any_of(held->second.begin(), held->second.end(), [](const unit& each) { return each.busy; });
}

// Whether all of it may be taken, with its memory or, if it has none, as addresses.
bool window_model::is_whole(std::uint64_t number, const rule& allowed) const {
  for (const auto* granules : {&held_, &left_}) {
    if (const auto found = granules->find(number); found != granules->end()) {
      return may_go(found->second, allowed);
    }
  }
  return true;
}

// The longest stretches of idle memory that may be taken, or also of addresses without memory: of those that
// have left only whole granules.
std::vector<window_model::hole> window_model::holes(const rule& allowed, bool with_free) const {
  std::vector<hole> found;
  const auto add = [&](std::uint64_t begin, std::uint64_t units) {
    if (!found.empty() && found.back().end() == begin) {
      found.back().units += units;
    } else {
      found.push_back({begin, units});
    }
  };
  const auto all_gaps = gaps();
  auto next_gap = all_gaps.begin();
  for (std::uint64_t number = 0;; ++number) {
    const auto begin = number * units_per_granule_;
    if (const auto held = held_.find(number); held != held_.end()) {
      for (std::uint64_t each = 0; each < units_per_granule_; ++each) {
        if (!held->second[each].busy && allowed(held->second[each].from)) {
          add(begin + each, 1);
        }
      }
    } else if (left_.contains(number)) {
      if (with_free && is_whole(number, allowed)) {
        add(begin, units_per_granule_);
      }
    } else {
      if (with_free) {
        add(begin, next_gap->granules * units_per_granule_);
      }
      number += next_gap->granules - 1;
      if (++next_gap == all_gaps.end()) {
        return found;
      }
    }
  }
}

// Moved down to where its hole or its first granule begins, a block costs no more.
template <class Visit>
void window_model::visit_places(std::uint64_t units, const std::vector<hole>& in, Visit visit) const {
  const auto end = end_for(units);
  for (const auto& each : in) {
    for (auto begin = each.begin; begin + units <= std::min(each.end(), end);
         begin = (begin / units_per_granule_ + 1) * units_per_granule_) {
      visit(begin, each);
    }
  }
}

place window_model::find_new(std::uint64_t units, const rule& allowed, bool moves) const {
  std::vector<std::uint64_t> movable;
  for (const auto& [number, held] : held_) {
    if (moves && may_go(held, allowed)) {
      movable.push_back(number);
    }
  }
  std::optional<std::array<std::uint64_t, 5>> best;
  visit_places(units, holes(allowed, true), [&](std::uint64_t begin, const hole& in) {
    std::uint64_t whole = 0;
    std::uint64_t without_memory = 0;
    std::uint64_t vacant = 0;
    for (auto each = begin / units_per_granule_; each <= (begin + units - 1) / units_per_granule_; ++each) {
      const bool is_all =
          each * units_per_granule_ >= in.begin && (each + 1) * units_per_granule_ <= in.end();
      whole += is_all && is_whole(each, allowed) ? 1U : 0U;
      without_memory += held_.contains(each) ? 0U : 1U;
      vacant += is_live(each) ? 0U : 1U;
    }
    const auto needed = moves ? whole : without_memory;
    const std::array<std::uint64_t, 5> here{needed > movable.size() ? needed - movable.size() : 0, vacant,
                                            without_memory, in.units, begin};
    best = best ? std::min(*best, here) : here;
  });
  place found;
  found.begin = (*best)[4];
  found.new_granules = (*best)[0];
  found.held_granules = (*best)[2];
  bool was_held = true;
  for (auto each = found.begin / units_per_granule_; each <= (found.begin + units - 1) / units_per_granule_;
       ++each) {
    found.gaps += was_held && !held_.contains(each) ? 1U : 0U;
    was_held = held_.contains(each);
    std::erase(movable, each);
  }
  found.given_up_ranges =
      take_granules(std::move(movable), found.held_granules - found.new_granules, found.given_up);
  return found;
}

// Returns from how many stretches they come.
std::uint64_t window_model::take_granules(std::vector<std::uint64_t> from, std::uint64_t count,
                                          std::vector<std::uint64_t>& taken) {
  std::uint64_t ranges = 0;
  for (; count > 0; ++ranges) {
    std::vector<std::vector<std::uint64_t>> runs;
    for (const auto each : from) {
      if (runs.empty() || runs.back().back() + 1 != each) {
        runs.emplace_back();
      }
      runs.back().push_back(each);
    }
    const auto best =
        std::min_element(runs.begin(), runs.end(), [count](const auto& left, const auto& right) {
          const bool enough = left.size() >= count;
          if (enough != (right.size() >= count)) {
            return enough;
          }
          if (left.size() != right.size()) {
            return enough == (left.size() < right.size());
          }
          return left.front() > right.front();
        });
    const auto part = std::min<std::uint64_t>(count, best->size());
    taken.insert(taken.end(), best->end() - static_cast<std::ptrdiff_t>(part), best->end());
    count -= part;
    for (const auto each : *best) {
      std::erase(from, each);
    }
  }
  std::sort(taken.begin(), taken.end());
  return ranges;
}

// What was never used is everybody's, like what is settled.
void window_model::prepare(const place& where, std::uint64_t units) {
  for (const auto each : where.given_up) {
    left_[each] = std::move(held_.at(each));
    held_.erase(each);
    for (auto& part : left_[each]) {
      part.from = part.from == never_used ? settled : part.from;
    }
  }
  free_settled();
  for (auto each = where.begin / units_per_granule_; each <= (where.begin + units - 1) / units_per_granule_;
       ++each) {
    if (const auto left = left_.find(each); left != left_.end()) {
      held_[each] = std::move(left->second);
      left_.erase(left);
    } else {
      held_[each].resize(units_per_granule_);
    }
  }
}

void window_model::free_settled() {
  std::erase_if(left_, [](const auto& left) {
    return std::all_of(left.second.begin(), left.second.end(),
                       [](const unit& each) { return each.from == settled; });
  });
}

std::set<origin> window_model::origins_of(const std::vector<std::uint64_t>& granules) const {
  std::set<origin> found;
  for (const auto each : granules) {
    for (const auto& part : held_.at(each)) {
      found.insert(part.from);
    }
  }
  return found;
}

bool window_model::may_go(const std::vector<unit>& units, const rule& allowed) const {
  return std::all_of(units.begin(), units.end(),
                     [&](const unit& each) { return !each.busy && allowed(each.from); });
}

std::uint64_t window_model::fewest_granules(std::uint64_t units, const rule& allowed,
                                            const rule& may_be_given_up) const {
  const auto end = end_for(units);
  std::vector<bool> usable(end, true);
  std::vector<bool> fresh(end / units_per_granule_, true);
  for (const auto& [number, held] : held_) {
    fresh[number] = may_go(held, may_be_given_up) || may_go(held, allowed);
    for (std::uint64_t each = 0; each < units_per_granule_; ++each) {
      usable[number * units_per_granule_ + each] =
          fresh[number] || (!held[each].busy && allowed(held[each].from));
    }
  }
  for (const auto& [number, left] : left_) {
    for (std::uint64_t each = 0; each < units_per_granule_; ++each) {
      usable[number * units_per_granule_ + each] = may_go(left, allowed);
    }
  }
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t run = 0;
  for (std::uint64_t last = 0; last < end; ++last) {
    run = usable[last] ? run + 1 : 0;
    if (run < units) {
      continue;
    }
    const auto from = fresh.begin() + static_cast<std::ptrdiff_t>((last + 1 - units) / units_per_granule_);
    const auto to = fresh.begin() + static_cast<std::ptrdiff_t>(last / units_per_granule_ + 1);
    fewest = std::min(fewest, static_cast<std::uint64_t>(std::count(from, to, true)));
  }
  return fewest;
}

std::optional<std::string> window_model::objection(std::uint64_t begin, std::uint64_t units,
                                                   const rule& allowed) const {
  for (auto place = begin; place < begin + units; ++place) {
    const auto granule_of = held_.find(place / units_per_granule_);
    if (granule_of == held_.end()) {
      if (!is_whole(place / units_per_granule_, allowed)) {
        return "it takes addresses that have been left, but not for the stream";
      }
      continue;
    }
    const auto& [busy, from] = granule_of->second[place % units_per_granule_];
    const auto where = " at unit " + std::to_string(place - begin) + " of the block";
    if (busy) {
      return "it overlaps a live block" + where;
    }
    if (!allowed(from)) {
      return "it takes idle memory that the stream may not have" + where;
    }
  }
  return std::nullopt;
}

std::vector<origin> window_model::occupy(std::uint64_t begin, std::uint64_t units) {
  std::set<origin> origins;
  for (auto place = begin; place < begin + units; ++place) {
    auto& held = held_[place / units_per_granule_];
    held.resize(units_per_granule_);
    auto& taken = held[place % units_per_granule_];
    origins.insert(taken.from);
    taken.busy = true;
  }
  return {origins.begin(), origins.end()};
}

void window_model::vacate(std::uint64_t begin, std::uint64_t units, origin from) {
  for (auto place = begin; place < begin + units; ++place) {
    held_.at(place / units_per_granule_)[place % units_per_granule_] = {false, from};
  }
}

void window_model::settle(const rule& seen) {
  for (auto* granules : {&held_, &left_}) {
    for (auto& [number, units] : *granules) {
      for (auto& each : units) {
        if (!each.busy && each.from >= 0 && seen(each.from)) {
          each.from = settled;
        }
      }
    }
  }
  free_settled();
}

std::uint64_t window_model::releasable(const rule& allowed) const {
  return static_cast<std::uint64_t>(std::count_if(
             held_.begin(), held_.end(), [&](const auto& each) { return may_go(each.second, allowed); })) *
         granule;
}

std::uint64_t window_model::replaceable(const rule& allowed, const rule& may_be_given_up) const {
  return static_cast<std::uint64_t>(std::count_if(held_.begin(), held_.end(),
                                                  [&](const auto& each) {
                                                    return may_go(each.second, allowed) ||
                                                           may_go(each.second, may_be_given_up);
                                                  })) *
         granule;
}

std::set<origin> window_model::origins() const {
  std::set<origin> found;
  for (const auto& each : stretches()) {
    if (!each.busy) {
      found.insert(each.from);
    }
  }
  return found;
}

released window_model::release(std::uint64_t bytes, const rule& allowed, const stretch& spared) {
  released sum;
  for (const bool also_spared : {false, true}) {
    std::optional<std::uint64_t> above;  // the granule released before, if it is just above
    for (auto each = held_.end(); each != held_.begin() && sum.bytes + granule <= bytes;) {
      --each;
      const auto number = each->first;
      const bool is_spared = number * units_per_granule_ < spared.end() &&
                             spared.begin < (number + 1) * units_per_granule_ && spared.units > 0;
      if (is_spared != also_spared || !may_go(each->second, allowed)) {
        continue;
      }
      sum.bytes += granule;
      sum.ranges += above == number + 1 ? 0U : 1U;
      above = number;
      each = held_.erase(each);
    }
  }
  return sum;
}

}  // namespace oracle
