// Random scenarios that are correct programs: every use of a block is ordered behind its alloc and before its
// free, and no thread waits for what never comes.
#pragma once

#include <cstdint>

#include "sim/scenario.hpp"

namespace soma::sim {

/// The same seed gives the same scenario. Resolved.
scenario random_scenario(std::uint64_t seed);

}  // namespace soma::sim
