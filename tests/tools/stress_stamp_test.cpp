#include "tools/stress_stamp.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace soma::tools {

namespace {

constexpr std::uint64_t stamp = 0x30000000001;
constexpr std::uint64_t other_stamp = 0x20000000009;
constexpr std::uint64_t large = (std::uint64_t{1} << 20) + 7;

std::vector<std::byte> stamped(std::uint64_t bytes, std::uint64_t with = stamp) {
  std::vector<std::byte> block(bytes);
  write_stamp(block.data(), bytes, with);
  return block;
}

TEST(StressStamp, IsFoundAgainInBlocksOfAllSizes) {
  for (const std::uint64_t bytes : {1U, 7U, 8U, 9U, 16U, 100U, 512U, 4097U, 65536U, 65537U, 1U << 20}) {
    const auto block = stamped(bytes);
    EXPECT_FALSE(check_stamp(block.data(), bytes, stamp)) << bytes;
    EXPECT_TRUE(check_stamp(block.data(), bytes, stamp + 1)) << bytes;
  }
}

TEST(StressStamp, StaysInsideTheBlock) {
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{13}, std::uint64_t{65536}, large}) {
    std::vector<std::byte> block(bytes + 64, std::byte{0x5a});
    write_stamp(block.data() + 32, bytes, stamp);
    for (std::size_t at = 0; at < 32; ++at) {
      EXPECT_EQ(block[at], std::byte{0x5a});
      EXPECT_EQ(block[bytes + 32 + at], std::byte{0x5a});
    }
  }
}

TEST(StressStamp, SeesEachChangedByteOfASmallBlock) {
  for (std::size_t at = 0; at < 100; ++at) {
    auto block = stamped(100);
    block[at] ^= std::byte{1};
    const auto difference = check_stamp(block.data(), block.size(), stamp);
    ASSERT_TRUE(difference) << at;
    EXPECT_EQ(difference->offset, at / 8 * 8);
  }
}

TEST(StressStamp, NamesTheStampThatIsThereInstead) {
  auto block = stamped(4096);
  write_stamp(block.data() + 1024, 512, other_stamp);
  const auto difference = check_stamp(block.data(), block.size(), stamp);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->offset, 1024U);
  EXPECT_EQ(difference->found_stamp, other_stamp);
}

TEST(StressStamp, SeesItsOwnStampInAnotherPlace) {
  const auto block = stamped(4096);
  const auto difference = check_stamp(block.data() + 512, 512, stamp);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->found_stamp, stamp);
}

TEST(StressStamp, CoversBothEndsOfALargeBlockAndPlacesBetween) {
  EXPECT_EQ(stamped_bytes(65536), 65536U);
  EXPECT_GE(stamped_bytes(large), 16U * 4096);
  EXPECT_LT(stamped_bytes(large), 17U * 4096);
  const auto block = stamped(large);
  std::uint64_t written = 0;
  for (std::size_t section = 0; section < 16; ++section) {
    bool any = false;
    for (std::size_t at = section * 65536; at < (section + 1) * 65536; ++at) {
      any = any || block[at] != std::byte{0};
      written += block[at] != std::byte{0} ? 1U : 0U;
    }
    EXPECT_TRUE(any) << section;
  }
  EXPECT_LE(written, stamped_bytes(large));
  for (const std::uint64_t at : {std::uint64_t{0}, large - 1}) {
    auto changed = block;
    changed[at] ^= std::byte{1};
    EXPECT_TRUE(check_stamp(changed.data(), large, stamp)) << at;
  }
}

}  // namespace

}  // namespace soma::tools
