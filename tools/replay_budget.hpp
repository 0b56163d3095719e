// How much memory a device needs so that no pool runs out of it while it replays a trace.
#pragma once

#include <cstdint>

#include "tools/replay_plan.hpp"

namespace soma::tools {

/// A budget for the plan, whatever the reuse switches: it counts as if no block ever went to another stream
/// than the one that freed it, adds two granules at each end of every live block for pages that blocks share,
/// and doubles that for fragmentation. Only a number: nothing is taken from the machine before it is touched.
[[nodiscard]] std::uint64_t memory_needed(const replay_plan& plan, std::uint64_t minimum_block);

}  // namespace soma::tools
