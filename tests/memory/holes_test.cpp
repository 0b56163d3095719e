// What a place in a hole costs, by example; and that the places which are looked at have the best among them.

#include "memory/holes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using namespace soma::memory;

constexpr std::uint64_t quarter = granule_bytes / 4;

constexpr range quarters(std::uint64_t first, std::uint64_t count) {
  return {address{first * quarter}, count * quarter};
}

/// From the last quarter of the granule 10, which is live, up to the first quarter of 15, which is live too.
/// The granules 11 and 14 have memory.
hole some_hole() {
  return {quarters(43, 18),
          {{10, 11, false, true, false},
           {11, 12, true, true, true},
           {12, 14, true, false, true},
           {14, 15, true, true, true},
           {15, 16, false, true, false}}};
}

TEST(Holes, APriceCountsTheGranulesThatABlockTouches) {
  const auto hole = some_hole();
  EXPECT_EQ(hole.whole(), 4U);
  EXPECT_EQ(hole.movable(), 2U);
  EXPECT_EQ(hole.price_of(quarters(43, 5), 2), (price{0, 1, 0, 18 * quarter, address{43 * quarter}}));
  EXPECT_EQ(hole.price_of(quarters(43, 6), 2), (price{0, 2, 1, 18 * quarter, address{43 * quarter}}));
  EXPECT_EQ(hole.price_of(quarters(43, 6), 1).new_granules, 1U);
  EXPECT_EQ(hole.price_of(quarters(43, 18), 2), (price{2, 4, 2, 18 * quarter, address{43 * quarter}}));
}

TEST(Holes, TheLongestBlockTakesWhatIsBesideWholeGranules) {
  const auto hole = some_hole();
  EXPECT_EQ(hole.longest(0), quarter);
  EXPECT_EQ(hole.longest(3), 13 * quarter);
  EXPECT_EQ(hole.longest(4), 18 * quarter);
  EXPECT_EQ(hole.longest(9), 18 * quarter);
}

RC_GTEST_PROP(Holes, TheBestPlaceIsAmongThoseThatAreLookedAt, ()) {
  const auto before = *rc::gen::inRange<std::uint64_t>(0, 4);
  const auto after = *rc::gen::inRange<std::uint64_t>(0, 4);
  const auto kinds = *rc::gen::nonEmpty(rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>()));
  const auto movable = *rc::gen::inRange<std::uint64_t>(0, 6);
  const bool before_is_live = *rc::gen::arbitrary<bool>();
  constexpr std::uint64_t first = 20;
  std::vector<hole_part> parts;
  if (before > 0) {
    parts.push_back({first - 1, first, false, true, !before_is_live});
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (i > 0 && kinds[i] == kinds[i - 1]) {
      ++parts.back().last;
    } else {
      parts.push_back({first + i, first + i + 1, true, kinds[i], true});
    }
  }
  const auto end = first + kinds.size();
  if (after > 0) {
    parts.push_back({end, end + 1, false, true, false});
  }
  const auto units = before + 4 * kinds.size() + after;
  const hole all(quarters(4 * first - before, units), std::move(parts));
  const auto count = *rc::gen::inRange<std::uint64_t>(1, units + 1);

  std::optional<price> best;
  for (auto begin = 4 * first - before; begin + count <= 4 * first - before + units; ++begin) {
    const auto here = all.price_of(quarters(begin, count), movable);
    best = !best || here < *best ? here : *best;
  }
  std::optional<price> found;
  all.visit_places(count * quarter, [&](range block) {
    RC_ASSERT(block.begin >= all.where().begin);
    RC_ASSERT(block.end() <= all.where().end());
    const auto here = all.price_of(block, movable);
    found = !found || here < *found ? here : *found;
  });
  RC_ASSERT(found == best);
}

}  // namespace
