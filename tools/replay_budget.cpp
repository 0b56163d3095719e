#include "tools/replay_budget.hpp"

#include <algorithm>
#include <vector>

#include "soma/pool.hpp"
#include "tools/byte_size.hpp"

namespace soma::tools {

std::uint64_t memory_needed(const replay_plan& plan, std::uint64_t minimum_block) {
  constexpr std::uint64_t edge_granules_per_block = 4;
  std::vector<std::uint64_t> idle(plan.streams, 0);
  std::uint64_t taken = 0;
  std::uint64_t live = 0;
  std::uint64_t live_max = 0;
  for (const replay_step& step : plan.steps) {
    if (step.kind != step_kind::malloc && step.kind != step_kind::free) {
      continue;
    }
    const std::uint64_t bytes = round_up(plan.blocks[step.subject].bytes, minimum_block);
    std::uint64_t& own_idle = idle[step.stream];
    if (step.kind == step_kind::malloc) {
      const std::uint64_t reused = std::min(own_idle, bytes);
      own_idle -= reused;
      taken = add_saturated(taken, bytes - reused);
      live_max = std::max(live_max, ++live);
    } else {
      own_idle = add_saturated(own_idle, bytes);
      --live;
    }
  }
  const std::uint64_t edges = live_max * edge_granules_per_block * granule_bytes;
  const std::uint64_t once = round_up(add_saturated(taken, edges), granule_bytes);
  return std::max(add_saturated(once, once), granule_bytes);
}

}  // namespace soma::tools
