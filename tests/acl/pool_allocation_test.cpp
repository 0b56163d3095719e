// Malloc and free of pools: data, sizes, limits, and mixing with plain memory.

#include <cstdint>
#include <cstring>
#include <limits>

#include "support/acl_fixture.hpp"

namespace {

using namespace support;

class Allocation : public acl_fixture {
protected:
  static void expect_refused(aclrtMemPool pool, aclrtStream stream, std::size_t bytes, aclError code) {
    void* block = &block;
    EXPECT_EQ(aclrtMemPoolMallocAsync(&block, bytes, pool, stream), code) << bytes;
    EXPECT_EQ(block, nullptr) << bytes;
  }
};

TEST_F(Allocation, S13_WriteAndRead) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 2_M);
  host_buffer pattern(2_M);
  host_buffer copy(2_M);
  for (std::uint32_t i = 0; i < 2_M / sizeof(i); ++i) {
    static_cast<std::uint32_t*>(pattern.data())[i] = i;
  }
  EXPECT_EQ(aclrtMemcpyAsync(block, 2_M, pattern.data(), 2_M, ACL_MEMCPY_HOST_TO_DEVICE, s1_), ACL_SUCCESS);
  copy.copy_from(block, s1_);
  release(block, s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(std::memcmp(copy.data(), pattern.data(), 2_M), 0);
  EXPECT_EQ(used(pool), 0U);
}

TEST_F(Allocation, S14_BadArguments) {
  aclrtMemPool pool = make_pool({});
  aclrtStream dead = make_stream();
  ASSERT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  void* block = nullptr;
  EXPECT_EQ(aclrtMemPoolMallocAsync(nullptr, 2_M, pool, s1_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolMallocAsync(&block, 2_M, nullptr, s1_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolMallocAsync(&block, 2_M, pool, dead), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(used(pool), 0U);
  EXPECT_EQ(used_high(pool), 0U);
}

// A size that cannot be rounded up to 2 MiB is 107000, one that no pool can hold 507000.
TEST_F(Allocation, S15_HugeSizes) {
  aclrtMemPool pool = make_pool({});
  constexpr auto largest = std::numeric_limits<std::size_t>::max();
  expect_refused(pool, s1_, largest, ACL_ERROR_RT_PARAM_INVALID);
  expect_refused(pool, s1_, largest - 2_M + 2, ACL_ERROR_RT_PARAM_INVALID);
  expect_refused(pool, s1_, largest - 2_M + 1, ACL_ERROR_RT_INTERNAL_ERROR);
  expect_refused(pool, s1_, std::size_t{1} << 63, ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(used(pool), 0U);
  EXPECT_EQ(used_high(pool), 0U);
  EXPECT_EQ(reserved_high(pool), 0U);
  allocate(pool, s1_, 2_M);
}

TEST_F(Allocation, D04_ZeroBytes) {
  aclrtMemPool pool = make_pool({});
  expect_refused(pool, s1_, 0, ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(used_high(pool), 0U);
}

TEST_F(Allocation, S17_BadFreeLeavesTheBlock) {
  aclrtMemPool pool = make_pool({});
  aclrtStream dead = make_stream();
  ASSERT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  void* block = allocate(pool, s1_, 2_M);
  EXPECT_EQ(aclrtMemPoolFreeAsync(nullptr, s1_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemPoolFreeAsync(block, dead), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtMemPoolFreeAsync(block, nullptr), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(used(pool), 2_M);
  release(block, s1_);
  EXPECT_EQ(used(pool), 0U);
}

TEST_F(Allocation, S18_SecondFreeAfterSync) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 2_M);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  release(block, s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolFreeAsync(block, s1_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(used(pool), 0U);
}

TEST_F(Allocation, S22_PlainMemoryFreedByAStream) {
  aclrtMemPool pool = make_pool({});
  const auto free_before = device_free();
  void* plain = nullptr;
  ASSERT_EQ(aclrtMalloc(&plain, 2_M, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  const auto free_with_plain = device_free();
  EXPECT_LT(free_with_plain, free_before);
  gate held;
  hold(s1_, held);
  ASSERT_EQ(aclrtMemPoolFreeAsync(plain, s1_), ACL_SUCCESS);
  EXPECT_EQ(device_free(), free_with_plain);
  EXPECT_EQ(aclrtMemset(plain, 2_M, 0x5A, 2_M), ACL_SUCCESS);
  EXPECT_TRUE(holds(plain, 2_M, 0x5A));
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(device_free(), free_before);
  EXPECT_EQ(used_high(pool), 0U);
  EXPECT_EQ(reserved_high(pool), 0U);
}

TEST_F(Allocation, S23_PoolMemoryFreedAtOnce) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 4_M);
  fill(s1_, block, 4_M, 1);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  forget(block);
  EXPECT_EQ(used(pool), 0U);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 0U);
}

// D16: with a threshold the block stays, and is given out again.
TEST_F(Allocation, D16_PoolMemoryFreedAtOnceIsIdle) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  void* block = allocate(pool, s1_, 4_M);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  forget(block);
  EXPECT_EQ(aclrtFree(block), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemPoolFreeAsync(block, s1_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(used(pool), 0U);
  EXPECT_EQ(reserved(pool), 4_M);
  EXPECT_EQ(allocate(pool, s1_, 4_M), block);
  EXPECT_EQ(reserved(pool), 4_M);
}

// D16: it does not wait for a stream that is held.
TEST_F(Allocation, D16_FreeAtOnceWaitsForNothing) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 4_M);
  gate held;
  hold(s1_, held);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  forget(block);
  EXPECT_EQ(used(pool), 0U);
  EXPECT_FALSE(is_complete(s1_));
}

TEST_F(Allocation, S24_Limit) {
  aclrtMemPool pool = make_pool({.max_bytes = 1024_M});
  allocate(pool, s1_, 512_M);
  expect_refused(pool, s1_, 513_M, ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(used(pool), 512_M);
  EXPECT_EQ(reserved(pool), 512_M);
  EXPECT_EQ(used_high(pool), 512_M);
  allocate(pool, s1_, 512_M);
  EXPECT_EQ(used(pool), 1024_M);
}

TEST_F(Allocation, S25_NoLimit) {
  aclrtMemPool pool = make_pool({});
  allocate(pool, s1_, 512_M);
  allocate(pool, s1_, 513_M);
  EXPECT_EQ(used(pool), 1026_M);
}

TEST_F(Allocation, LimitIsRoundedUp) {
  aclrtMemPool pool = make_pool({.max_bytes = 2_M + 1});
  allocate(pool, s1_, 4_M);
  expect_refused(pool, s1_, 1, ACL_ERROR_RT_INTERNAL_ERROR);
}

TEST_F(Allocation, SeveralPoolsMayTogetherBeLargerThanTheDevice) {
  make_pool({.max_bytes = device_total()});
  aclrtMemPool second = make_pool({.max_bytes = device_total()});
  allocate(second, s1_, 2_M);
}

TEST_F(Allocation, BlocksAreAlignedAndApart) {
  aclrtMemPool pool = make_pool({});
  void* first = allocate(pool, s1_, 2_M + 5);
  void* second = allocate(pool, s2_, 1);
  EXPECT_EQ((number(first) - number(second)) % 2_M, 0U);
  EXPECT_TRUE(apart(first, 4_M, second, 2_M));
}

TEST_F(Allocation, TheDefaultStreamByItsHandle) {
  aclrtMemPool pool = make_pool({});
  aclrtStream by_default = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&by_default), ACL_SUCCESS);
  void* block = allocate(pool, by_default, 2_M);
  fill(nullptr, block, 2_M, 3);
  EXPECT_EQ(settle(nullptr), ACL_SUCCESS);
  EXPECT_TRUE(holds(block, 2_M, 3));
  release(block, by_default);
}

}  // namespace
