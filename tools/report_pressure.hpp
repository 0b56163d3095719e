// The moments of a replay at which the pool held the most for the program, and what was live then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/replay_history.hpp"

namespace soma::tools {

/// Live blocks of one size on one stream.
struct live_group {
  std::uint64_t requested = 0;  ///< bytes of each
  std::int32_t stream = 0;
  std::uint64_t count = 0;
  std::uint64_t total = 0;       ///< bytes used by all
  std::uint64_t first_line = 0;  ///< of the trace: the oldest of them
};

struct pressure_moment {
  std::size_t moment = 0;
  std::vector<live_group> largest;  ///< at most live_groups_max, the largest total first
  std::uint64_t other_blocks = 0;   ///< live blocks that are in none of these groups
  std::uint64_t other_bytes = 0;
};

inline constexpr std::size_t pressure_moments_max = 10;
inline constexpr std::size_t live_groups_max = 5;

/// The moments with the highest `used`, the highest first, and the earliest of equal ones. They are at least
/// a fortieth of the trace apart, so that one peak is not shown ten times.
[[nodiscard]] std::vector<pressure_moment> find_pressure(const replay_history& history);

}  // namespace soma::tools
