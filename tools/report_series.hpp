// A figure over the moments of a replay, and what of it can be seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace soma::tools {

struct series_point {
  std::size_t moment = 0;
  std::uint64_t value = 0;
};

/// What a picture of this many columns can show of the values: of each column's moments the first, the
/// lowest, the highest and the last. No extreme is lost, however many values there are. In the order of
/// moments.
[[nodiscard]] std::vector<series_point> thin_out(const std::vector<std::uint64_t>& values,
                                                 std::size_t columns);

/// Values at which an axis from 0 to `top` has its marks, 0 among them: from three to six, a power of two
/// apart.
[[nodiscard]] std::vector<std::uint64_t> byte_marks(std::uint64_t top);

/// The same for counts: 1, 2 or 5 times a power of ten apart.
[[nodiscard]] std::vector<std::uint64_t> count_marks(std::uint64_t top);

}  // namespace soma::tools
