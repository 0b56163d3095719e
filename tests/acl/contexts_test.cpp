// Start and end of the library, devices, contexts, and whose streams a thread may use.

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "support/acl_fixture.hpp"

namespace {

using namespace support;

/// Without any start: the tests do that themselves, and leave nothing behind.
class Library : public testing::Test {};

class Contexts : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    ASSERT_EQ(aclrtGetCurrentContext(&home_), ACL_SUCCESS);
  }

  void TearDown() override {
    EXPECT_EQ(aclrtSetCurrentContext(home_), ACL_SUCCESS);
    acl_fixture::TearDown();
  }

  aclrtContext home_ = nullptr;
};

/// Runs the part in a thread that has never set a device or context.
void in_a_new_thread(const std::function<void()>& part) { std::thread(part).join(); }

/// A number that is no handle.
void* invented() { return reinterpret_cast<void*>(std::uintptr_t{0x7ffffff0}); }

TEST_F(Library, InitAndFinalizeCount) {
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(aclFinalizeReference(nullptr), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(aclInit("no such file"), ACL_ERROR_REPEAT_INITIALIZE);
  std::uint64_t left = 99;
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 2U);
  EXPECT_EQ(aclFinalizeReference(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 0U);
  EXPECT_EQ(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
}

TEST_F(Library, FinalizeDropsAllReferences) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
    EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
  }
}

TEST_F(Library, InitWithoutItsFile) {
  EXPECT_EQ(aclInit("no such file"), ACL_ERROR_INVALID_FILE);
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
}

TEST_F(Library, WhatNeedsNoContext) {
  in_a_new_thread([] {
    std::uint32_t devices = 0;
    EXPECT_EQ(aclrtGetDeviceCount(&devices), ACL_SUCCESS);
    EXPECT_GE(devices, 1U);
    aclrtRunMode mode = ACL_DEVICE;
    EXPECT_EQ(aclrtGetRunMode(&mode), ACL_SUCCESS);
    EXPECT_EQ(mode, ACL_HOST);
    EXPECT_NE(aclrtGetSocName(), nullptr);
    std::int32_t major = 0;
    std::int32_t minor = 0;
    std::int32_t patch = -1;
    EXPECT_EQ(aclrtGetVersion(&major, &minor, &patch), ACL_SUCCESS);
    EXPECT_EQ(major, ACL_MAJOR_VERSION);
    EXPECT_EQ(minor, ACL_MINOR_VERSION);
    EXPECT_EQ(patch, ACL_PATCH_VERSION);
    int own = 0;
    EXPECT_EQ(aclrtFree(&own), ACL_ERROR_RT_PARAM_INVALID);
  });
}

TEST_F(Library, NullResults) {
  EXPECT_EQ(aclrtGetDeviceCount(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetRunMode(nullptr), ACL_ERROR_INVALID_PARAM);
  std::int32_t number_of = 0;
  EXPECT_EQ(aclrtGetVersion(nullptr, &number_of, &number_of), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetVersion(&number_of, nullptr, &number_of), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetVersion(&number_of, &number_of, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(Library, DevicesAreCounted) {
  EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  std::int32_t device = -1;
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

TEST_F(Library, ForcedResetIgnoresTheCount) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(Library, DevicesThatDoNotExist) {
  std::uint32_t devices = 0;
  ASSERT_EQ(aclrtGetDeviceCount(&devices), ACL_SUCCESS);
  aclrtContext context = nullptr;
  for (const auto device : {-1, static_cast<std::int32_t>(devices)}) {
    EXPECT_EQ(aclrtSetDevice(device), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_EQ(aclrtResetDevice(device), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_EQ(aclrtResetDeviceForce(device), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_EQ(aclrtCreateContext(&context, device), ACL_ERROR_RT_INVALID_DEVICEID);
  }
}

TEST_F(Contexts, WithoutAContext) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  void* block = allocate(pool, s1_, 2_M);
  aclrtEvent used_event = make_event();
  in_a_new_thread([this, pool, block, used_event] {
    void* memory = nullptr;
    std::int32_t device = 0;
    std::size_t bytes = 0;
    aclrtContext context = nullptr;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    aclrtMemPool made = nullptr;
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    std::uint64_t value = 0;
    const auto properties = good_properties();
    const std::vector<std::function<aclError()>> calls{
        [&] { return aclrtGetDevice(&device); },
        [&] { return aclrtGetCurrentContext(&context); },
        [&] { return aclrtCtxGetCurrentDefaultStream(&stream); },
        [&] { return aclrtMalloc(&memory, 2_M, ACL_MEM_MALLOC_HUGE_FIRST); },
        [&] { return aclrtMallocHost(&memory, 64); },
        [&] { return aclrtCreateStream(&stream); },
        [&] { return aclrtCreateEvent(&event); },
        [&] { return aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC); },
        [&] { return aclrtGetMemInfo(ACL_HBM_MEM, &bytes, &bytes); },
        [&] { return aclrtSynchronizeDevice(); },
        [&] { return aclrtSynchronizeStream(nullptr); },
        [&] { return aclrtStreamQuery(nullptr, &status); },
        [&] { return aclrtRecordEvent(used_event, nullptr); },
        [&] { return aclrtStreamWaitEvent(nullptr, used_event); },
        [&] { return aclrtMemsetAsync(block, 2_M, 0, 2_M, nullptr); },
        [&] { return aclrtMemPoolCreate(&made, &properties); },
        [&] { return aclrtMemPoolDestroy(pool); },
        [&] { return aclrtMemPoolTrimTo(pool, 0); },
        [&] { return aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &value); },
        [&] { return aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value); },
    };
    for (std::size_t i = 0; i < calls.size(); ++i) {
      EXPECT_EQ(calls[i](), ACL_ERROR_RT_CONTEXT_NULL) << "call " << i;
    }
    // The three switches need none, and the stream-ordered calls say 107003.
    EXPECT_EQ(get_switch(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC), 0U);
    set_switch(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 1);
    EXPECT_EQ(aclrtMemPoolMallocAsync(&memory, 2_M, pool, s1_), ACL_ERROR_RT_STREAM_CONTEXT);
    EXPECT_EQ(aclrtMemPoolFreeAsync(block, s1_), ACL_ERROR_RT_STREAM_CONTEXT);
  });
  EXPECT_EQ(get_switch(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC), 1U);
  EXPECT_EQ(used(pool), 2_M);
}

TEST_F(Contexts, CreateMakesCurrentAndDestroyUnbinds) {
  aclrtContext made = nullptr;
  ASSERT_EQ(aclrtCreateContext(&made, 0), ACL_SUCCESS);
  aclrtContext current = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, made);
  EXPECT_NE(made, home_);
  aclrtStream by_default = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&by_default), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(made), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSynchronizeStream(by_default), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtDestroyContext(made), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtSetCurrentContext(made), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(Contexts, BadContexts) {
  EXPECT_EQ(aclrtCreateContext(nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetCurrentContext(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetDevice(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetCurrentContext(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyContext(nullptr), ACL_ERROR_INVALID_PARAM);
  for (void* wrong : {invented(), s1_}) {
    EXPECT_EQ(aclrtSetCurrentContext(wrong), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtDestroyContext(wrong), ACL_ERROR_RT_CONTEXT_NULL);
  }
  EXPECT_EQ(aclrtDestroyContext(home_), ACL_ERROR_RT_CONTEXT_NULL) << "the primary context";
}

TEST_F(Contexts, SetDeviceDropsTheSetContext) {
  aclrtContext made = nullptr;
  ASSERT_EQ(aclrtCreateContext(&made, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext current = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, home_);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(made), ACL_SUCCESS);
}

TEST_F(Contexts, StreamsOfAnotherContext) {
  aclrtEvent event = make_event();
  aclrtContext made = nullptr;
  ASSERT_EQ(aclrtCreateContext(&made, 0), ACL_SUCCESS);
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  std::int32_t id = 0;
  const std::vector<std::function<aclError()>> calls{
      [&] { return aclrtMemsetAsync(memory, 64, 0, 64, s1_); },
      [&] { return aclrtMemcpyAsync(memory, 8, memory, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, s1_); },
      [&] { return aclrtRecordEvent(event, s1_); },
      [&] { return aclrtStreamWaitEvent(s1_, event); },
      [&] { return aclrtStreamQuery(s1_, &status); },
      [&] { return aclrtStreamGetId(s1_, &id); },
      [&] { return aclrtSetStreamFailureMode(s1_, ACL_CONTINUE_ON_FAILURE); },
      [&] { return call(s1_, witness().task()); },
      [&] { return aclrtDestroyStream(s1_); },
      [&] { return aclrtDestroyStreamForce(s1_); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i](), ACL_ERROR_RT_STREAM_CONTEXT) << "call " << i;
  }
  EXPECT_EQ(aclrtSynchronizeStream(s1_), ACL_SUCCESS) << "waiting is allowed";
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(made), ACL_SUCCESS);
}

TEST_F(Contexts, EachHasItsOwnDefaultStream) {
  aclrtStream first = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&first), ACL_SUCCESS);
  gate held;
  hold(nullptr, held);
  aclrtContext made = nullptr;
  ASSERT_EQ(aclrtCreateContext(&made, 0), ACL_SUCCESS);
  aclrtStream second = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&second), ACL_SUCCESS);
  EXPECT_NE(first, second);
  EXPECT_TRUE(is_complete(nullptr));
  EXPECT_EQ(settle(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetCurrentContext(home_), ACL_SUCCESS);
  EXPECT_FALSE(is_complete(nullptr));
  EXPECT_FALSE(is_complete(first));
  EXPECT_EQ(aclrtDestroyContext(made), ACL_SUCCESS);
}

TEST_F(Contexts, SharedByThreads) {
  in_a_new_thread([this] {
    ASSERT_EQ(aclrtSetCurrentContext(home_), ACL_SUCCESS);
    const witness task;
    call(s1_, task);
    EXPECT_EQ(settle(s1_), ACL_SUCCESS);
    EXPECT_TRUE(task.ran());
  });
}

}  // namespace
