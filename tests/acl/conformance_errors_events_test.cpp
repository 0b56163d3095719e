// G3: every row of errors of the functions for events. The code is compared exactly, and the text has to name
// the argument that is wrong.

#include <cstdint>
#include <thread>

#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

class ErrorsOfEvents : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    dead_stream_ = make_stream();
    ASSERT_EQ(aclrtDestroyStream(dead_stream_), ACL_SUCCESS);
    dead_event_ = make_event();
    ASSERT_EQ(aclrtDestroyEvent(dead_event_), ACL_SUCCESS);
    event_ = make_event();
    old_event_ = make_old_event();
  }

  static aclrtEvent event_with(std::uint32_t flag, bool new_kind) {
    aclrtEvent event = nullptr;
    EXPECT_EQ(new_kind ? aclrtCreateEventExWithFlag(&event, flag) : aclrtCreateEventWithFlag(&event, flag),
              ACL_SUCCESS);
    return event;
  }

  aclrtStream dead_stream_ = nullptr;
  aclrtEvent dead_event_ = nullptr;
  aclrtEvent event_ = nullptr;
  aclrtEvent old_event_ = nullptr;
};

TEST_F(ErrorsOfEvents, G3_EventHandles) {
  record(event_, s1_);
  ASSERT_EQ(settle(s1_), ACL_SUCCESS);
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  aclrtEventStatus old = ACL_EVENT_STATUS_RESERVED;
  aclrtEventWaitStatus waits = ACL_EVENT_WAIT_STATUS_RESERVED;
  float ms = 0;
  std::uint64_t time = 0;
  for (aclrtEvent event : {aclrtEvent{nullptr}, dead_event_}) {
    const aclError code = event == nullptr ? 100000 : 107017;
    check_failures({
        {"aclrtDestroyEvent", code, "event", [=] { return aclrtDestroyEvent(event); }},
        {"aclrtRecordEvent", code, "event", [&] { return aclrtRecordEvent(event, s1_); }},
        {"aclrtResetEvent", code, "event", [&] { return aclrtResetEvent(event, s1_); }},
        {"aclrtStreamWaitEvent", code, "event", [&] { return aclrtStreamWaitEvent(s1_, event); }},
        {"aclrtQueryEvent", code, "event", [&] { return aclrtQueryEvent(event, &old); }},
        {"aclrtQueryEventStatus", code, "event", [&] { return aclrtQueryEventStatus(event, &status); }},
        {"aclrtQueryEventWaitStatus", code, "event",
         [&] { return aclrtQueryEventWaitStatus(event, &waits); }},
        {"aclrtSynchronizeEvent", code, "event", [=] { return aclrtSynchronizeEvent(event); }},
        {"aclrtSynchronizeEventWithTimeout", code, "event",
         [=] { return aclrtSynchronizeEventWithTimeout(event, 1); }},
        {"aclrtEventElapsedTime", code, "vent", [&] { return aclrtEventElapsedTime(&ms, event, event_); }},
        {"aclrtEventElapsedTime", code, "vent", [&] { return aclrtEventElapsedTime(&ms, event_, event); }},
        {"aclrtEventGetTimestamp", code, "event", [&] { return aclrtEventGetTimestamp(event, &time); }},
    });
  }
  check_failures({
      {"aclrtRecordEvent", 107017, "stream", [&] { return aclrtRecordEvent(event_, dead_stream_); }},
      {"aclrtResetEvent", 107017, "stream", [&] { return aclrtResetEvent(old_event_, dead_stream_); }},
      {"aclrtStreamWaitEvent", 107017, "stream", [&] { return aclrtStreamWaitEvent(dead_stream_, event_); }},
      {"aclrtQueryEvent", 100000, "status", [&] { return aclrtQueryEvent(old_event_, nullptr); }},
      {"aclrtQueryEventStatus", 100000, "status", [&] { return aclrtQueryEventStatus(event_, nullptr); }},
      {"aclrtQueryEventWaitStatus", 100000, "status",
       [&] { return aclrtQueryEventWaitStatus(old_event_, nullptr); }},
      {"aclrtEventElapsedTime", 100000, "ms", [&] { return aclrtEventElapsedTime(nullptr, event_, event_); }},
      {"aclrtEventGetTimestamp", 100000, "timestamp",
       [&] { return aclrtEventGetTimestamp(event_, nullptr); }},
  });
}

TEST_F(ErrorsOfEvents, G3_KindsOfEvents) {
  aclrtEvent timer = event_with(ACL_EVENT_TIME_LINE, true);
  aclrtEvent external = event_with(ACL_EVENT_EXTERNAL, false);
  aclrtEvent of_device = event_with(ACL_EVENT_DEVICE_USE_ONLY, false);
  aclrtEvent event = nullptr;
  aclrtEventStatus old = ACL_EVENT_STATUS_RESERVED;
  aclrtEventWaitStatus waits = ACL_EVENT_WAIT_STATUS_RESERVED;
  check_failures({
      {"aclrtCreateEvent", 100000, "event", [] { return aclrtCreateEvent(nullptr); }},
      {"aclrtCreateEventWithFlag", 100000, "event", [] { return aclrtCreateEventWithFlag(nullptr, 1); }},
      {"aclrtCreateEventWithFlag", 107000, "flag is 0", [&] { return aclrtCreateEventWithFlag(&event, 0); }},
      {"aclrtCreateEventWithFlag", 107000, "flag is 17",
       [&] { return aclrtCreateEventWithFlag(&event, 17); }},
      {"aclrtCreateEventExWithFlag", 100000, "event", [] { return aclrtCreateEventExWithFlag(nullptr, 1); }},
      {"aclrtCreateEventExWithFlag", 107000, "flag is 0",
       [&] { return aclrtCreateEventExWithFlag(&event, 0); }},
      {"aclrtCreateEventExWithFlag", 107000, "flag is 65",
       [&] { return aclrtCreateEventExWithFlag(&event, 65); }},
      {"aclrtRecordEvent", 107000, "ACL_EVENT_DEVICE_USE_ONLY",
       [&] { return aclrtRecordEvent(of_device, s1_); }},
      {"aclrtStreamWaitEvent", 207000, "ACL_EVENT_SYNC", [&] { return aclrtStreamWaitEvent(s1_, timer); }},
      {"aclrtStreamWaitEvent", 107000, "event", [&] { return aclrtStreamWaitEvent(s1_, old_event_); }},
      {"aclrtSynchronizeEvent", 207000, "ACL_EVENT_EXTERNAL",
       [&] { return aclrtSynchronizeEvent(external); }},
      {"aclrtResetEvent", 207000, "event", [&] { return aclrtResetEvent(event_, s1_); }},
      {"aclrtQueryEvent", 207000, "event", [&] { return aclrtQueryEvent(event_, &old); }},
      {"aclrtQueryEventWaitStatus", 207000, "event",
       [&] { return aclrtQueryEventWaitStatus(event_, &waits); }},
  });
  for (aclrtEvent made : {timer, external, of_device}) {
    EXPECT_EQ(aclrtDestroyEvent(made), ACL_SUCCESS);
  }
}

TEST_F(ErrorsOfEvents, G3_TimesOfEvents) {
  aclrtEvent without = event_with(ACL_EVENT_SYNC, true);
  float ms = 0;
  std::uint64_t time = 0;
  record(old_event_, s1_);
  ASSERT_EQ(settle(s1_), ACL_SUCCESS);
  check_failures({
      {"aclrtEventElapsedTime", 507000, "startEvent",
       [&] { return aclrtEventElapsedTime(&ms, event_, old_event_); }},
      {"aclrtEventElapsedTime", 507000, "endEvent",
       [&] { return aclrtEventElapsedTime(&ms, old_event_, event_); }},
      {"aclrtEventElapsedTime", 507000, "ACL_EVENT_TIME_LINE",
       [&] { return aclrtEventElapsedTime(&ms, old_event_, without); }},
      {"aclrtEventGetTimestamp", 507000, "event", [&] { return aclrtEventGetTimestamp(event_, &time); }},
      {"aclrtEventGetTimestamp", 507000, "ACL_EVENT_TIME_LINE",
       [&] { return aclrtEventGetTimestamp(without, &time); }},
      {"aclrtSynchronizeEventWithTimeout", 107000, "timeout is 0",
       [&] { return aclrtSynchronizeEventWithTimeout(event_, 0); }},
      {"aclrtSynchronizeEventWithTimeout", 107000, "timeout is -2",
       [&] { return aclrtSynchronizeEventWithTimeout(event_, -2); }},
  });
  gate held;
  hold(s1_, held);
  record(event_, s1_);
  check_failures({
      {"aclrtEventElapsedTime", 107006, "startEvent",
       [&] { return aclrtEventElapsedTime(&ms, event_, old_event_); }},
      {"aclrtEventElapsedTime", 107006, "endEvent",
       [&] { return aclrtEventElapsedTime(&ms, old_event_, event_); }},
      {"aclrtEventGetTimestamp", 107006, "event", [&] { return aclrtEventGetTimestamp(event_, &time); }},
      {"aclrtSynchronizeEventWithTimeout", 507047, "time",
       [&] { return aclrtSynchronizeEventWithTimeout(event_, short_wait_ms); }},
  });
  EXPECT_EQ(aclrtDestroyEvent(without), ACL_SUCCESS);
}

TEST_F(ErrorsOfEvents, G3_WithoutOrInAnotherContext) {
  aclrtContext home = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&home), ACL_SUCCESS);
  aclrtContext other = nullptr;
  ASSERT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
  check_failures({
      {"aclrtRecordEvent", 107003, "stream", [this] { return aclrtRecordEvent(event_, s1_); }},
      {"aclrtResetEvent", 107003, "stream", [this] { return aclrtResetEvent(old_event_, s1_); }},
      {"aclrtStreamWaitEvent", 107003, "stream", [this] { return aclrtStreamWaitEvent(s1_, event_); }},
  });
  ASSERT_EQ(aclrtSetCurrentContext(home), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
  std::thread([this] {
    aclrtEvent event = nullptr;
    check_failures({
        {"aclrtCreateEvent", 107002, "context", [&] { return aclrtCreateEvent(&event); }},
        {"aclrtCreateEventWithFlag", 107002, "context", [&] { return aclrtCreateEventWithFlag(&event, 1); }},
        {"aclrtCreateEventExWithFlag", 107002, "context",
         [&] { return aclrtCreateEventExWithFlag(&event, 1); }},
        {"aclrtRecordEvent", 107002, "context", [this] { return aclrtRecordEvent(event_, nullptr); }},
        {"aclrtResetEvent", 107002, "context", [this] { return aclrtResetEvent(old_event_, nullptr); }},
        {"aclrtStreamWaitEvent", 107002, "context", [this] { return aclrtStreamWaitEvent(nullptr, event_); }},
    });
  }).join();
}

}  // namespace
