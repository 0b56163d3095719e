// The baseline of the benchmarks: what it is compared by must itself be right.

#include "bench/baseline/segregated_fit.hpp"

#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace {

using soma::bench::segregated_fit;

constexpr std::uint64_t range_begin = std::uint64_t{1} << 40;
constexpr std::uint64_t range_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t unit = segregated_fit::unit_bytes;

class SegregatedFit : public testing::Test {
protected:
  std::uint64_t must_malloc(std::uint64_t bytes) {
    const auto address = fit_.malloc(bytes);
    EXPECT_TRUE(address.has_value()) << bytes;
    return address.value_or(0);
  }

  segregated_fit fit_{range_begin, range_bytes};
};

TEST_F(SegregatedFit, BlocksFollowEachOtherFromTheBegin) {
  EXPECT_EQ(must_malloc(1), range_begin);
  EXPECT_EQ(must_malloc(unit + 1), range_begin + unit);
  EXPECT_EQ(must_malloc(unit), range_begin + 3 * unit);
  EXPECT_TRUE(fit_.check_invariants());
}

TEST_F(SegregatedFit, AFreedBlockIsTheNextOfItsSize) {
  const auto first = must_malloc(4096);
  must_malloc(4096);
  EXPECT_TRUE(fit_.free(first));
  EXPECT_EQ(must_malloc(4096), first);
}

TEST_F(SegregatedFit, NeighboursMergeInEachOrderOfFrees) {
  for (const auto& order :
       std::vector<std::vector<std::size_t>>{{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    const std::vector<std::uint64_t> blocks{must_malloc(unit), must_malloc(8 * unit),
                                            must_malloc(100 * unit)};
    for (const auto index : order) {
      EXPECT_TRUE(fit_.free(blocks[index]));
      EXPECT_TRUE(fit_.check_invariants());
    }
    const auto all = must_malloc(range_bytes);
    EXPECT_EQ(all, range_begin);
    EXPECT_TRUE(fit_.free(all));
  }
}

TEST_F(SegregatedFit, Refuses) {
  EXPECT_FALSE(fit_.malloc(0));
  EXPECT_FALSE(fit_.malloc(range_bytes + 1));
  EXPECT_FALSE(fit_.malloc(~std::uint64_t{0}));
  must_malloc(range_bytes / 2);
  EXPECT_FALSE(fit_.malloc(range_bytes / 2 + 1));
  EXPECT_FALSE(fit_.free(range_begin + unit));
  EXPECT_TRUE(fit_.free(range_begin));
  EXPECT_FALSE(fit_.free(range_begin));
  EXPECT_EQ(fit_.live_blocks(), 0U);
  EXPECT_TRUE(fit_.check_invariants());
}

TEST_F(SegregatedFit, RandomBlocksNeverOverlapAndAllMergeInTheEnd) {
  std::mt19937_64 random(1);
  std::map<std::uint64_t, std::uint64_t> live;  // from begin to end
  for (int step = 0; step < 20000; ++step) {
    if (live.empty() || random() % 5 < 3) {
      const std::uint64_t bytes = 1 + random() % (unit << (random() % 12));
      const auto address = fit_.malloc(bytes);
      if (!address) {
        continue;
      }
      EXPECT_EQ(*address % unit, 0U);
      const auto [placed, is_new] = live.emplace(*address, *address + bytes);
      ASSERT_TRUE(is_new);
      ASSERT_TRUE(placed == live.begin() || std::prev(placed)->second <= *address);
      ASSERT_TRUE(std::next(placed) == live.end() || *address + bytes <= std::next(placed)->first);
    } else {
      const auto chosen = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      ASSERT_TRUE(fit_.free(chosen->first));
      live.erase(chosen);
    }
    ASSERT_EQ(fit_.live_blocks(), live.size());
    if (step % 500 == 0) {
      ASSERT_TRUE(fit_.check_invariants()) << step;
    }
  }
  for (const auto& [begin, end] : live) {
    EXPECT_TRUE(fit_.free(begin));
  }
  EXPECT_TRUE(fit_.check_invariants());
  EXPECT_TRUE(fit_.malloc(range_bytes));
}

}  // namespace
