// Replays on the real runtime. The traces' blocks are of 2 MiB unless a test is about sizes.
#include "tools/replay.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/trace_text.hpp"

namespace soma::tools {

namespace {

using testing::HasSubstr;

constexpr reuse_switches only_event = {.event = true};
constexpr reuse_switches none = {};

replay_settings with_reuse(reuse_switches reuse) {
  replay_settings settings;
  settings.pool.reuse = reuse;
  return settings;
}

pool_statistics replay_lines(std::initializer_list<const char*> lines, const replay_settings& settings = {}) {
  const auto result = replay_trace(rows_of(lines), settings);
  EXPECT_TRUE(result.has_value()) << "line " << result.error().line << ": " << result.error().reason;
  return result ? result->statistics : pool_statistics{};
}

TEST(Replay, GivesAFreedBlockToItsStream) {
  const auto pool = replay_lines({"malloc,1,2097152,0", "free,1,2097152,0", "malloc,2,2097152,0"});
  EXPECT_EQ(pool.served.same_stream, 1U);
  EXPECT_EQ(pool.served.new_memory, 1U);
  EXPECT_EQ(pool.reserved_high, granule_bytes);
  EXPECT_EQ(pool.live_blocks, 1U);
}

TEST(Replay, KeepsStreamsApartThatNothingOrders) {
  const auto pool = replay_lines({"malloc,1,2097152,0", "free,1,2097152,0", "malloc,2,2097152,1"});
  EXPECT_EQ(pool.served.new_memory, 2U);
  EXPECT_EQ(pool.reserved_high, 2 * granule_bytes);
}

TEST(Replay, OpensFreedBlocksToAllStreamsAtADeviceSynchronise) {
  for (const reuse_switches reuse : {none, only_event}) {
    const auto pool = replay_lines(
        {"malloc,1,2097152,0", "free,1,2097152,0", "sync,0,0,-1", "malloc,2,2097152,1"}, with_reuse(reuse));
    EXPECT_EQ(pool.served.event, 1U);
    EXPECT_EQ(pool.served.new_memory, 1U);
  }
}

TEST(Replay, FreesAHeldBackBlockAtItsSyncRow) {
  const auto pool = replay_lines({"malloc,1,2097152,0", "free,1,2097152,0", "malloc,2,2097152,0",
                                  "sync,1,2097152,0", "malloc,3,2097152,0"});
  EXPECT_EQ(pool.served.new_memory, 2U);
  EXPECT_EQ(pool.served.same_stream, 1U);
  EXPECT_EQ(pool.used_high, 2 * granule_bytes);
}

TEST(Replay, OrdersByTheEventOfAHeldBackFreeOnlyWithTheSwitch) {
  // Block 2 is freed on stream 1 ahead of the free of block 1, so its memory is open to stream 0 behind the
  // sync.
  const auto replay_with = [](reuse_switches reuse) {
    return replay_lines({"malloc,1,2097152,0", "malloc,2,4194304,1", "free,2,4194304,1", "free,1,2097152,0",
                         "sync,1,2097152,0", "malloc,3,4194304,0"},
                        with_reuse(reuse));
  };
  EXPECT_EQ(replay_with(only_event).served.event, 1U);
  EXPECT_EQ(replay_with(none).served.event, 0U);
  EXPECT_EQ(replay_with(none).served.new_memory, 3U);
}

TEST(Replay, OrdersByTheChangeOfABlocksStreamOnlyWithTheSwitch) {
  const auto replay_with = [](reuse_switches reuse) {
    return replay_lines({"malloc,1,2097152,0", "malloc,2,4194304,0", "free,2,4194304,0", "free,1,2097152,1",
                         "malloc,3,2097152,1", "malloc,4,4194304,1"},
                        with_reuse(reuse));
  };
  EXPECT_EQ(replay_with(only_event).served.same_stream, 1U);
  EXPECT_EQ(replay_with(only_event).served.event, 1U);
  EXPECT_EQ(replay_with(none).served.same_stream, 1U);
  EXPECT_EQ(replay_with(none).served.new_memory, 3U);
}

TEST(Replay, MakesAStreamWaitWhereThePoolCannotGrow) {
  replay_settings settings = with_reuse({.internal = true});
  settings.pool.limit = granule_bytes;
  const auto pool = replay_lines({"malloc,1,2097152,0", "free,1,2097152,0", "malloc,2,2097152,1"}, settings);
  EXPECT_EQ(pool.served.internal, 1U);
  EXPECT_EQ(pool.reserved_high, granule_bytes);
}

TEST(Replay, GivesMemoryAboveTheThresholdBackAtEachSynchronise) {
  replay_settings settings;
  settings.pool.release_threshold = 0;
  settings.sync_every = 2;
  const auto pool = replay_lines({"malloc,1,4194304,0", "free,1,4194304,0", "malloc,2,2097152,0"}, settings);
  EXPECT_GE(pool.backing_returns, 1U);
  EXPECT_EQ(pool.backing_returned_bytes, 4U << 20);
  EXPECT_EQ(pool.reserved, granule_bytes);
  EXPECT_EQ(pool.served.new_memory, 2U);
}

TEST(Replay, CountsRequestedAndUsedApart) {
  replay_settings settings;
  settings.pool.minimum_block = 512;
  const auto pool = replay_lines({"malloc,1,1,0", "malloc,2,513,0", "free,1,1,0"}, settings);
  EXPECT_EQ(pool.requested_high, 514U);
  EXPECT_EQ(pool.used_high, 1536U);
  EXPECT_EQ(pool.requested, 513U);
  EXPECT_EQ(pool.used, 1024U);
}

// One stream allocates, another one frees, out of order: at most 11 blocks of 1 to 4 granules are live.
TEST(Replay, B103_BlocksFreedOnAnotherStream) {
  constexpr int blocks = 100;
  const auto bytes_of = [](int id) { return static_cast<std::uint64_t>(id % 4 + 1) * granule_bytes; };
  const auto freed_at = [](int step) { return step % 2 == 0 ? step + 1 : step - 1; };  // 1, 0, 3, 2, ...
  std::string text(trace_header);
  std::uint64_t used = 0;
  std::uint64_t peak = 0;
  for (int step = 0; step < blocks + 10; ++step) {
    if (step < blocks) {
      text += "malloc," + std::to_string(step + 1) + "," + std::to_string(bytes_of(step)) + ",0,0\n";
      used += bytes_of(step);
      peak = std::max(peak, used);
    }
    if (step >= 10) {
      const int block = freed_at(step - 10);
      text += "free," + std::to_string(block + 1) + "," + std::to_string(bytes_of(block)) + ",1,0\n";
      used -= bytes_of(block);
    }
  }
  const auto rows = read_text(text);
  ASSERT_TRUE(rows.has_value());
  const auto first = replay_trace(*rows, {});
  ASSERT_TRUE(first.has_value()) << first.error().reason;
  EXPECT_EQ(first->statistics.used_high, peak);
  EXPECT_EQ(first->statistics.used, 0U);
  const auto second = replay_trace(*rows, {});
  ASSERT_TRUE(second.has_value()) << second.error().reason;
  EXPECT_EQ(std::memcmp(&first->statistics, &second->statistics, sizeof(pool_statistics)), 0);
}

TEST(Replay, TakesAsMuchDeviceMemoryAsTheTraceNeeds) {
  // More than the default of the runtime; nothing of it is touched.
  const auto pool = replay_lines({"malloc,1,42949672960,0", "malloc,2,42949672960,1"});
  EXPECT_EQ(pool.used_high, std::uint64_t{80} << 30);
}

TEST(Replay, TakesATraceWithoutRows) {
  const auto result = replay_trace({}, {});
  ASSERT_TRUE(result.has_value()) << result.error().reason;
  EXPECT_EQ(result->rows, 0U);
  EXPECT_EQ(result->operations, 0U);
}

TEST(Replay, CountsOperationsAndTellsItsProgress) {
  std::string text(trace_header);
  for (int id = 1; id <= 3000; ++id) {
    const std::string rest = "," + std::to_string(id) + ",2097152,0,0\n";
    text.append("malloc").append(rest).append("free").append(rest);
  }
  const auto rows = read_text(text);
  ASSERT_TRUE(rows.has_value());
  std::uint64_t last = 0;
  const auto result = replay_trace(*rows, {}, [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_GT(done, last);
    EXPECT_EQ(all, 6000U);
    last = done;
  });
  ASSERT_TRUE(result.has_value()) << result.error().reason;
  EXPECT_EQ(last, 6000U);
  EXPECT_EQ(result->rows, 6000U);
  EXPECT_EQ(result->operations, 6000U);
  EXPECT_GT(result->operations_per_second(), 0.0);
  EXPECT_EQ(result->statistics.served.same_stream, 2999U);
}

TEST(Replay, FailsWithThePoolsOwnTextWhereItCannotServe) {
  replay_settings settings;
  settings.pool.limit = granule_bytes;
  const auto result = replay_trace(rows_of({"malloc,1,2097152,0", "malloc,2,2097152,0"}), settings);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().line, 3U);
  EXPECT_THAT(result.error().reason, HasSubstr("limit"));
}

TEST(Replay, FailsOnABlockOfNoBytes) {
  const auto result = replay_trace(rows_of({"malloc,1,0,0"}), {});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().line, 2U);
}

TEST(Replay, FailsWhereTheSettingsDoNotFit) {
  replay_settings settings;
  settings.device_memory = granule_bytes;
  settings.pool.limit = 2 * granule_bytes;
  const auto result = replay_trace(rows_of({"malloc,1,512,0"}), settings);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().line, 0U);
  EXPECT_THAT(result.error().reason, HasSubstr("cannot be set up"));
}

}  // namespace

}  // namespace soma::tools
