#include "tools/report_series.hpp"

#include <algorithm>
#include <array>

namespace soma::tools {

namespace {

constexpr std::uint64_t marks_max = 5;  // besides 0

std::vector<std::uint64_t> marks(std::uint64_t top, std::uint64_t step) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t count = 0; count <= top / step; ++count) {
    values.push_back(count * step);
  }
  return values;
}

void add_column(const std::vector<std::uint64_t>& values, std::size_t begin, std::size_t end,
                std::vector<series_point>& points) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto [low, high] = std::minmax_element(first, values.begin() + static_cast<std::ptrdiff_t>(end));
  std::array<std::size_t, 4> moments = {begin, static_cast<std::size_t>(low - values.begin()),
                                        static_cast<std::size_t>(high - values.begin()), end - 1};
  std::sort(moments.begin(), moments.end());
  const auto* const unique_end = std::unique(moments.begin(), moments.end());
  for (const auto* moment = moments.begin(); moment != unique_end; ++moment) {
    points.push_back({.moment = *moment, .value = values[*moment]});
  }
}

}  // namespace

std::vector<series_point> thin_out(const std::vector<std::uint64_t>& values, std::size_t columns) {
  std::vector<series_point> points;
  const std::size_t used_columns = std::min(columns, values.size());
  for (std::size_t column = 0; column < used_columns; ++column) {
    add_column(values, column * values.size() / used_columns, (column + 1) * values.size() / used_columns,
               points);
  }
  return points;
}

std::vector<std::uint64_t> byte_marks(std::uint64_t top) {
  std::uint64_t step = 1;
  while (top / step > marks_max) {
    step *= 2;
  }
  return marks(top, step);
}

std::vector<std::uint64_t> count_marks(std::uint64_t top) {
  constexpr std::array<std::uint64_t, 3> factors = {1, 2, 5};
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t factor : factors) {
      if (top / power / factor <= marks_max) {
        return marks(top, factor * power);
      }
    }
  }
}

}  // namespace soma::tools
