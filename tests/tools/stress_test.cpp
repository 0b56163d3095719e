// Short stress runs, and what they find when something is made wrong.
#include "tools/stress.hpp"

#include <future>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/stress_hang.hpp"
#include "tools/stress_report.hpp"
#include "tools/stress_watchdog.hpp"

namespace soma::tools {

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;

stress_settings short_run(std::uint64_t operations = 4000) {
  stress_settings settings;
  settings.threads = 3;
  settings.streams = 6;
  settings.sizes = *stress_sizes::parse("1..256K");
  settings.device_memory = std::uint64_t{64} << 20;
  settings.time = std::chrono::duration<double>(0);
  settings.operations = operations;
  settings.seed = 7;
  return settings;
}

TEST(Stress, FindsNothingWrongAndCounts) {
  const auto result = run_stress(short_run());
  EXPECT_THAT(result.findings, IsEmpty());
  const auto& counts = result.counts;
  EXPECT_EQ(counts.operations, 4000U);
  EXPECT_GT(counts.allocations, 0U);
  EXPECT_GT(counts.plain_allocations, 0U);
  EXPECT_GT(counts.cross_stream_frees, 0U);
  EXPECT_GT(counts.handed_over, 0U);
  EXPECT_GT(counts.immediate_frees, 0U);
  EXPECT_GT(counts.wrong_calls, 0U);
  EXPECT_GT(counts.failing_kernels, 0U);
  EXPECT_GT(counts.streams, 0U);
  EXPECT_GT(counts.events, 0U);
  EXPECT_GT(counts.pools, 0U);
  // Each block is checked by its free; those of wrong calls are too, and are no allocations of their own.
  EXPECT_GE(result.blocks_checked, counts.allocations + counts.rechecks);
  EXPECT_GT(result.bytes_verified, 0U);
  EXPECT_LE(result.bytes_verified, result.bytes_checked);
}

TEST(Stress, RunsWithEachKindOfReuseAndMinimumBlock) {
  for (const reuse_switches reuse :
       {reuse_switches{}, reuse_switches{.event = true}, reuse_switches{.internal = true}}) {
    auto settings = short_run(1500);
    settings.pool.reuse = reuse;
    settings.pool.minimum_block = granule_bytes;
    settings.pool.release_threshold = 0;
    const auto result = run_stress(settings);
    EXPECT_THAT(result.findings, IsEmpty());
    EXPECT_EQ(result.counts.served.opportunistic, 0U);
    EXPECT_TRUE(reuse.internal || result.counts.served.internal == 0);
  }
}

TEST(Stress, MakesNoMistakesOnPurposeWithoutFaults) {
  auto settings = short_run(1500);
  settings.faults = 0;
  settings.cross_stream_frees = 0;
  const auto result = run_stress(settings);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.counts.wrong_calls, 0U);
  EXPECT_EQ(result.counts.failing_kernels, 0U);
}

TEST(Stress, GetsAllWrongCallsAnsweredAsDocumented) {
  auto settings = short_run(1500);
  settings.faults = 1;
  const auto result = run_stress(settings);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_GT(result.counts.wrong_calls, 1500U);
}

TEST(Stress, IsRefusedMemoryAndGoesOn) {
  auto settings = short_run(3000);
  settings.faults = 0;
  settings.device_memory = std::uint64_t{8} << 20;
  settings.sizes = *stress_sizes::parse("512K,2M");
  const auto result = run_stress(settings);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_GT(result.counts.refused, 0U);
  EXPECT_EQ(result.counts.operations, 3000U);
}

TEST(Stress, NamesABlockInWhichAByteWasChanged) {
  auto settings = short_run(100'000);
  settings.corrupted_block = 5;
  const auto result = run_stress(settings);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_THAT(
      result.findings.front(),
      ContainsRegex("block 0/5 \\(stamp 10000000005\\) of .* in (pool [0-9]+|plain memory), allocated on "
                    "stream [0-9]+ and checked by .* holds at byte [0-9]+ .*\\(seed 7\\)"));
  EXPECT_LT(result.counts.operations, 100'000U) << "the run ends at the first finding";
}

TEST(StressDeathTest, TellsWhatHangs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto settings = short_run(200'000);
  settings.patience = std::chrono::milliseconds(500);
  settings.stuck_block = 5;
  EXPECT_EXIT(static_cast<void>(run_stress(settings)), testing::ExitedWithCode(1),
              "nothing was completed for 500 ms \\(seed 7\\); the threads are at:.*thread 0: .*thread 2: .*"
              "tasks submitted .*pool 1: used");
}

TEST(Stress, EndsWhenItsTimeIsOver) {
  auto settings = short_run(0);
  settings.time = std::chrono::duration<double>(0.2);
  const auto result = run_stress(settings);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_GT(result.counts.operations, 0U);
}

TEST(Stress, SaysWhyItCannotBegin) {
  auto settings = short_run();
  settings.pool.minimum_block = 3000;
  const auto result = run_stress(settings);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_THAT(result.findings.front(), HasSubstr("3000"));
}

TEST(StressReport, HasTheFigures) {
  stress_result result;
  result.counts.operations = 2000;
  result.duration = std::chrono::seconds(2);
  result.counts.wrong_calls = 17;
  result.bytes_verified = 1024;
  result.bytes_checked = 4096;
  result.counts.served.internal = 3;
  const auto text = print_stress(short_run(), result);
  for (const char* const line :
       {"stress: 3 threads, 6 streams, 3 pools, sizes 1..256K\n", "operations +2,000 +in 2.0 s\n",
        "operations per second +1,000\n", "bytes verified +1 KiB +25.0 % of their 4 KiB\n",
        "internal +3 +100.0 %\n", "wrong calls +17 +answered as documented\n", "seed +7\n"}) {
    EXPECT_THAT(text, ContainsRegex(line));
  }
}

TEST(StressWatchdog, SeesThatNothingMoves) {
  std::promise<void> hung;
  const stress_watchdog watchdog(
      std::chrono::milliseconds(20), [] { return std::uint64_t{1}; }, [&hung] { hung.set_value(); });
  hung.get_future().wait();
}

TEST(StressWatchdog, IsQuietWhileSomethingMoves) {
  std::atomic<std::uint64_t> looked{0};
  std::promise<void> enough;
  {
    const stress_watchdog watchdog(
        std::chrono::milliseconds(20),
        [&] {
          if (++looked == 50) {
            enough.set_value();
          }
          return looked.load();
        },
        [] { ADD_FAILURE() << "it called a hang"; });
    enough.get_future().wait();
  }
}

TEST(StressHang, TellsWhatThreadsAndPoolsAreAt) {
  auto settings = short_run();
  const auto world = *stress_world::create(settings);
  stress_thread thread(*world, 0);
  thread.at("pool::malloc_async", 12, 3);
  thread.activity.operations = 99;
  EXPECT_EQ(describe_threads({&thread.activity}),
            "  thread 0: pool::malloc_async, stream 12, pool 3, operation 99\n");
  EXPECT_THAT(describe_pools(*world),
              HasSubstr("  pool 1: used 0 B, idle 0 B, reserved 0 B, limit 64 MiB, live "
                        "blocks 0\n  pool 2: "));
}

}  // namespace

}  // namespace soma::tools
