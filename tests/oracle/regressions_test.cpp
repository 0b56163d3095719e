// Disagreements that the oracle found, each as small as it gets.

#include <gtest/gtest.h>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;

class Regressions : public cpp_fixture {
protected:
  static soma::pool_statistics figures(const soma::pool& pool) { return must(pool.statistics()); }

  // Shows that everything on the stream was executed, without the host having seen it.
  static void let_run(soma::stream& stream) {
    const witness passed;
    call(stream, passed);
    ASSERT_TRUE(passed.wait_until_ran());
  }
};

// D11: "where blocks may be smaller than a granule, first the place that touches the fewest new granules".
TEST_F(Regressions, NewMemoryOnBothSidesOfAnIdleGranule) {
  auto pool = make_pool({.limit = 16_M, .minimum_block = 1_M, .release_threshold = keep_all});
  void* kept = must(pool.malloc_async(1_M, s1_));
  void* beside = must(pool.malloc_async(1_M, s1_));  // the other half of the first granule
  void* second = must(pool.malloc_async(2_M, s1_));
  void* third = must(pool.malloc_async(2_M, s1_));
  must(pool.free_async(second, s1_));
  let_run(s1_);
  must(pool.trim_to(0));  // leaves a free granule between the others
  gate held;
  hold(s1_, held);
  must(pool.free_async(beside, s1_));
  must(pool.free_async(third, s1_));
  // 1 MiB idle, 2 MiB free, 2 MiB idle, and 2 MiB of what is free behind.
  void* block = must(pool.malloc_async(7_M, s1_));
  EXPECT_EQ(figures(pool).reserved, 8_M);
  must(pool.free_async(block, s1_));
  must(pool.free_async(kept, s1_));
  held.open();
}

// D20: "before refusing, everything that may legally be reused or released has been tried".
TEST_F(Regressions, IdleMemoryOfTheStreamAndOneNewGranuleBesideIt) {
  auto pool = make_pool({.limit = 4_M, .release_threshold = keep_all});
  gate held;
  hold(s1_, held);
  must(pool.free_async(must(pool.malloc_async(2_M, s1_)), s1_));
  const auto block = pool.malloc_async(4_M, s1_);
  EXPECT_TRUE(succeeded(block));
  if (block) {
    must(pool.free_async(*block, s1_));
  }
  held.open();
}

// D18: "the error stays on the stream and is returned by its next synchronize", also when the device asked
// for it meanwhile, for a synchronize that nobody waits for any more.
TEST_F(Regressions, AFailureStaysOnItsStreamWhenTheDeviceIsNotWaitedForLongEnough) {
  gate held;
  hold(s1_, held);
  must(s2_.call([] { throw std::runtime_error("on purpose"); }));
  EXPECT_TRUE(failed_with(device_.synchronize_for(std::chrono::milliseconds{0}), errc::timed_out));
  EXPECT_TRUE(failed_with(s2_.synchronize_for(patience), errc::task_failed));
  held.open();
}

}  // namespace
