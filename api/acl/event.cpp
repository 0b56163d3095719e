// Events of a context. They are of two kinds, which differ in what no record means and in what is supported.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/chip.hpp"
#include "api/acl/current.hpp"
#include "api/acl/shared_event.hpp"
#include "api/acl/task_ids.hpp"
#include "api/acl/waiting.hpp"

namespace soma::acl {
namespace {

constexpr std::uint32_t unnamed_sync = event_flag_unnamed_sync;
constexpr std::uint32_t mixed_flags =
    ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | unnamed_sync | ACL_EVENT_TIME_LINE;
constexpr std::uint32_t default_flags =
    ACL_EVENT_CAPTURE_STREAM_PROGRESS | unnamed_sync | ACL_EVENT_TIME_LINE;

/// Refuses flags that are neither a mix of `mixed_flags` nor one of the two that stand alone.
void check_flags(std::uint32_t flags, std::uint32_t alone, std::uint32_t also_alone) {
  const bool mixed = (flags & ~mixed_flags) == 0 && flags != 0;
  if (!mixed && flags != alone && flags != also_alone)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "flag is " + std::to_string(flags) +
               ": it has an unknown bit, has none, or combines a flag that must stand "
               "alone with others");
}

}  // namespace

void* make_event(bool is_new_kind, std::uint32_t flags, std::shared_ptr<shared_word> shared) {
  void* const handle_of_owner = current_context_handle();
  const auto owner = current_context();
  if (events().size() >= chip::events)
    refuse(ACL_ERROR_RT_NO_EVENT_RESOURCE, "there are " + std::to_string(chip::events) +
                                               " events, the most that can exist: destroy some first");
  auto mark =
      value_of(owner->device().create_event(), {{errc::out_of_memory, ACL_ERROR_RT_NO_EVENT_RESOURCE}});
  const auto made = std::make_shared<event>(owner->on, std::move(mark), handle_of_owner, is_new_kind, flags);
  made->shared = std::move(shared);
  void* const handle = events().insert(made);
  const std::lock_guard guard{owner->lock};
  if (owner->closed) {
    events().take(handle);
    refuse(ACL_ERROR_RT_CONTEXT_NULL, "the current context was destroyed by another thread during the call");
  }
  owner->events.insert(handle);
  return handle;
}

namespace {

void require_old_kind(const event& found, const void* handle) {
  if (found.is_new_kind)
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
           "event " + to_text(handle) +
               " is of the kind that aclrtCreateEventExWithFlag makes: this call is for the older kind only");
}

/// The time of the event's record. Refuses with 507000 if there is none and 107006 if it is still ahead.
std::chrono::steady_clock::time_point time_of(const event& found, const char* argument, const void* handle) {
  const auto subject = [&] { return std::string(argument) + " " + to_text(handle); };
  if ((found.flags & ACL_EVENT_TIME_LINE) == 0)
    refuse(ACL_ERROR_RT_INTERNAL_ERROR,
           subject() + " was made without ACL_EVENT_TIME_LINE and takes no time");
  return value_of(found.mark.time(), {}, subject);
}

void synchronize_event(void* handle, std::int32_t timeout) {
  require_not_null(handle, "event");
  const auto found = event_argument(handle);
  if ((found->flags & ACL_EVENT_EXTERNAL) != 0)
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
           "event " + to_text(handle) + " was made with ACL_EVENT_EXTERNAL: the host cannot wait for it");
  if (found->shared != nullptr)
    synchronize_shared(*found, timeout);
  wait_for(found->mark, timeout, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
}

void record_event(void* handle, void* stream, std::uint32_t flag) {
  require_not_null(handle, "event");
  const auto recorded = event_argument(handle);
  const auto on = stream_argument(stream);
  if ((recorded->flags & ACL_EVENT_DEVICE_USE_ONLY) != 0)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "event " + to_text(handle) +
               " was made with ACL_EVENT_DEVICE_USE_ONLY: the host cannot record it");
  {
    const std::lock_guard guard{recorded->lock};
    if (recorded->record_flag.value_or(flag) != flag)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "flag is " + std::to_string(flag) + ", but event " + to_text(handle) +
                 " was recorded with the other one before: use the same for all records");
    recorded->record_flag = flag;
  }
  value_of(on->queue.record(recorded->mark));
  if (recorded->shared != nullptr)
    record_shared(*recorded, *on);
  note_task();
}

bool waits_are_over(event& awaited) {
  std::vector<std::shared_ptr<soma::event>> marks;
  {
    const std::lock_guard guard{awaited.lock};
    for (const auto& [stream, mark] : awaited.waits)
      marks.push_back(mark);
  }
  return std::all_of(marks.begin(), marks.end(), [](const auto& mark) { return value_of(mark->query()); });
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtCreateEvent(aclrtEvent* event) {
  return host_call("aclrtCreateEvent", [&] {
    require_not_null(event, "event");
    *event = make_event(false, default_flags, nullptr);
  });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  return host_call("aclrtCreateEventWithFlag", [&] {
    require_not_null(event, "event");
    check_flags(flag, ACL_EVENT_DEVICE_USE_ONLY, ACL_EVENT_EXTERNAL);
    *event = make_event(false, flag, nullptr);
  });
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return host_call("aclrtCreateEventExWithFlag", [&] {
    require_not_null(event, "event");
    check_flags(flag, ACL_EVENT_IPC, ACL_EVENT_IPC);
    static_cast<void>(current_context());
    *event = make_event(true, flag, flag == ACL_EVENT_IPC ? shared_word::make() : nullptr);
  });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  return host_call("aclrtDestroyEvent", [&] {
    require_not_null(event, "event");
    const auto taken = events().take(event);
    if (taken == nullptr)
      refuse(ACL_ERROR_RT_INVALID_HANDLE,
             "event " + to_text(event) + " is not a live event: it was destroyed before or never was one");
    if (const auto owner = contexts().find(taken->context)) {
      const std::lock_guard guard{owner->lock};
      owner->events.erase(event);
    }
  });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return host_call("aclrtRecordEvent", [&] { record_event(event, stream, ACL_EVENT_RECORD_DEFAULT); });
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag) {
  return host_call("aclrtRecordEventWithFlag", [&] {
    if (flag > ACL_EVENT_RECORD_EXTERNAL)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is " + std::to_string(flag) + ": it must be 0 or 1");
    record_event(event, stream, flag);
  });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return host_call("aclrtResetEvent", [&] {
    require_not_null(event, "event");
    const auto found = event_argument(event);
    const auto on = stream_argument(stream);
    require_old_kind(*found, event);
    value_of(found->mark.reset(on->queue));
  });
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return call("aclrtQueryEvent", [&] {
    require_not_null(event, "event");
    require_not_null(status, "status");
    const auto found = event_argument(event);
    require_old_kind(*found, event);
    *status = value_of(found->mark.query()) ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
  });
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return call("aclrtQueryEventStatus", [&] {
    require_not_null(event, "event");
    require_not_null(status, "status");
    const auto found = event_argument(event);
    const bool has_answer = found->is_new_kind || found->mark.recorded();
    const bool others = found->shared == nullptr || is_reached_shared(*found);
    *status = has_answer && value_of(found->mark.query()) && others ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                                                                    : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return call("aclrtQueryEventWaitStatus", [&] {
    require_not_null(event, "event");
    require_not_null(status, "status");
    const auto found = event_argument(event);
    require_old_kind(*found, event);
    *status = waits_are_over(*found) ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
  });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return host_call("aclrtSynchronizeEvent", [&] { synchronize_event(event, wait_for_ever); });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return host_call("aclrtSynchronizeEventWithTimeout", [&] {
    require_not_null(event, "event");
    check_timeout(timeout);
    synchronize_event(event, timeout);
  });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return call("aclrtEventElapsedTime", [&] {
    require_not_null(ms, "ms");
    require_not_null(startEvent, "startEvent");
    require_not_null(endEvent, "endEvent");
    const auto from = event_argument(startEvent);
    const auto to = event_argument(endEvent);
    const auto start = time_of(*from, "startEvent", startEvent);
    *ms = std::chrono::duration<float, std::milli>(time_of(*to, "endEvent", endEvent) - start).count();
  });
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return call("aclrtEventGetTimestamp", [&] {
    require_not_null(event, "event");
    require_not_null(timestamp, "timestamp");
    const auto since = time_of(*event_argument(event), "event", event).time_since_epoch();
    *timestamp =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(since).count());
  });
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  return call("aclrtGetEventId", [&] {
    require_not_null(event, "event");
    require_not_null(eventId, "eventId");
    *eventId = static_cast<std::uint32_t>(event_argument(event)->mark.id());
  });
}

aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  return call("aclrtGetEventAvailNum", [&] {
    require_not_null(eventCount, "eventCount");
    static_cast<void>(current_context());
    *eventCount =
        static_cast<std::uint32_t>(chip::events - std::min<std::size_t>(events().size(), chip::events));
  });
}
