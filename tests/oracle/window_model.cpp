#include "oracle/window_model.hpp"

#include <algorithm>
#include <limits>
#include <set>

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

std::optional<std::uint64_t> window_model::find_idle(std::uint64_t units, const rule& allowed) const {
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

std::uint64_t window_model::fewest_new_granules(std::uint64_t units, const rule& allowed,
                                                bool of_one_range) const {
  const auto whole = (units + units_per_granule_ - 1) / units_per_granule_;
  const auto margin = whole + 1;
  const auto lowest = held_.empty() ? 0 : held_.begin()->first;
  const auto first = lowest > margin ? lowest - margin : 0;
  const auto last = (held_.empty() ? 0 : held_.rbegin()->first) + margin;

  // For each unit from `first` on: how many units from here on could be taken, walking back from the end.
  const auto count = (last + 1 - first) * units_per_granule_;
  std::vector<bool> takeable(count, true);
  for (const auto& each : stretches()) {
    if (each.busy || !allowed(each.from)) {
      std::fill_n(takeable.begin() + static_cast<std::ptrdiff_t>(each.begin - first * units_per_granule_),
                  each.units, false);
    }
  }
  auto best = whole;  // behind everything
  std::uint64_t stretch_units = 0;
  for (auto begin = count; begin-- > 0;) {
    stretch_units = takeable[begin] ? stretch_units + 1 : 0;
    if (stretch_units < units) {
      continue;
    }
    std::vector<std::uint64_t> fresh;
    for (auto each = begin / units_per_granule_; each <= (begin + units - 1) / units_per_granule_; ++each) {
      if (!held_.contains(first + each)) {
        fresh.push_back(each);
      }
    }
    const bool one_range = fresh.empty() || fresh.back() - fresh.front() + 1 == fresh.size();
    if (one_range || !of_one_range) {
      best = std::min<std::uint64_t>(best, fresh.size());
    }
  }
  return best;
}

std::uint64_t window_model::smallest_free(std::uint64_t granules) const {
  constexpr auto endless = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t best = 0;
  std::uint64_t best_size = 0;
  std::uint64_t begin = 0;
  const auto consider = [&](std::uint64_t size) {
    if (size >= granules && (best_size == 0 || size < best_size)) {
      best = begin;
      best_size = size;
    }
  };
  for (const auto& [number, units] : held_) {
    consider(number - begin);
    begin = number + 1;
  }
  consider(endless - begin);  // the window is larger than anything that a test asks for
  return best;
}

std::optional<std::string> window_model::objection(std::uint64_t begin, std::uint64_t units,
                                                   const rule& allowed, std::uint64_t new_granules) const {
  std::set<std::uint64_t> fresh;
  for (auto place = begin; place < begin + units; ++place) {
    const auto granule_of = held_.find(place / units_per_granule_);
    if (granule_of == held_.end()) {
      fresh.insert(place / units_per_granule_);
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
  if (fresh.size() != new_granules) {
    return "it takes " + std::to_string(fresh.size()) + " new granules instead of " +
           std::to_string(new_granules);
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
  for (auto& [number, units] : held_) {
    for (auto& each : units) {
      if (!each.busy && each.from >= 0 && seen(each.from)) {
        each.from = settled;
      }
    }
  }
}

std::uint64_t window_model::release(std::uint64_t bytes, const rule& allowed) {
  std::vector<std::uint64_t> granules;
  for (auto each = held_.rbegin(); each != held_.rend() && (granules.size() + 1) * granule <= bytes; ++each) {
    const auto may_go = [&](const unit& one) { return !one.busy && allowed(one.from); };
    if (std::all_of(each->second.begin(), each->second.end(), may_go)) {
      granules.push_back(each->first);
    }
  }
  for (const auto number : granules) {
    held_.erase(number);
  }
  return granules.size() * granule;
}

}  // namespace oracle
