// Words in memory as tasks, and tasks that are wished to end.

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "actors/foreign_code.hpp"

namespace {

using namespace soma;
using messages::stop_wish;
using messages::value_test;

TEST(ValueWork, StoresAndSees) {
  std::uint64_t word = 0;
  EXPECT_FALSE(actors::run_work(messages::write_value{&word, 5}));
  EXPECT_EQ(word, 5U);
  EXPECT_FALSE(actors::run_work(messages::await_value{&word, 5, value_test::equal}));
  EXPECT_EQ(word, 5U);
  EXPECT_FALSE(actors::run_work(messages::await_value{&word, 5, value_test::equal, true}));
  EXPECT_EQ(word, 0U);
}

TEST(ValueWork, ALimitEndsTheWait) {
  std::uint64_t word = 0;
  const auto failure = actors::run_work(
      messages::await_value{&word, 5, value_test::equal, false, std::chrono::nanoseconds{1}});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, messages::fault_code::task_timed_out);
}

TEST(ValueWork, OfTwoWhoWaitOneTakesIt) {
  std::uint64_t word = 0;
  std::atomic<int> taken{0};
  const auto wait = [&] {
    EXPECT_FALSE(actors::run_work(messages::await_value{&word, 1, value_test::equal, true}));
    ++taken;
  };
  std::thread one(wait);
  std::thread other(wait);
  for (int round = 1; round <= 2; ++round) {
    EXPECT_FALSE(actors::run_work(messages::write_value{&word, 1}));
    while (taken < round) {
      std::this_thread::yield();
    }
  }
  one.join();
  other.join();
  EXPECT_EQ(word, 0U);
}

TEST(ValueWork, AWishEndsTheWait) {
  std::uint64_t word = 0;
  std::atomic<stop_wish> wish{stop_wish::task};
  const auto failure = actors::run_work(messages::await_value{&word, 5, value_test::equal}, &wish);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, messages::fault_code::task_stopped);
  EXPECT_EQ(wish, stop_wish::none);  // used up
}

TEST(ValueWork, AnAddressThatCannotBeRead) {
  const actors::signal_guard guard;
  const auto failure = actors::run_work(messages::await_value{nullptr, 5, value_test::equal});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, messages::fault_code::task_failed);
}

std::atomic<stop_wish> wish_of_kernel{stop_wish::none};
std::atomic<int> blocks_run{0};

int stop_in_block_1(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t block,
                    std::uint32_t /*blocks*/) {
  ++blocks_run;
  if (block == 1) {
    wish_of_kernel = stop_wish::run;
    EXPECT_TRUE(actors::stop_is_wished());
  }
  return 0;
}

// A kernel ends between two blocks; the wish for the run stays for the tasks behind.
TEST(ValueWork, AWishEndsAKernel) {
  messages::kernel_launch launch;
  launch.function = stop_in_block_1;
  launch.blocks = 4;
  const auto failure = actors::run_work(launch, &wish_of_kernel);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, messages::fault_code::task_stopped);
  EXPECT_EQ(blocks_run, 2);
  EXPECT_EQ(wish_of_kernel, stop_wish::run);
  EXPECT_FALSE(actors::stop_is_wished());
}

TEST(ValueWork, ATaskThatHadComeToItsEndCountsAsStopped) {
  std::atomic<stop_wish> wish{stop_wish::none};
  const auto failure = actors::run_work(messages::host_call{[&] { wish = stop_wish::task; }}, &wish);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, messages::fault_code::task_stopped);
}

}  // namespace
