#include "tools/replay_check.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace soma::tools {

namespace {

using testing::HasSubstr;

constexpr std::uintptr_t base = 1U << 30;

planned_block block(std::uint64_t id, std::uint64_t bytes) {
  return {.id = id, .bytes = bytes, .malloc_line = id + 1};
}

/// What a right pool says after a malloc of 100 and one of 600 bytes, and the free of the first.
pool_statistics right_statistics() {
  pool_statistics statistics;
  statistics.limit = 4 * granule_bytes;
  statistics.reserved = granule_bytes;
  statistics.reserved_high = granule_bytes;
  statistics.used = 1024;
  statistics.used_high = 1536;
  statistics.idle = granule_bytes - 1024;
  statistics.requested = 600;
  statistics.requested_high = 700;
  statistics.live_blocks = 1;
  statistics.served.new_memory = 2;
  statistics.backing_requests = 1;
  statistics.backing_requested_bytes = granule_bytes;
  return statistics;
}

replay_check filled_check() {
  replay_check check(512);
  EXPECT_TRUE(check.allocated(block(1, 100), base));
  EXPECT_TRUE(check.allocated(block(2, 600), base + 512));
  check.freed(block(1, 100), base);
  return check;
}

TEST(ReplayCheck, C1AcceptsNeighbours) {
  replay_check check(512);
  EXPECT_TRUE(check.allocated(block(1, 512), base + 512));
  EXPECT_TRUE(check.allocated(block(2, 512), base));
  EXPECT_TRUE(check.allocated(block(3, 512), base + 1024));
}

TEST(ReplayCheck, C1RefusesEveryKindOfOverlap) {
  for (const std::uintptr_t address : {base - 512, base, base + 512, base + 1024}) {
    for (const std::uint64_t bytes : {600U, 1536U, 4096U}) {
      replay_check check(512);
      ASSERT_TRUE(check.allocated(block(1, 1500), base));
      const auto second = check.allocated(block(2, bytes), address);
      ASSERT_FALSE(second) << address - base << " " << bytes;
      EXPECT_THAT(second.error(), HasSubstr("block 2 (malloc in line 3) overlaps the live block 1"));
    }
  }
}

TEST(ReplayCheck, C1ForgetsFreedBlocks) {
  replay_check check(512);
  ASSERT_TRUE(check.allocated(block(1, 512), base));
  check.freed(block(1, 512), base);
  EXPECT_TRUE(check.allocated(block(2, 1024), base));
}

TEST(ReplayCheck, C1RefusesImpossibleAddresses) {
  replay_check check(512);
  EXPECT_FALSE(check.allocated(block(1, 512), 0));
  EXPECT_FALSE(check.allocated(block(1, 1024), std::numeric_limits<std::uintptr_t>::max() - 512));
}

TEST(ReplayCheck, AcceptsRightCounters) {
  const auto compared = filled_check().compare(right_statistics());
  EXPECT_TRUE(compared) << compared.error();
}

TEST(ReplayCheck, C2ToC4NameTheWrongCounter) {
  const auto expect_wrong = [](const char* name, auto change) {
    pool_statistics statistics = right_statistics();
    change(statistics);
    const auto compared = filled_check().compare(statistics);
    ASSERT_FALSE(compared) << name;
    EXPECT_THAT(compared.error(), HasSubstr(name));
  };
  expect_wrong("used", [](pool_statistics& wrong) { wrong.used += 512; });
  expect_wrong("used_high", [](pool_statistics& wrong) { wrong.used_high += 512; });
  expect_wrong("requested", [](pool_statistics& wrong) { --wrong.requested; });
  expect_wrong("requested_high", [](pool_statistics& wrong) { --wrong.requested_high; });
  expect_wrong("live_blocks", [](pool_statistics& wrong) { ++wrong.live_blocks; });
  expect_wrong("reserved", [](pool_statistics& wrong) { wrong.idle += 1; });
  expect_wrong("backing_returned_bytes", [](pool_statistics& wrong) { wrong.backing_returned_bytes = 1; });
  expect_wrong("the sum of served", [](pool_statistics& wrong) { ++wrong.served.event; });
  expect_wrong("the limit", [](pool_statistics& wrong) { wrong.limit = 0; });
  expect_wrong("its high mark", [](pool_statistics& wrong) { wrong.reserved_high = 0; });
}

}  // namespace

}  // namespace soma::tools
