// Attributes and counters of pools: what can be set, what is read back, and how the counters move.
// There is no default pool here: where a scenario speaks of one, a new pool with all switches off stands in.

#include <array>
#include <cstdint>
#include <vector>

#include "support/acl_fixture.hpp"

namespace {

using namespace support;

constexpr std::array switches{ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES,
                              ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC,
                              ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES};

constexpr std::array marks{ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH};

class PoolAttributes : public acl_fixture {
protected:
  aclrtMemPool new_pool(std::size_t max_bytes = 0) { return make_pool({.max_bytes = max_bytes}); }

  static void expect_untouched(aclrtMemPool pool) {
    EXPECT_EQ(used(pool), 0U);
    EXPECT_EQ(used_high(pool), 0U);
    EXPECT_EQ(reserved(pool), 0U);
    EXPECT_EQ(reserved_high(pool), 0U);
  }
};

TEST_F(PoolAttributes, S01_D06_NewPool) {
  const auto properties = good_properties();
  aclrtMemPool pool = nullptr;
  ASSERT_EQ(aclrtMemPoolCreate(&pool, &properties), ACL_SUCCESS);
  for (const auto which : switches) {
    EXPECT_EQ(get_switch(pool, which), 0U) << which;
  }
  EXPECT_EQ(threshold(pool), 0U);
  expect_untouched(pool);
  EXPECT_EQ(aclrtMemPoolDestroy(pool), ACL_SUCCESS);
}

TEST_F(PoolAttributes, S02_EachSwitchAlone) {
  aclrtMemPool pool = new_pool();
  for (const auto changed : switches) {
    for (const std::uint32_t value : {1U, 0U}) {
      set_switch(pool, changed, value);
      for (const auto which : switches) {
        EXPECT_EQ(get_switch(pool, which), which == changed ? value : 0U) << which;
      }
    }
  }
}

TEST_F(PoolAttributes, SwitchesTakeAnythingButZeroAsOne) {
  aclrtMemPool pool = new_pool();
  for (const auto which : switches) {
    set_switch(pool, which, 0x80000000U);
    EXPECT_EQ(get_switch(pool, which), 1U) << which;
  }
}

TEST_F(PoolAttributes, SwitchesTouchFourBytesOnly) {
  aclrtMemPool pool = new_pool();
  std::array<std::uint32_t, 2> value{7, 7};
  ASSERT_EQ(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, value.data()), ACL_SUCCESS);
  EXPECT_EQ(value[0], 0U);
  EXPECT_EQ(value[1], 7U);
}

// D8: any threshold is accepted, also one above the pool's size.
TEST_F(PoolAttributes, S03_ThresholdIsReadBack) {
  aclrtMemPool pool = new_pool(4_M);
  for (const std::uint64_t bytes :
       {std::uint64_t{4096}, std::uint64_t{1} << 40, keep_all, std::uint64_t{0}}) {
    set_threshold(pool, bytes);
    EXPECT_EQ(threshold(pool), bytes);
  }
}

TEST_F(PoolAttributes, S05_HighMarksTakeOnlyZero) {
  aclrtMemPool pool = new_pool();
  release(allocate(pool, s1_, 6_M), s1_);
  for (const auto which : marks) {
    for (std::uint64_t value : {std::uint64_t{1}, std::uint64_t{6_M}, keep_all}) {
      EXPECT_EQ(aclrtMemPoolSetAttr(pool, which, &value), ACL_ERROR_RT_INTERNAL_ERROR) << which;
      EXPECT_EQ(attribute(pool, which), 6_M) << which;
    }
  }
}

// D3: a mark that was reset reads 0 until the next malloc, and then the then-current value.
TEST_F(PoolAttributes, D03_HighMarksAfterReset) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  allocate(pool, s1_, 4_M);
  release(allocate(pool, s1_, 8_M), s1_);
  for (const auto which : marks) {
    std::uint64_t zero = 0;
    ASSERT_EQ(aclrtMemPoolSetAttr(pool, which, &zero), ACL_SUCCESS);
    EXPECT_EQ(attribute(pool, which), 0U);
  }
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(used_high(pool), 0U);
  EXPECT_EQ(reserved_high(pool), 0U);
  allocate(pool, s1_, 2_M);
  EXPECT_EQ(used_high(pool), 6_M);
  EXPECT_EQ(reserved_high(pool), 12_M);
}

TEST_F(PoolAttributes, S06_BadArguments) {
  aclrtMemPool pool = new_pool();
  std::uint64_t value = 0;
  const auto unknown = static_cast<aclrtMemPoolAttr>(9);
  EXPECT_EQ(aclrtMemPoolGetAttr(pool, unknown, &value), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemPoolSetAttr(pool, unknown, &value), ACL_ERROR_RT_PARAM_INVALID);
  for (const auto which :
       {ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD}) {
    EXPECT_EQ(aclrtMemPoolGetAttr(pool, which, nullptr), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtMemPoolSetAttr(pool, which, nullptr), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtMemPoolGetAttr(nullptr, which, &value), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtMemPoolSetAttr(nullptr, which, &value), ACL_ERROR_INVALID_PARAM);
  }
  ASSERT_EQ(aclrtMemPoolDestroy(pool), ACL_SUCCESS);
  for (const auto which :
       {ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD}) {
    EXPECT_EQ(aclrtMemPoolGetAttr(pool, which, &value), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtMemPoolSetAttr(pool, which, &value), ACL_ERROR_RT_PARAM_INVALID);
  }
}

TEST_F(PoolAttributes, S08_D10_FreeWhileBlocked) {
  aclrtMemPool pool = new_pool();
  void* large = allocate(pool, s1_, 32_M);
  allocate(pool, s1_, 4_M);
  const auto reserved_before = reserved(pool);
  gate held;
  hold(s1_, held);
  release(large, s1_);
  EXPECT_EQ(used(pool), 4_M);  // D10: at the call
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(used(pool), 4_M);
  EXPECT_EQ(used_high(pool), 36_M);
  EXPECT_LE(reserved(pool), reserved_before);
}

TEST_F(PoolAttributes, S09_PoolsCountApart) {
  aclrtMemPool pool = new_pool();
  aclrtMemPool other = new_pool();
  void* block = allocate(other, s1_, 6_M);
  EXPECT_EQ(used(other), 6_M);
  release(block, s1_);
  EXPECT_EQ(used(other), 0U);
  expect_untouched(pool);
}

TEST_F(PoolAttributes, S10_CountersOverRounds) {
  aclrtMemPool pool = new_pool();
  std::vector<void*> blocks(20);
  for (auto& block : blocks) {
    block = allocate(pool, s1_, 2_M);
  }
  EXPECT_EQ(reserved_high(pool), reserved(pool));
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  auto mark = reserved_high(pool);
  for (const std::size_t left : {20U, 10U, 0U}) {
    while (blocks.size() > left) {
      release(blocks.back(), s1_);
      blocks.pop_back();
    }
    EXPECT_EQ(settle(s1_), ACL_SUCCESS);
    EXPECT_EQ(used(pool), left * 2_M);
    EXPECT_EQ(used_high(pool), 40_M);
    EXPECT_GE(reserved_high(pool), mark);
    mark = reserved_high(pool);
  }
}

TEST_F(PoolAttributes, S11_PlainMemoryIsNotCounted) {
  aclrtMemPool pool = new_pool();
  void* plain = nullptr;
  ASSERT_EQ(aclrtMalloc(&plain, 8_M, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  expect_untouched(pool);
  ASSERT_EQ(aclrtFree(plain), ACL_SUCCESS);
  expect_untouched(pool);
}

// D7: what is counted are whole granules.
TEST_F(PoolAttributes, D07_UsedCountsRoundedSizes) {
  aclrtMemPool pool = new_pool();
  allocate(pool, s1_, 1);
  EXPECT_EQ(used(pool), 2_M);
  EXPECT_EQ(reserved(pool), 2_M);
  allocate(pool, s1_, 2_M + 1);
  EXPECT_EQ(used(pool), 6_M);
  EXPECT_EQ(reserved(pool), 6_M);
}

}  // namespace
