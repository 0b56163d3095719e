#include "oracle/window_model.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

namespace oracle {

namespace {

constexpr std::uint64_t endless = std::uint64_t{1} << 50;  // units

}  // namespace

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

namespace {

// The smallest that fits; of equal ones the lowest: they come by rising address.
std::optional<std::uint64_t> smallest(const std::vector<stretch>& candidates, std::uint64_t units) {
  const stretch* best = nullptr;
  for (const auto& each : candidates) {
    if (each.units >= units && (best == nullptr || each.units < best->units)) {
      best = &each;
    }
  }
  return best == nullptr ? std::nullopt : std::optional{best->begin};
}

}  // namespace

std::vector<stretch> window_model::pieces(const rule& allowed) const {
  auto found = stretches();
  std::erase_if(found, [&](const stretch& each) { return each.busy || !allowed(each.from); });
  return found;
}

std::vector<stretch> window_model::runs(const rule& allowed) const {
  std::vector<stretch> found;
  for (const auto& each : pieces(allowed)) {
    if (!found.empty() && found.back().end() == each.begin) {
      found.back().units += each.units;
    } else {
      found.push_back(each);
    }
  }
  return found;
}

bool window_model::is_piece(std::uint64_t begin, std::uint64_t units, const rule& allowed) const {
  const auto all = pieces(allowed);
  return std::any_of(all.begin(), all.end(),
                     [&](const stretch& each) { return each.begin == begin && each.units == units; });
}

bool window_model::starts_piece(std::uint64_t begin, const rule& allowed) const {
  const auto all = pieces(allowed);
  return std::any_of(all.begin(), all.end(), [&](const stretch& each) { return each.begin == begin; });
}

std::optional<std::uint64_t> window_model::find_idle(std::uint64_t units, const rule& allowed) const {
  const auto piece = smallest(pieces(allowed), units);
  return piece ? piece : smallest(runs(allowed), units);
}

std::optional<std::uint64_t> window_model::find_own(std::uint64_t units, const rule& own) const {
  const auto piece = smallest(pieces(own), units);
  return piece && (unit_bytes_ == granule || is_piece(*piece, units, own)) ? piece
                                                                           : smallest(runs(own), units);
}

// The last one is as large as a window can be: larger than all others together.
std::vector<window_model::gap> window_model::gaps() const {
  std::vector<gap> found;
  const auto end = end_of_used();
  std::uint64_t first = 0;
  for (std::uint64_t number = 0; number <= end; ++number) {
    if (number == end || held_.contains(number) || left_.contains(number)) {
      if (number > first && number < end) {
        found.push_back({first, number - first});
      }
      first = number == end ? first : number + 1;
    }
  }
  found.push_back({first, endless});
  return found;
}

std::uint64_t window_model::end_of_used() const {
  const auto held = held_.empty() ? 0 : held_.rbegin()->first + 1;
  return std::max(held, left_.empty() ? 0 : left_.rbegin()->first + 1);
}

bool window_model::may_return(std::uint64_t number, const rule& allowed) const {
  const auto& frees = left_.at(number);
  return std::all_of(frees.begin(), frees.end(), [&](const auto& free) {
    return allowed(free.first) && free.second == frees.begin()->second;
  });
}

// In units, the end of the part of the window in which a place for a block may have to be looked for.
std::uint64_t window_model::end_for(std::uint64_t units) const {
  const auto whole = (units + units_per_granule_ - 1) / units_per_granule_;
  return (end_of_used() + whole + 1) * units_per_granule_;
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
  return {best->first * units_per_granule_, granules, granules, 1};
}

place window_model::find_new(std::uint64_t units, const rule& allowed) const {
  enum class kind : char { blocked, vacant, idle };
  std::vector<kind> kinds(end_for(units), kind::vacant);
  const auto fill = [&](std::uint64_t begin, std::uint64_t count, kind value) {
    std::fill_n(kinds.begin() + static_cast<std::ptrdiff_t>(begin), count, value);
  };
  for (const auto& each : stretches()) {
    fill(each.begin, each.units, each.busy || !allowed(each.from) ? kind::blocked : kind::idle);
  }
  for (const auto& [number, frees] : left_) {
    if (!may_return(number, allowed)) {
      fill(number * units_per_granule_, units_per_granule_, kind::blocked);
    }
  }
  const auto is_bound = [&](std::uint64_t at) {
    return at == 0 || at == kinds.size() || kinds[at - 1] != kinds[at];
  };
  std::vector<stretch> gaps;
  for (std::uint64_t at = 0; at < kinds.size(); ++at) {
    if (kinds[at] != kind::vacant) {
      continue;
    }
    if (at == 0 || kinds[at - 1] != kind::vacant) {
      gaps.push_back({at, 0});
    }
    ++gaps.back().units;
  }
  if (!gaps.empty() && gaps.back().end() == kinds.size()) {
    gaps.back().units = endless;
  }
  const auto movable = releasable(allowed) / granule;
  std::optional<std::array<std::uint64_t, 5>>
      best;                  // new granules, held, size of gaps, begin, number of gaps
  std::uint64_t usable = 0;  // units up to here without a blocked one
  for (std::uint64_t end = 0; end <= kinds.size(); ++end) {
    if (end > 0) {
      usable = kinds[end - 1] == kind::blocked ? 0 : usable + 1;
    }
    if (usable < units || !(is_bound(end - units) || is_bound(end))) {
      continue;
    }
    const auto begin = end - units;
    std::array<std::uint64_t, 5> here{0, 0, 0, begin, 0};
    std::uint64_t whole = 0;
    for (auto number = begin / units_per_granule_; number <= (end - 1) / units_per_granule_; ++number) {
      const auto first = kinds.begin() + static_cast<std::ptrdiff_t>(number * units_per_granule_);
      const auto last = first + static_cast<std::ptrdiff_t>(units_per_granule_);
      whole += std::find(first, last, kind::blocked) == last ? 1U : 0U;
      here[1] += *first == kind::vacant ? 1U : 0U;
    }
    here[0] = whole > movable ? whole - movable : 0;
    for (const auto& each : gaps) {
      if (each.begin < end && begin < each.end()) {
        here[2] += each.units;
        ++here[4];
      }
    }
    best = best ? std::min(*best, here) : here;
  }
  return {(*best)[3], (*best)[1], (*best)[0], (*best)[4]};
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
  for (const auto& [number, frees] : left_) {
    fresh[number] = may_return(number, allowed);
    for (std::uint64_t each = 0; each < units_per_granule_; ++each) {
      usable[number * units_per_granule_ + each] = fresh[number];
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
    const auto number = place / units_per_granule_;
    if (left_.contains(number) && !may_return(number, allowed)) {
      return "it takes addresses that memory has left, and that the stream may not have";
    }
    const auto granule_of = held_.find(number);
    if (granule_of == held_.end()) {
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
    left_.erase(place / units_per_granule_);
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
  for (auto& [number, units] : held_) {
    for (auto& each : units) {
      if (!each.busy && each.from >= 0 && seen(each.from)) {
        each.from = settled;
      }
    }
  }
  for (auto each = left_.begin(); each != left_.end();) {
    std::erase_if(each->second, [&](const auto& free) { return seen(free.first); });
    each = each->second.empty() ? left_.erase(each) : std::next(each);
  }
}

std::uint64_t window_model::movable(const rule& allowed, const rule& may_be_given_up) const {
  return static_cast<std::uint64_t>(std::count_if(held_.begin(), held_.end(),
                                                  [&](const auto& each) {
                                                    return may_go(each.second, allowed) ||
                                                           may_go(each.second, may_be_given_up);
                                                  })) *
         granule;
}

std::uint64_t window_model::releasable(const rule& allowed) const {
  return static_cast<std::uint64_t>(std::count_if(
             held_.begin(), held_.end(), [&](const auto& each) { return may_go(each.second, allowed); })) *
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
  return remove(bytes, allowed, spared, nullptr);
}

released window_model::move_away(std::uint64_t granules, const rule& allowed, const stretch& spared,
                                 const stream_of& stream) {
  return remove(granules * granule, allowed, spared, &stream);
}

released window_model::remove(std::uint64_t bytes, const rule& allowed, const stretch& spared,
                              const stream_of* left) {
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
      for (const auto& [busy, from] : each->second) {
        if (left != nullptr && from >= 0) {
          left_[number][from] = (*left)(from);
          sum.origins.insert(from);
        }
      }
      each = held_.erase(each);
    }
  }
  return sum;
}

}  // namespace oracle
