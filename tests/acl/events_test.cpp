// Streams and events by themselves: handles, both kinds of event, waits that run out, and times.

#include <cstdint>
#include <functional>
#include <vector>

#include "support/acl_fixture.hpp"

namespace {

using namespace support;

class Events : public acl_fixture {
protected:
  static aclError create_with_flag(std::uint32_t flag, bool new_kind) {
    aclrtEvent event = nullptr;
    const auto code =
        new_kind ? aclrtCreateEventExWithFlag(&event, flag) : aclrtCreateEventWithFlag(&event, flag);
    if (code == ACL_SUCCESS) {
      EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
    }
    return code;
  }

  static aclrtEventStatus old_status(aclrtEvent event) {
    aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
    EXPECT_EQ(aclrtQueryEvent(event, &status), ACL_SUCCESS);
    return status;
  }

  static aclrtEventWaitStatus wait_status(aclrtEvent event) {
    aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_RESERVED;
    EXPECT_EQ(aclrtQueryEventWaitStatus(event, &status), ACL_SUCCESS);
    return status;
  }
};

class Streams : public acl_fixture {};

/// A number that is no handle.
void* invented() { return reinterpret_cast<void*>(std::uintptr_t{0x7ffffff0}); }

TEST_F(Events, FlagsOfTheOldKind) {
  for (const std::uint32_t flag : {0x1U, 0x2U, 0x8U, 0xBU, 0x10U, 0x20U}) {
    EXPECT_EQ(create_with_flag(flag, false), ACL_SUCCESS) << flag;
  }
  for (const std::uint32_t flag : {0U, 0x80U, 0x11U, 0x21U, 0x30U, 0x80000000U}) {
    EXPECT_EQ(create_with_flag(flag, false), ACL_ERROR_RT_PARAM_INVALID) << flag;
  }
}

TEST_F(Events, FlagsOfTheNewKind) {
  for (const std::uint32_t flag : {0x1U, 0x2U, 0x8U, 0xBU, 0x40U}) {
    EXPECT_EQ(create_with_flag(flag, true), ACL_SUCCESS) << flag;
  }
  for (const std::uint32_t flag : {0U, 0x80U, 0x10U, 0x20U, 0x41U, 0x80000000U}) {
    EXPECT_EQ(create_with_flag(flag, true), ACL_ERROR_RT_PARAM_INVALID) << flag;
  }
}

TEST_F(Events, NullStaleAndForeignHandles) {
  aclrtEvent dead = make_event();
  ASSERT_EQ(aclrtDestroyEvent(dead), ACL_SUCCESS);
  aclrtEvent good = make_event();
  record(good, s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  aclrtEventStatus old = ACL_EVENT_STATUS_RESERVED;
  aclrtEventWaitStatus waits = ACL_EVENT_WAIT_STATUS_RESERVED;
  float milliseconds = 0;
  std::uint64_t time = 0;
  const std::vector<std::function<aclError(aclrtEvent)>> calls{
      [&](aclrtEvent event) { return aclrtRecordEvent(event, s1_); },
      [&](aclrtEvent event) { return aclrtResetEvent(event, s1_); },
      [&](aclrtEvent event) { return aclrtStreamWaitEvent(s1_, event); },
      [&](aclrtEvent event) { return aclrtQueryEvent(event, &old); },
      [&](aclrtEvent event) { return aclrtQueryEventStatus(event, &status); },
      [&](aclrtEvent event) { return aclrtQueryEventWaitStatus(event, &waits); },
      [&](aclrtEvent event) { return aclrtSynchronizeEvent(event); },
      [&](aclrtEvent event) { return aclrtSynchronizeEventWithTimeout(event, 1); },
      [&](aclrtEvent event) { return aclrtEventElapsedTime(&milliseconds, event, good); },
      [&](aclrtEvent event) { return aclrtEventElapsedTime(&milliseconds, good, event); },
      [&](aclrtEvent event) { return aclrtEventGetTimestamp(event, &time); },
      [&](aclrtEvent event) { return aclrtDestroyEvent(event); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i](nullptr), ACL_ERROR_INVALID_PARAM) << "call " << i;
    EXPECT_EQ(calls[i](dead), ACL_ERROR_RT_INVALID_HANDLE) << "call " << i;
    EXPECT_EQ(calls[i](invented()), ACL_ERROR_RT_INVALID_HANDLE) << "call " << i;
    EXPECT_EQ(calls[i](s1_), ACL_ERROR_RT_INVALID_HANDLE) << "call " << i << ", with a stream";
  }
  EXPECT_EQ(aclrtCreateEvent(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryEventStatus(good, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtEventElapsedTime(nullptr, good, good), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtEventGetTimestamp(good, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(Events, OldKindBeforeTheFirstRecord) {
  aclrtEvent event = make_old_event();
  EXPECT_EQ(aclrtStreamWaitEvent(s1_, event), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_FALSE(is_reached(event));
  EXPECT_EQ(old_status(event), ACL_EVENT_STATUS_COMPLETE);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
}

TEST_F(Events, NewKindDoesWithoutTheOldCalls) {
  aclrtEvent event = make_event();
  aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
  aclrtEventWaitStatus waits = ACL_EVENT_WAIT_STATUS_RESERVED;
  for (const bool recorded : {false, true}) {
    if (recorded) {
      record(event, s1_);
    }
    EXPECT_EQ(aclrtQueryEvent(event, &status), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    EXPECT_EQ(aclrtQueryEventWaitStatus(event, &waits), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    EXPECT_EQ(aclrtResetEvent(event, s1_), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  }
}

TEST_F(Events, RecordOnAHeldStream) {
  for (aclrtEvent event : {make_event(), make_old_event()}) {
    gate held;
    hold(s1_, held);
    record(event, s1_);
    EXPECT_FALSE(is_reached(event));
    EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, short_wait_ms), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    held.open();
    EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, patience_ms), ACL_SUCCESS);
    EXPECT_TRUE(is_reached(event));
  }
}

TEST_F(Events, OldKindTellsWhetherWaitsAreOver) {
  aclrtEvent event = make_old_event();
  gate held;
  hold(s1_, held);
  record(event, s1_);
  wait(s2_, event);
  EXPECT_EQ(old_status(event), ACL_EVENT_STATUS_NOT_READY);
  EXPECT_EQ(wait_status(event), ACL_EVENT_WAIT_STATUS_NOT_READY);
  held.open();
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_EQ(old_status(event), ACL_EVENT_STATUS_COMPLETE);
  EXPECT_EQ(wait_status(event), ACL_EVENT_WAIT_STATUS_COMPLETE);
}

TEST_F(Events, ResetTakesTheRecordAway) {
  aclrtEvent event = make_old_event();
  record(event, s1_);
  EXPECT_EQ(aclrtResetEvent(event, s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_FALSE(is_reached(event));
  EXPECT_EQ(aclrtStreamWaitEvent(s2_, event), ACL_ERROR_RT_PARAM_INVALID);
  record(event, s1_);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_TRUE(is_reached(event));
}

TEST_F(Events, WhatAnEventWithoutTheFlagCannotDo) {
  aclrtEvent timer = nullptr;
  ASSERT_EQ(aclrtCreateEventExWithFlag(&timer, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  aclrtEvent sync_only = nullptr;
  ASSERT_EQ(aclrtCreateEventExWithFlag(&sync_only, ACL_EVENT_SYNC), ACL_SUCCESS);
  record(timer, s1_);
  record(sync_only, s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(s2_, timer), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  float milliseconds = 0;
  EXPECT_EQ(aclrtEventElapsedTime(&milliseconds, sync_only, timer), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(aclrtDestroyEvent(timer), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(sync_only), ACL_SUCCESS);
}

TEST_F(Events, EventsForTheDeviceOrOtherProcesses) {
  aclrtEvent device_only = nullptr;
  ASSERT_EQ(aclrtCreateEventWithFlag(&device_only, ACL_EVENT_DEVICE_USE_ONLY), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordEvent(device_only, s1_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtDestroyEvent(device_only), ACL_SUCCESS);
  aclrtEvent external = nullptr;
  ASSERT_EQ(aclrtCreateEventWithFlag(&external, ACL_EVENT_EXTERNAL), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(external), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtDestroyEvent(external), ACL_SUCCESS);
}

TEST_F(Events, ElapsedTime) {
  aclrtEvent start = make_event();
  aclrtEvent end = make_event();
  float milliseconds = -1;
  std::uint64_t time = 0;
  EXPECT_EQ(aclrtEventElapsedTime(&milliseconds, start, end), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(aclrtEventGetTimestamp(end, &time), ACL_ERROR_RT_INTERNAL_ERROR);
  record(start, s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  gate held;
  hold(s1_, held);
  record(end, s1_);
  EXPECT_EQ(aclrtEventElapsedTime(&milliseconds, start, end), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
  EXPECT_EQ(aclrtEventGetTimestamp(end, &time), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventElapsedTime(&milliseconds, start, end), ACL_SUCCESS);
  EXPECT_GE(milliseconds, 0.0F);
  float reverse = 1;
  EXPECT_EQ(aclrtEventElapsedTime(&reverse, end, start), ACL_SUCCESS);
  EXPECT_LE(reverse, 0.0F);
  std::uint64_t start_time = 0;
  EXPECT_EQ(aclrtEventGetTimestamp(start, &start_time), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventGetTimestamp(end, &time), ACL_SUCCESS);
  EXPECT_GE(time, start_time);
}

TEST_F(Streams, D19_NullStaleAndForeignHandles) {
  aclrtStream dead = make_stream();
  ASSERT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  aclrtEvent event = make_event();
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  std::int32_t id = 0;
  const std::vector<std::function<aclError(aclrtStream)>> calls{
      [&](aclrtStream stream) { return aclrtSynchronizeStream(stream); },
      [&](aclrtStream stream) { return aclrtSynchronizeStreamWithTimeout(stream, 1000); },
      [&](aclrtStream stream) { return aclrtStreamQuery(stream, &status); },
      [&](aclrtStream stream) { return aclrtStreamGetId(stream, &id); },
      [&](aclrtStream stream) { return aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE); },
      [&](aclrtStream stream) { return aclrtRecordEvent(event, stream); },
      [&](aclrtStream stream) { return aclrtStreamWaitEvent(stream, event); },
      [&](aclrtStream stream) { return aclrtMemsetAsync(memory, 64, 0, 64, stream); },
      [&](aclrtStream stream) {
        return aclrtMemcpyAsync(memory, 8, memory, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
      },
      [&](aclrtStream stream) { return call(stream, witness().task()); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i](nullptr), ACL_SUCCESS) << "null is the default stream: call " << i;
    EXPECT_EQ(calls[i](dead), ACL_ERROR_RT_INVALID_HANDLE) << "call " << i;
    EXPECT_EQ(calls[i](invented()), ACL_ERROR_RT_INVALID_HANDLE) << "call " << i;
    EXPECT_EQ(calls[i](event), ACL_ERROR_RT_INVALID_HANDLE) << "call " << i << ", with an event";
  }
  EXPECT_EQ(aclrtCreateStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateStreamWithConfig(nullptr, 0, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtStreamQuery(s1_, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtStreamGetId(s1_, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtLaunchHostFunc(s1_, nullptr, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(settle(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
}

TEST_F(Streams, ConfigurationIsLenient) {
  for (const std::uint32_t priority : {0U, 7U, 8U, 1000U}) {
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStreamWithConfig(&stream, priority, ACL_STREAM_FAST_LAUNCH | 0x8000U), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  }
}

TEST_F(Streams, IdsDiffer) {
  std::int32_t first = 0;
  std::int32_t second = 0;
  ASSERT_EQ(aclrtStreamGetId(s1_, &first), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamGetId(s2_, &second), ACL_SUCCESS);
  EXPECT_NE(first, second);
}

TEST_F(Streams, WaitsThatRunOut) {
  gate held;
  hold(s1_, held);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(s1_, short_wait_ms), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(short_wait_ms), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  held.open();
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(s1_, -1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(-1), ACL_SUCCESS);
}

TEST_F(Streams, WaitsThatAreNone) {
  aclrtEvent event = make_event();
  record(event, s1_);
  for (const std::int32_t timeout : {0, -2}) {
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(s1_, timeout), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, timeout), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(timeout), ACL_ERROR_RT_PARAM_INVALID);
  }
}

}  // namespace
