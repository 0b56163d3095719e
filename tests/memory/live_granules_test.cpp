// Which granules have something live in them, by example, and against a count for each granule.

#include "memory/live_granules.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "memory/sizes.hpp"

namespace {

using namespace soma::memory;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr address base{64 * granule_bytes};
constexpr std::uint64_t unit = granule_bytes / 4;
constexpr std::uint64_t all = 200;

constexpr range units(std::uint64_t first, std::uint64_t count) {
  return {base + first * unit, count * unit};
}

std::vector<std::uint64_t> listed(const turned_granules& turned) { return {turned.begin(), turned.end()}; }

TEST(LiveGranules, ABlockMakesTheGranulesLiveThatItTouches) {
  live_granules live({base, all * granule_bytes});
  EXPECT_THAT(listed(live.enter(units(2, 11))), ElementsAre(0, 3)) << "those that it fills in part";
  EXPECT_EQ(live.next_vacant(0), 4U);
  EXPECT_THAT(listed(live.enter(units(13, 1))), IsEmpty()) << "live already";
  EXPECT_THAT(listed(live.leave(units(2, 11))), ElementsAre(0));
  EXPECT_EQ(live.next_live(0), 3U);
  EXPECT_THAT(listed(live.leave(units(13, 1))), ElementsAre(3));
  EXPECT_EQ(live.next_live(0), all);
}

TEST(LiveGranules, ABlockInsideOneGranuleTurnsItOnce) {
  live_granules live({base, all * granule_bytes});
  EXPECT_THAT(listed(live.enter(units(1, 2))), ElementsAre(0));
  EXPECT_THAT(listed(live.enter(units(4, 4))), IsEmpty()) << "a granule that is filled has nothing idle";
  EXPECT_EQ(live.next_vacant(0), 2U);
}

TEST(LiveGranules, TheEndOfTheWindowIsFound) {
  live_granules live({base, all * granule_bytes});
  EXPECT_EQ(live.next_vacant(0), 0U);
  EXPECT_EQ(live.next_vacant(all), all);
  EXPECT_EQ(live.next_live(all), all);
  live.enter(units(0, 4 * all));
  EXPECT_EQ(live.next_vacant(0), all);
  EXPECT_EQ(live.next_live(all - 1), all - 1);
}

RC_GTEST_PROP(LiveGranules, TheyAreThoseOfTheBlocks, ()) {
  constexpr std::size_t some = 140;
  live_granules live({base, some * granule_bytes});
  std::map<std::uint64_t, std::uint64_t> blocks;  // units by the first
  std::array<bool, 4 * some> taken{};
  const auto is_live = [&](std::size_t granule) {
    return taken[4 * granule] || taken[4 * granule + 1] || taken[4 * granule + 2] || taken[4 * granule + 3];
  };
  for (const auto& [first, count] :
       *rc::gen::container<std::vector<std::pair<std::uint64_t, std::uint64_t>>>(rc::gen::pair(
           rc::gen::inRange<std::uint64_t>(0, 4 * some), rc::gen::inRange<std::uint64_t>(1, 300)))) {
    std::uint64_t end = first;
    while (end < first + count && end < 4 * some && !taken.at(end)) {
      ++end;
    }
    if (end > first) {
      live.enter(units(first, end - first));
      blocks[first] = end - first;
      std::fill(taken.begin() + static_cast<std::ptrdiff_t>(first),
                taken.begin() + static_cast<std::ptrdiff_t>(end), true);
    } else if (!blocks.empty()) {
      const auto block = std::next(blocks.begin(), static_cast<std::ptrdiff_t>(count % blocks.size()));
      live.leave(units(block->first, block->second));
      std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(block->first), block->second, false);
      blocks.erase(block);
    }
    for (std::size_t granule = 0; granule < some; ++granule) {
      RC_ASSERT(live.is_live(granule) == is_live(granule));
      auto next = granule;
      while (next < some && !is_live(next)) {
        ++next;
      }
      RC_ASSERT(live.next_live(granule) == next);
      next = granule;
      while (next < some && is_live(next)) {
        ++next;
      }
      RC_ASSERT(live.next_vacant(granule) == next);
    }
  }
}

}  // namespace
