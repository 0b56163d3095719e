#include "tools/report_pressure.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace soma::tools {

namespace {

std::vector<std::size_t> highest_moments(const std::vector<replay_moment>& moments) {
  constexpr std::size_t parts = 40;
  const std::size_t apart = std::max<std::size_t>(1, moments.size() / parts);
  std::vector<std::size_t> order(moments.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return moments[left].used > moments[right].used;
  });
  std::vector<std::size_t> chosen;
  for (const std::size_t moment : order) {
    if (chosen.size() == pressure_moments_max || moments[moment].used == 0) {
      break;
    }
    const auto is_near = [&](std::size_t other) {
      return std::max(moment, other) - std::min(moment, other) < apart;
    };
    if (std::none_of(chosen.begin(), chosen.end(), is_near)) {
      chosen.push_back(moment);
    }
  }
  return chosen;
}

pressure_moment describe(const replay_history& history, std::size_t moment) {
  std::map<std::pair<std::uint64_t, std::int32_t>, live_group> groups;
  for (const placed_block& block : history.blocks) {
    if (block.first > moment || block.last <= moment) {
      continue;
    }
    live_group& group = groups[{block.requested, block.stream}];
    if (group.count++ == 0) {
      group.requested = block.requested;
      group.stream = block.stream;
      group.first_line = block.line;
    }
    group.total += block.bytes;
  }
  pressure_moment described{.moment = moment, .largest = {}, .other_blocks = 0, .other_bytes = 0};
  for (const auto& entry : groups) {
    described.largest.push_back(entry.second);
  }
  std::stable_sort(described.largest.begin(), described.largest.end(),
                   [](const live_group& left, const live_group& right) { return left.total > right.total; });
  while (described.largest.size() > live_groups_max) {
    described.other_blocks += described.largest.back().count;
    described.other_bytes += described.largest.back().total;
    described.largest.pop_back();
  }
  return described;
}

}  // namespace

std::vector<pressure_moment> find_pressure(const replay_history& history) {
  std::vector<pressure_moment> found;
  for (const std::size_t moment : highest_moments(history.moments)) {
    found.push_back(describe(history, moment));
  }
  return found;
}

}  // namespace soma::tools
