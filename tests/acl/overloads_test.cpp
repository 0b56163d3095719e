// The names of acl_rt_api.h: each does what the C function does that it stands for.

#include <array>
#include <cstdint>
#include <vector>

#include "acl/acl_rt_api.h"
#include "support/acl_fixture.hpp"

namespace {

using namespace support;

class Overloads : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    ASSERT_EQ(aclrtMalloc(&device_, bytes), ACL_SUCCESS);
    ASSERT_EQ(aclrtMallocHost(&host_, bytes), ACL_SUCCESS);
    for (int i = 0; i != count; ++i) {
      host_[i] = i;
    }
  }

  void TearDown() override {
    EXPECT_EQ(aclrtFreeHost(host_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(device_), ACL_SUCCESS);
    acl_fixture::TearDown();
  }

  static constexpr int count = 16;
  static constexpr std::size_t bytes = count * sizeof(int);
  int* device_ = nullptr;
  int* host_ = nullptr;
};

TEST_F(Overloads, Allocation) {
  float* block = nullptr;
  EXPECT_EQ(aclrtMalloc(&block, 100, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  aclrtPtrAttributes attributes{};
  EXPECT_EQ(aclrtPointerGetAttributes(block, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemAllocManaged(&block, 100), ACL_SUCCESS);
  EXPECT_EQ(aclrtPointerGetAttributes(block, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_MANAGED);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  EXPECT_EQ(aclrtMalloc(&block, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(block, nullptr);
}

TEST_F(Overloads, Copies) {
  std::array<int, count> back{};
  EXPECT_EQ(aclrtMemcpyAsync(device_, bytes, host_, bytes, ACL_MEMCPY_HOST_TO_DEVICE, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(s1_, patience_ms), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(back.data(), bytes, device_, bytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(back[count - 1], count - 1);
  EXPECT_EQ(aclrtMemcpy(back.data(), 1, device_, bytes, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_ERROR_RT_PARAM_INVALID);
}

// Two columns of a matrix with four.
TEST_F(Overloads, Rectangles) {
  constexpr std::size_t row = 4 * sizeof(int);
  constexpr std::size_t width = 2 * sizeof(int);
  std::array<int, 8> back{};
  EXPECT_EQ(aclrtMemcpy2d(device_, width, host_, row, width, 4, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy2dAsync(host_, width, device_, width, width, 4, ACL_MEMCPY_DEVICE_TO_HOST, s1_),
            ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  back = {host_[0], host_[1], host_[2], host_[3], host_[4], host_[5], host_[6], host_[7]};
  EXPECT_EQ(back, (std::array<int, 8>{0, 1, 4, 5, 8, 9, 12, 13}));
}

TEST_F(Overloads, Batches) {
  aclrtMemcpyBatchAttr down{};
  down.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
  down.srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST};
  int* to[] = {device_, device_ + 1};
  int* from[] = {host_ + 3, host_ + 5};
  std::size_t room[] = {sizeof(int), sizeof(int)};
  std::size_t sizes[] = {sizeof(int), sizeof(int)};
  std::size_t first[] = {0};
  std::size_t failed = 7;
  const auto is_copied = [this] {
    std::array<int, 2> back{};
    EXPECT_EQ(settle(s1_), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemcpy(back.data(), sizeof back, device_, sizeof back, ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_SUCCESS);
    EXPECT_EQ(aclrtMemset(device_, bytes, 0, bytes), ACL_SUCCESS);
    return back == std::array<int, 2>{3, 5};
  };
  EXPECT_EQ(aclrtMemcpyBatch(to, room, from, sizes, 2, down), ACL_SUCCESS);
  EXPECT_TRUE(is_copied());
  EXPECT_EQ(aclrtMemcpyBatch(to, room, from, sizes, 2, &down, first, 1, &failed), ACL_SUCCESS);
  EXPECT_TRUE(is_copied());
  EXPECT_EQ(aclrtMemcpyBatchAsync(to, room, from, sizes, 2, down, s1_), ACL_SUCCESS);
  EXPECT_TRUE(is_copied());
  EXPECT_EQ(aclrtMemcpyBatchAsync(to, room, from, sizes, 2, down, &failed, s1_), ACL_SUCCESS);
  EXPECT_TRUE(is_copied());
  EXPECT_EQ(aclrtMemcpyBatchAsync(to, room, from, sizes, 2, &down, first, 1, s1_), ACL_SUCCESS);
  EXPECT_TRUE(is_copied());
  EXPECT_EQ(aclrtMemcpyBatchAsync(to, room, from, sizes, 2, &down, first, 1, &failed, s1_), ACL_SUCCESS);
  EXPECT_TRUE(is_copied());
}

TEST_F(Overloads, RegisteredMemory) {
  alignas(4096) static std::array<int, 1024> own{};
  int* for_tasks = nullptr;
  EXPECT_EQ(aclrtHostRegister(own.data(), sizeof own, ACL_HOST_REGISTER_MAPPED, &for_tasks), ACL_SUCCESS);
  EXPECT_EQ(for_tasks, own.data());
  EXPECT_EQ(aclrtHostUnregister(own.data()), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostRegister(own.data(), sizeof own, std::uint32_t{ACL_HOST_REG_MAPPED}), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostGetDevicePointer(own.data(), &for_tasks, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostUnregister(own.data()), ACL_SUCCESS);
}

TEST_F(Overloads, Prefetches) {
  int* managed = nullptr;
  ASSERT_EQ(aclrtMemAllocManaged(&managed, bytes), ACL_SUCCESS);
  aclrtMemManagedLocation there{ACL_MEM_LOCATIONTYPE_DEVICE, 0};
  const int* all[] = {managed};
  std::size_t sizes[] = {bytes};
  std::size_t first[] = {0};
  EXPECT_EQ(aclrtMemManagedPrefetchAsync(managed, bytes, there, 0, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemManagedPrefetchBatchAsync(all, sizes, 1, there, 0, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemManagedPrefetchBatchAsync(all, sizes, 1, &there, first, 1, 0, s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(managed), ACL_SUCCESS);
}

TEST_F(Overloads, StreamsAndEvents) {
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  EXPECT_EQ(aclrtCreateStream(&stream, 3, ACL_STREAM_FAST_SYNC), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateEvent(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
  EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE) << "a NEW event, which has no record";
  EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(s1_, event, 5), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event, patience_ms), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDevice(patience_ms), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  std::uint64_t actual = 0;
  EXPECT_EQ(aclrtSetOpExecuteTimeOut(2'000'000, &actual), ACL_SUCCESS);
  EXPECT_GE(actual, 2'000'000U);
}

}  // namespace
