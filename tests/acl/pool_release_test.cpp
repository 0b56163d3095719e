// Release points, thresholds and trims, and what becomes of a pool that is destroyed.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "support/acl_fixture.hpp"

namespace {

using namespace support;

class Release : public acl_fixture {};

class PoolLife : public acl_fixture {};

TEST_F(Release, S51_ThresholdZero) {
  aclrtMemPool pool = make_pool({});
  release(allocate(pool, s1_, 32_M), s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 0U);
}

// D9: each kind of synchronise is a release point.
TEST_F(Release, D09_EveryKindOfSynchronise) {
  aclrtMemPool pool = make_pool({});
  aclrtEvent event = make_event();
  const std::vector<std::function<aclError()>> kinds{
      [this] { return aclrtSynchronizeStream(s1_); },
      [this] { return aclrtSynchronizeStreamWithTimeout(s1_, patience_ms); },
      [event] { return aclrtSynchronizeEvent(event); },
      [event] { return aclrtSynchronizeEventWithTimeout(event, patience_ms); },
      [] { return aclrtSynchronizeDevice(); },
      [] { return aclrtSynchronizeDeviceWithTimeout(patience_ms); },
  };
  for (const auto& synchronise : kinds) {
    release(allocate(pool, s1_, 4_M), s1_);
    record(event, s1_);
    EXPECT_EQ(synchronise(), ACL_SUCCESS);
    EXPECT_EQ(reserved(pool), 0U);
  }
}

// D8: what is compared with the threshold are the idle bytes.
TEST_F(Release, D08_ThresholdIsForIdleBytes) {
  aclrtMemPool pool = make_pool({.threshold = 8_M});
  allocate(pool, s1_, 16_M);
  std::array<void*, 6> blocks{};
  for (auto& block : blocks) {
    block = allocate(pool, s1_, 4_M);
  }
  for (void* block : blocks) {
    release(block, s1_);
  }
  EXPECT_EQ(reserved(pool), 40_M);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 24_M);
  EXPECT_EQ(used(pool), 16_M);
}

TEST_F(Release, SettingTheThresholdReleasesNothingByItself) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  release(allocate(pool, s1_, 8_M), s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  set_threshold(pool, 0);
  EXPECT_EQ(reserved(pool), 8_M);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 0U);
}

TEST_F(Release, S52_TrimAndThreshold) {
  aclrtMemPool pool = make_pool({.threshold = 128_M});
  void* large = allocate(pool, s1_, 32_M);
  allocate(pool, s1_, 2_M);
  gate held;
  hold(s1_, held);
  release(large, s1_);
  EXPECT_EQ(aclrtMemPoolTrimTo(pool, 2_M), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 34_M);
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 34_M);
  EXPECT_EQ(aclrtMemPoolTrimTo(pool, 2_M), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 2_M);
  EXPECT_EQ(used(pool), 2_M);
  EXPECT_EQ(used_high(pool), 34_M);
  EXPECT_EQ(threshold(pool), 128_M);
}

TEST_F(Release, S56_TrimAboveReserved) {
  aclrtMemPool pool = make_pool({.max_bytes = 20_M, .threshold = keep_all});
  allocate(pool, s1_, 4_M);
  release(allocate(pool, s1_, 6_M), s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  for (const std::size_t keep : {12_M, 20_M}) {
    EXPECT_EQ(aclrtMemPoolTrimTo(pool, keep), ACL_SUCCESS);
    EXPECT_EQ(reserved(pool), 10_M);
  }
  EXPECT_EQ(aclrtMemPoolTrimTo(pool, 22_M), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(reserved(pool), 10_M);
}

TEST_F(Release, S58_TrimToUsed) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  allocate(pool, s1_, 40_M);
  release(allocate(pool, s1_, 60_M), s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolTrimTo(pool, 40_M), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 40_M);
  EXPECT_EQ(used(pool), 40_M);
}

// D5: the number is rounded up to whole granules, and a block may be released in part.
TEST_F(Release, D05_TrimRoundsUp) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  release(allocate(pool, s1_, 20_M), s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolTrimTo(pool, 4_M + 1), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 6_M);
  EXPECT_EQ(aclrtMemPoolTrimTo(pool, 1), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 2_M);
  EXPECT_EQ(aclrtMemPoolTrimTo(pool, 0), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 0U);
}

TEST_F(Release, D05_TrimBelowUsedReleasesWhatIsIdle) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  allocate(pool, s1_, 4_M);
  release(allocate(pool, s1_, 8_M), s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolTrimTo(pool, 0), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 4_M);
}

TEST_F(Release, S60_TrimBetweenRounds) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    aclrtMemPool pool = make_pool({.max_bytes = 64_M, .threshold = keep_all});
    aclrtStream stream = make_stream();
    threads.emplace_back([context, pool, stream] {
      ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      for (std::uint8_t round = 0; round < 10; ++round) {
        EXPECT_EQ(aclrtMemPoolTrimTo(pool, 20_M - round * 2_M), ACL_SUCCESS);
        std::array<void*, 3> blocks{};
        for (auto& block : blocks) {
          ASSERT_EQ(aclrtMemPoolMallocAsync(&block, 2_M, pool, stream), ACL_SUCCESS);
          fill(stream, block, 2_M, round);
        }
        EXPECT_EQ(settle(stream), ACL_SUCCESS);
        for (void* block : blocks) {
          EXPECT_TRUE(holds(block, 2_M, round));
          EXPECT_EQ(aclrtMemPoolFreeAsync(block, stream), ACL_SUCCESS);
        }
        EXPECT_EQ(settle(stream), ACL_SUCCESS);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

TEST_F(PoolLife, S61_LiveBlockOutlivesThePool) {
  const auto free_before = device_free();
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  void* block = allocate(pool, s1_, 4_M);
  ASSERT_EQ(aclrtMemPoolDestroy(pool), ACL_SUCCESS);
  EXPECT_EQ(device_free(), free_before - 4_M);
  fill(s1_, block, 4_M, 0x44);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(holds(block, 4_M, 0x44));
  release(block, s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(device_free(), free_before);
  void* second = nullptr;
  EXPECT_EQ(aclrtMemPoolMallocAsync(&second, 2_M, pool, s1_), ACL_ERROR_RT_INTERNAL_ERROR);
}

// D13: also with frees that have not run yet, and with aclrtFree.
TEST_F(PoolLife, D13_DestroyWithAFreePending) {
  const auto free_before = device_free();
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  void* pending = allocate(pool, s1_, 4_M);
  void* live = allocate(pool, s1_, 2_M);
  gate held;
  hold(s1_, held);
  release(pending, s1_);
  ASSERT_EQ(aclrtMemPoolDestroy(pool), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolFreeAsync(pending, s1_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(live), ACL_SUCCESS);
  forget(live);
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(device_free(), free_before);
}

TEST_F(PoolLife, S66_DestroyWhileAnotherThreadAllocates) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  for (int round = 0; round < 10; ++round) {
    aclrtMemPool pool = make_pool({});
    std::atomic<int> pairs{0};
    std::thread worker([&, this] {
      ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      aclError code = ACL_SUCCESS;
      while (code == ACL_SUCCESS) {
        void* block = nullptr;
        code = aclrtMemPoolMallocAsync(&block, 2_M, pool, s2_);
        if (code == ACL_SUCCESS) {
          EXPECT_EQ(aclrtMemPoolFreeAsync(block, s2_), ACL_SUCCESS);
        }
        pairs.fetch_add(1);
      }
      EXPECT_EQ(code, ACL_ERROR_RT_INTERNAL_ERROR);
    });
    EXPECT_TRUE(eventually([&] { return pairs.load() > 20; }));
    EXPECT_EQ(aclrtMemPoolDestroy(pool), ACL_SUCCESS);
    worker.join();
  }
}

TEST_F(PoolLife, S67_CreateAndDestroyWithTraffic) {
  const auto free_before = device_free();
  for (int round = 0; round < 100; ++round) {
    aclrtMemPool pool = make_pool({.max_bytes = 64_M, .threshold = keep_all});
    void* first = allocate(pool, s1_, 8_M);
    void* second = allocate(pool, s2_, 4_M);
    release(first, s1_);
    release(second, s2_);
    ASSERT_EQ(aclrtMemPoolDestroy(pool), ACL_SUCCESS);
  }
  EXPECT_EQ(settle_device(), ACL_SUCCESS);
  EXPECT_EQ(device_free(), free_before);
}

}  // namespace
