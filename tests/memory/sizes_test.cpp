// Rounding, the text for amounts, and what a range contains.

#include "memory/sizes.hpp"

#include <cstdint>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "memory/identifiers.hpp"

namespace {

using namespace soma::memory;

constexpr auto most = std::numeric_limits<std::uint64_t>::max();

TEST(Sizes, RoundingLeavesWholeUnitsAsTheyAre) {
  EXPECT_EQ(round_down(1024, 512), 1024U);
  EXPECT_EQ(round_up(1024, 512), 1024U);
  EXPECT_EQ(round_down(0, 512), 0U);
  EXPECT_EQ(round_up(0, 512), 0U);
}

TEST(Sizes, RoundingGoesToTheNeighbouringUnit) {
  EXPECT_EQ(round_down(1535, 512), 1024U);
  EXPECT_EQ(round_up(1025, 512), 1536U);
  EXPECT_EQ(round_up(1, granule_bytes), granule_bytes);
}

TEST(Sizes, RoundingUpIsRefusedExactlyWhereItWouldWrap) {
  EXPECT_EQ(round_up_checked(most - 511, 512), most - 511);
  EXPECT_EQ(round_up_checked(most - 510, 512), std::nullopt);
  EXPECT_EQ(round_up_checked(most, granule_bytes), std::nullopt);
  EXPECT_EQ(round_up_checked(most, 1), most);
}

RC_GTEST_PROP(Sizes, RoundingEnclosesTheAmountInLessThanAUnit, ()) {
  const auto bytes = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 50);
  const auto unit = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 22);
  const auto down = round_down(bytes, unit);
  const auto up = round_up(bytes, unit);
  RC_ASSERT(down % unit == 0U);
  RC_ASSERT(up % unit == 0U);
  RC_ASSERT(down <= bytes);
  RC_ASSERT(bytes - down < unit);
  RC_ASSERT(up >= bytes);
  RC_ASSERT(up - bytes < unit);
  RC_ASSERT(round_up_checked(bytes, unit) == up);
}

TEST(Sizes, AmountsAreNamedInBytesAndInAShortForm) {
  EXPECT_EQ(describe_bytes(0), "0 bytes");
  EXPECT_EQ(describe_bytes(1023), "1023 bytes");
  EXPECT_EQ(describe_bytes(1024), "1024 bytes (1 KiB)");
  EXPECT_EQ(describe_bytes(granule_bytes), "2097152 bytes (2 MiB)");
  EXPECT_EQ(describe_bytes(std::uint64_t{3} << 29), "1610612736 bytes (1.5 GiB)");
  EXPECT_EQ(describe_bytes(most), "18446744073709551615 bytes (16 EiB)");
  EXPECT_THAT(describe_bytes(12345), testing::StartsWith("12345 bytes (12."));
}

TEST(Sizes, ARangeContainsItsFirstAddressButNotItsEnd) {
  constexpr range part{address{100}, 10};
  EXPECT_FALSE(part.contains(address{99}));
  EXPECT_TRUE(part.contains(address{100}));
  EXPECT_TRUE(part.contains(address{109}));
  EXPECT_FALSE(part.contains(part.end()));
  EXPECT_EQ(part.end(), address{110});
  EXPECT_FALSE((range{address{100}, 0}).contains(address{100}));
}

}  // namespace
