// Streams: configurations, attributes, stopping and aborting, calls when they come and go, limits of time.

#include <cstdint>
#include <thread>
#include <vector>

#include "acl/bad_enums.h"
#include "acl/soma_kernel.h"
#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

class StreamControl : public acl_fixture {
protected:
  /// A task that runs until it is asked to end, and says when it has begun.
  static void run_until_stopped(aclrtStream stream, std::atomic<bool>& begun) {
    EXPECT_EQ(call(stream,
                   [&begun] {
                     begun = true;
                     while (somaKernelStopRequested() == 0) {
                       std::this_thread::yield();
                     }
                   }),
              ACL_SUCCESS);
    EXPECT_TRUE(eventually([&] { return begun.load(); }));
  }
};

TEST_F(StreamControl, StopEndsTheRunningTaskOnly) {
  std::atomic<bool> begun{false};
  run_until_stopped(s1_, begun);
  const witness queued;
  call(s1_, queued);
  EXPECT_EQ(aclrtStreamStop(s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_TRUE(queued.ran());
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
}

TEST_F(StreamControl, StopOfAnIdleStreamDoesNothing) {
  EXPECT_EQ(aclrtStreamStop(s1_), ACL_SUCCESS);
  const witness task;
  call(s1_, task);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(task.ran());
}

TEST_F(StreamControl, StopEndsAWaitForAValue) {
  alignas(8) std::uint64_t word = 0;
  EXPECT_EQ(aclrtValueWait(&word, 1, ACL_STREAM_WAIT_VALUE_EQ, s1_), ACL_SUCCESS);
  EXPECT_TRUE(eventually([&] {  // it may not have begun to wait
    EXPECT_EQ(aclrtStreamStop(s1_), ACL_SUCCESS);
    return is_complete(s1_);
  }));
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_INTERNAL_ERROR);
}

TEST_F(StreamControl, AbortDropsWorkAndTellsWhoWaits) {
  std::atomic<bool> begun{false};
  run_until_stopped(s1_, begun);
  const witness queued;
  call(s1_, queued);
  aclError of_waiter = ACL_SUCCESS;
  std::atomic<bool> waits{false};
  std::thread waiter([&] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    waits = true;
    of_waiter = aclrtSynchronizeStream(s1_);
  });
  ASSERT_TRUE(eventually([&] { return waits.load(); }));
  EXPECT_EQ(aclrtStreamAbort(s1_), ACL_SUCCESS);
  waiter.join();
  // It may have come too late, to an empty stream.
  EXPECT_TRUE(of_waiter == ACL_ERROR_RT_STREAM_ABORT || of_waiter == ACL_SUCCESS) << of_waiter;
  EXPECT_FALSE(queued.ran());
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  const witness later;
  call(s1_, later);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(later.ran());
}

// Frees and records among what is dropped take effect.
TEST_F(StreamControl, AbortKeepsFreesAndRecords) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 4_M);
  std::atomic<bool> begun{false};
  run_until_stopped(s1_, begun);
  release(block, s1_);
  aclrtEvent event = make_event();
  record(event, s1_);
  EXPECT_FALSE(is_reached(event));
  EXPECT_EQ(aclrtStreamAbort(s1_), ACL_SUCCESS);
  EXPECT_TRUE(is_reached(event));
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 0U);
}

TEST_F(StreamControl, FailedWaitsAreTold) {
  gate held;
  hold(s1_, held);
  aclrtEvent event = make_event();
  record(event, s1_);
  EXPECT_EQ(aclrtStreamWaitEventWithTimeout(s2_, event, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEventWithTimeout(s3_, event, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(s2_, 1100), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  held.open();
  EXPECT_EQ(settle(s2_), ACL_ERROR_RT_TASK_TIMEOUT);
  EXPECT_EQ(settle(s3_), ACL_SUCCESS);
}

TEST_F(StreamControl, Configurations) {
  aclrtStreamConfigHandle* handle = aclrtCreateStreamConfigHandle();
  ASSERT_NE(handle, nullptr);
  const std::size_t flag = ACL_STREAM_FAST_SYNC;
  const std::uint32_t short_flag = ACL_STREAM_HUGE;
  const std::uint32_t priority = 5;
  const std::uint32_t low = 8;
  std::uint32_t seen = 0;
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, &flag, sizeof flag), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_PRIORITY, &priority, sizeof priority), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateStreamV2(&stream, handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetFlags(stream, &seen), ACL_SUCCESS);
  EXPECT_EQ(seen, ACL_STREAM_FAST_SYNC);
  EXPECT_EQ(aclrtStreamGetPriority(stream, &seen), ACL_SUCCESS);
  EXPECT_EQ(seen, 5U);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamConfigOpt(handle, ACL_RT_STREAM_FLAG, &short_flag, sizeof short_flag), ACL_SUCCESS);
  EXPECT_EQ(handle->flag, ACL_STREAM_HUGE);
  const auto set = [handle](aclrtStreamConfigAttr which, const void* value, std::size_t bytes) {
    return aclrtSetStreamConfigOpt(handle, which, value, bytes);
  };
  check_failures({
      {"aclrtSetStreamConfigOpt", 100000, "handle",
       [&] { return aclrtSetStreamConfigOpt(nullptr, ACL_RT_STREAM_FLAG, &flag, 8); }},
      {"aclrtSetStreamConfigOpt", 100000, "attrValue", [&] { return set(ACL_RT_STREAM_FLAG, nullptr, 8); }},
      {"aclrtSetStreamConfigOpt", 100000, "attr is 4",
       [&] { return set_configuration_of(handle, 4, &flag, 8); }},
      {"aclrtSetStreamConfigOpt", 100000, "valueSize is 2",
       [&] { return set(ACL_RT_STREAM_FLAG, &flag, 2); }},
      {"aclrtSetStreamConfigOpt", 100000, "valueSize is 4",
       [&] { return set(ACL_RT_STREAM_WORK_SIZE, &flag, 4); }},
      {"aclrtSetStreamConfigOpt", 100000, "priority is 8",
       [&] { return set(ACL_RT_STREAM_PRIORITY, &low, 4); }},
      {"aclrtCreateStreamV2", 100000, "stream", [=] { return aclrtCreateStreamV2(nullptr, handle); }},
      {"aclrtCreateStreamV2", 100000, "handle", [&] { return aclrtCreateStreamV2(&stream, nullptr); }},
      {"aclrtDestroyStreamConfigHandle", 100000, "handle",
       [] { return aclrtDestroyStreamConfigHandle(nullptr); }},
  });
  EXPECT_EQ(aclrtDestroyStreamConfigHandle(handle), ACL_SUCCESS);
}

TEST_F(StreamControl, Attributes) {
  aclrtStreamAttrValue value{};
  value.userCustomTag = 77;
  EXPECT_EQ(aclrtSetStreamAttribute(s1_, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), ACL_SUCCESS);
  value = {};
  EXPECT_EQ(aclrtGetStreamAttribute(s1_, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), ACL_SUCCESS);
  EXPECT_EQ(value.userCustomTag, 77U);
  EXPECT_EQ(aclrtGetStreamAttribute(s2_, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), ACL_SUCCESS);
  EXPECT_EQ(value.userCustomTag, 0U);
  value.streamPriority = 6;
  EXPECT_EQ(aclrtSetStreamAttribute(s1_, ACL_STREAM_ATTR_PRIORITY, &value), ACL_SUCCESS);
  std::uint32_t priority = 0;
  EXPECT_EQ(aclrtStreamGetPriority(s1_, &priority), ACL_SUCCESS);
  EXPECT_EQ(priority, 6U);
  EXPECT_EQ(aclrtGetStreamAttribute(s1_, ACL_STREAM_ATTR_FAILURE_MODE, &value), ACL_SUCCESS);
  EXPECT_EQ(value.failureMode, std::uint64_t{ACL_CONTINUE_ON_FAILURE});
  aclrtStreamAttrValue low{};
  low.streamPriority = 8;
  check_failures({
      {"aclrtSetStreamAttribute", 100000, "value",
       [&] { return aclrtSetStreamAttribute(s1_, ACL_STREAM_ATTR_PRIORITY, nullptr); }},
      {"aclrtGetStreamAttribute", 100000, "value",
       [&] { return aclrtGetStreamAttribute(s1_, ACL_STREAM_ATTR_PRIORITY, nullptr); }},
      {"aclrtSetStreamAttribute", 107000, "stmAttrType is 6",
       [&] { return aclrtSetStreamAttribute(s1_, static_cast<aclrtStreamAttr>(6), &value); }},
      {"aclrtGetStreamAttribute", 107000, "stmAttrType is 0",
       [&] { return aclrtGetStreamAttribute(s1_, static_cast<aclrtStreamAttr>(0), &value); }},
      {"aclrtSetStreamAttribute", 107000, "streamPriority is 8",
       [&] { return aclrtSetStreamAttribute(s1_, ACL_STREAM_ATTR_PRIORITY, &low); }},
      {"aclrtSetStreamAttribute", 207000, "default stream",
       [&] { return aclrtSetStreamAttribute(nullptr, ACL_STREAM_ATTR_FAILURE_MODE, &value); }},
      {"aclrtSetStreamOverflowSwitch", 207000, "aclrtSetDeviceSatMode",
       [&] { return aclrtSetStreamOverflowSwitch(s1_, 1); }},
  });
}

TEST_F(StreamControl, HowManyAreLeft) {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  EXPECT_EQ(aclrtGetStreamAvailableNum(&before), ACL_SUCCESS);
  EXPECT_EQ(before, 1984U - 3U);
  make_stream();
  EXPECT_EQ(aclrtGetStreamAvailableNum(&after), ACL_SUCCESS);
  EXPECT_EQ(after, before - 1);
}

TEST_F(StreamControl, NoMoreThanTheLimit) {
  std::uint32_t left = 0;
  aclrtStream one_more = nullptr;
  ASSERT_EQ(aclrtGetStreamAvailableNum(&left), ACL_SUCCESS);
  for (std::uint32_t made = 0; made != left; ++made) {
    make_stream();
  }
  check_failures({{"aclrtCreateStream", 207008, "1984", [&] { return aclrtCreateStream(&one_more); }}});
}

std::vector<std::pair<aclrtStream, int>> states;

void note_state(aclrtStream stream, aclrtStreamState state, void* /*argument*/) {
  states.emplace_back(stream, state);
}

TEST_F(StreamControl, CallsWhenStreamsComeAndGo) {
  states.clear();
  EXPECT_EQ(aclrtRegStreamStateCallback("test", note_state, nullptr), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
  EXPECT_EQ(states, (decltype(states){{stream, 1}, {stream, 2}}));
  check_failures({
      {"aclrtRegStreamStateCallback", 107000, "\"test\"",
       [] { return aclrtRegStreamStateCallback("test", note_state, nullptr); }},
      {"aclrtRegStreamStateCallback", 100000, "regName",
       [] { return aclrtRegStreamStateCallback(nullptr, note_state, nullptr); }},
  });
  EXPECT_EQ(aclrtRegStreamStateCallback("test", nullptr, nullptr), ACL_SUCCESS);
  make_stream();
  EXPECT_EQ(states.size(), 2U);
}

TEST_F(StreamControl, ErrorsOfHandles) {
  aclrtStream dead = make_stream();
  ASSERT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  std::uint32_t value = 0;
  aclrtStreamAttrValue attribute{};
  alignas(8) std::uint64_t words[8] = {};
  check_failures({
      {"aclrtStreamStop", 107000, "stream", [] { return aclrtStreamStop(nullptr); }},
      {"aclrtStreamStop", 107017, "stream", [=] { return aclrtStreamStop(dead); }},
      {"aclrtStreamAbort", 107017, "stream", [=] { return aclrtStreamAbort(dead); }},
      {"aclrtStreamGetFlags", 107017, "stream", [&] { return aclrtStreamGetFlags(dead, &value); }},
      {"aclrtStreamGetFlags", 100000, "flags", [&] { return aclrtStreamGetFlags(s1_, nullptr); }},
      {"aclrtStreamGetPriority", 107017, "stream", [&] { return aclrtStreamGetPriority(dead, &value); }},
      {"aclrtStreamGetPriority", 100000, "priority", [&] { return aclrtStreamGetPriority(s1_, nullptr); }},
      {"aclrtGetStreamAvailableNum", 100000, "streamCount",
       [] { return aclrtGetStreamAvailableNum(nullptr); }},
      {"aclrtSetStreamAttribute", 107017, "stream",
       [&] { return aclrtSetStreamAttribute(dead, ACL_STREAM_ATTR_PRIORITY, &attribute); }},
      {"aclrtGetStreamOverflowSwitch", 100000, "flag",
       [&] { return aclrtGetStreamOverflowSwitch(s1_, nullptr); }},
      {"aclrtGetOverflowStatus", 100000, "outputAddr",
       [&] { return aclrtGetOverflowStatus(nullptr, 64, s1_); }},
      {"aclrtGetOverflowStatus", 107000, "outputSize is 32",
       [&] { return aclrtGetOverflowStatus(words, 32, s1_); }},
      {"aclrtGetOverflowStatus", 107017, "stream", [&] { return aclrtGetOverflowStatus(words, 64, dead); }},
      {"aclrtResetOverflowStatus", 107017, "stream", [=] { return aclrtResetOverflowStatus(dead); }},
      {"aclrtSetStreamResLimit", 107017, "stream",
       [=] { return aclrtSetStreamResLimit(dead, ACL_RT_DEV_RES_CUBE_CORE, 1); }},
      {"aclrtGetStreamResLimit", 100000, "value",
       [&] { return aclrtGetStreamResLimit(s1_, ACL_RT_DEV_RES_CUBE_CORE, nullptr); }},
      {"aclrtUseStreamResInCurrentThread", 107017, "stream",
       [=] { return aclrtUseStreamResInCurrentThread(dead); }},
      {"aclrtStreamWaitEventWithTimeout", 107000, "timeout is -1",
       [&] { return aclrtStreamWaitEventWithTimeout(s1_, make_event(), -1); }},
      {"aclrtStreamWaitEventWithFlag", 107000, "flag is 2",
       [&] { return aclrtStreamWaitEventWithFlag(s1_, make_event(), 0, 2); }},
  });
}

}  // namespace
