#include "tools/stress_sizes.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace soma::tools {

namespace {

using testing::HasSubstr;

std::set<std::uint64_t> picked(const char* text, std::uint64_t times = 2000) {
  const auto sizes = stress_sizes::parse(text);
  EXPECT_TRUE(sizes.has_value()) << sizes.error();
  std::set<std::uint64_t> all;
  for (std::uint64_t each = 0; sizes && each < times; ++each) {
    stress_random random(1, 2, each);
    all.insert(sizes->pick(random));
  }
  return all;
}

TEST(StressSizes, PicksEachSizeOfAList) {
  EXPECT_THAT(picked("512,4K,2M"), testing::ElementsAre(512U, 4096U, 2097152U));
  EXPECT_THAT(picked("77"), testing::ElementsAre(77U));
}

TEST(StressSizes, StaysInsideARangeAndReachesItsEnds) {
  const auto small = picked("3..6");
  EXPECT_THAT(small, testing::ElementsAre(3U, 4U, 5U, 6U));
  const auto wide = picked("1..1M");
  EXPECT_LT(*wide.begin(), 4U);
  EXPECT_GT(*wide.rbegin(), 512U * 1024);
  EXPECT_LE(*wide.rbegin(), 1024U * 1024);
}

TEST(StressSizes, KnowsItsLargest) {
  EXPECT_EQ(stress_sizes::parse("4K,2M,512")->largest(), 2097152U);
  EXPECT_EQ(stress_sizes::parse("1..4G")->largest(), std::uint64_t{4} << 30);
  EXPECT_EQ(stress_sizes::parse("1..4G")->text(), "1..4G");
}

TEST(StressSizes, RefusesWhatIsNoSize) {
  EXPECT_THAT(stress_sizes::parse("2M..1M").error(), HasSubstr("sizes 2M..1M: a range is MIN..MAX"));
  EXPECT_THAT(stress_sizes::parse("1..2..3").error(), HasSubstr("a range is MIN..MAX"));
  EXPECT_THAT(stress_sizes::parse("0,512").error(), HasSubstr("a block of 0 bytes"));
  for (const char* const text : {"", "..", "1..", "1,", "x", "1..2x", "-1"}) {
    EXPECT_FALSE(stress_sizes::parse(text).has_value()) << text;
  }
}

TEST(StressRandom, DecidesTheSameForTheSameSeedThreadAndOperation) {
  EXPECT_EQ(stress_random(1, 2, 3).next(), stress_random(1, 2, 3).next());
  std::set<std::uint64_t> first;
  for (std::uint64_t each = 0; each < 100; ++each) {
    first.insert(stress_random(each, 2, 3).next());
    first.insert(stress_random(1, 1000 + each, 3).next());
    first.insert(stress_random(1, 2, 1000 + each).next());
  }
  EXPECT_EQ(first.size(), 300U);
}

TEST(StressRandom, MeetsItsShares) {
  int some = 0;
  for (std::uint64_t each = 0; each < 10'000; ++each) {
    EXPECT_FALSE(stress_random(1, 0, each).chance(0));
    EXPECT_TRUE(stress_random(1, 0, each).chance(1));
    some += stress_random(1, 0, each).chance(0.25) ? 1 : 0;
  }
  EXPECT_NEAR(some, 2500, 250);
}

}  // namespace

}  // namespace soma::tools
