#include "memory/departing_memory.hpp"

#include <utility>

#include "memory/sizes.hpp"

namespace soma::memory {

namespace {

template <class Addresses, class Key>
std::vector<range> joined(const Addresses& granules, Key key) {
  std::vector<range> found;
  for (const auto& each : granules) {
    const address begin = key(each);
    if (!found.empty() && found.back().end() == begin) {
      found.back().bytes += granule_bytes;
    } else {
      found.push_back({begin, granule_bytes});
    }
  }
  return found;
}

}  // namespace

void departing_memory::add(range granules, const std::vector<position>& frees) {
  for (auto at = granules.begin; at < granules.end(); at = at + granule_bytes) {
    granules_[at] = frees.size();
    if (frees.empty()) {
      due_.insert(at);
    }
    for (const auto free : frees) {
      awaited_[free].push_back(at);
    }
  }
}

void departing_memory::executed(position free) {
  if (!awaited_.empty()) {
    executed_up_to(free);
  }
}

void departing_memory::executed(const order_clock& frees) {
  if (!awaited_.empty()) {
    for (const auto last : frees.positions()) {
      executed_up_to(last);
    }
  }
}

void departing_memory::executed_up_to(position last) {
  auto at = awaited_.lower_bound({last.stream, sequence_number::none});
  while (at != awaited_.end() && at->first <= last) {
    for (const auto granule : at->second) {
      if (const auto waiting = granules_.find(granule);
          waiting != granules_.end() && --waiting->second == 0) {
        due_.insert(granule);
      }
    }
    at = awaited_.erase(at);
  }
}

void departing_memory::keep(range granules) {
  auto at = granules_.lower_bound(granules.begin);
  while (at != granules_.end() && at->first < granules.end()) {
    const auto granule = at->first;
    if (at->second > 0) {
      for (auto& [free, waiting] : awaited_) {
        std::erase(waiting, granule);
      }
    }
    due_.erase(granule);
    at = granules_.erase(at);
  }
}

std::vector<range> departing_memory::due() const {
  return joined(due_, [](address begin) { return begin; });
}

std::vector<range> departing_memory::all() const {
  return joined(granules_, [](const auto& each) { return each.first; });
}

void departing_memory::gone(range granules) {
  for (auto at = granules.begin; at < granules.end(); at = at + granule_bytes) {
    due_.erase(at);
    granules_.erase(at);
  }
}

}  // namespace soma::memory
