// Kernels that programs take for over without having waited, and the moment that they are given.

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "acl/soma_kernel.h"
#include "support/acl_fixture.hpp"

namespace {

using namespace support;

std::atomic<bool> may_end{false};

int write_seven(const void* arguments, std::size_t, std::uint32_t, std::uint32_t) {
  **static_cast<int* const*>(arguments) = 7;
  return 0;
}

int wait_for_the_end(const void*, std::size_t, std::uint32_t, std::uint32_t) {
  while (!may_end) {
  }
  return 0;
}

class ShortKernels : public acl_fixture {
protected:
  explicit ShortKernels(const char* milliseconds = "60000") : milliseconds_(milliseconds) {}

  void SetUp() override {
    ::setenv("SOMA_SHORT_KERNEL_MS", milliseconds_, 1);
    acl_fixture::SetUp();
    ASSERT_EQ(aclrtMalloc(reinterpret_cast<void**>(&block_), sizeof(int), ACL_MEM_MALLOC_HUGE_FIRST),
              ACL_SUCCESS);
    ASSERT_EQ(aclrtMemset(block_, sizeof(int), 0, sizeof(int)), ACL_SUCCESS);
  }

  void TearDown() override {
    may_end = true;
    EXPECT_EQ(settle_device(), ACL_SUCCESS);
    may_end = false;
    EXPECT_EQ(aclrtFree(block_), ACL_SUCCESS);
    acl_fixture::TearDown();
    ::unsetenv("SOMA_SHORT_KERNEL_MS");
  }

  void launch(const char* name, somaKernel kernel, aclrtStream stream) {
    aclrtFuncHandle function = nullptr;
    ASSERT_EQ(somaKernelRegister(name, kernel, &function), ACL_SUCCESS);
    ASSERT_EQ(aclrtLaunchKernel(function, 1, &block_, sizeof block_, stream), ACL_SUCCESS);
  }

  int copied() {
    int value = -1;
    EXPECT_EQ(aclrtMemcpy(&value, sizeof value, block_, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_SUCCESS);
    return value;
  }

  const char* milliseconds_;
  int* block_ = nullptr;
};

TEST_F(ShortKernels, AreOverWhenTheHostCopies) {
  launch("write_seven", write_seven, s1_);
  EXPECT_EQ(copied(), 7);
  EXPECT_EQ(aclrtMemset(block_, sizeof(int), 0, sizeof(int)), ACL_SUCCESS);
  launch("write_seven", write_seven, nullptr);
  EXPECT_EQ(copied(), 7) << "the default stream";
}

TEST_F(ShortKernels, AreOverWhenTheirStreamIsDestroyed) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  launch("write_seven", write_seven, stream);
  EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
  EXPECT_EQ(*block_, 7);
}

TEST_F(ShortKernels, AreOverWhenTheirMemoryIsShared) {
  std::array<char, 65> key{};
  launch("write_seven", write_seven, s1_);
  EXPECT_EQ(aclrtIpcMemGetExportKey(block_, sizeof(int), key.data(), key.size(), 0), ACL_SUCCESS);
  EXPECT_EQ(*block_, 7);
  EXPECT_EQ(aclrtIpcMemClose(key.data()), ACL_SUCCESS);
}

// The host has not waited: what has run by then is not seen, and belongs to its stream.
TEST_F(ShortKernels, OrderNothing) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  void* block = allocate(pool, s1_, 2_M);
  launch("write_seven", write_seven, s1_);
  release(block, s1_);
  EXPECT_EQ(copied(), 7);
  EXPECT_NE(allocate(pool, s2_, 2_M), block);
}

class LongKernels : public ShortKernels {
protected:
  LongKernels() : ShortKernels("1") {}
};

TEST_F(LongKernels, HoldNobody) {
  launch("wait_for_the_end", wait_for_the_end, s1_);
  EXPECT_EQ(copied(), 0);
  aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
  EXPECT_EQ(aclrtStreamQuery(s1_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
}

TEST(ShortKernelLimit, MustBeANumber) {
  ::setenv("SOMA_SHORT_KERNEL_MS", "soon", 1);
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("SOMA_SHORT_KERNEL_MS is \"soon\""), std::string::npos);
  ::unsetenv("SOMA_SHORT_KERNEL_MS");
}

}  // namespace
