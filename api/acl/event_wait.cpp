// Streams that wait for events.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/shared_event.hpp"
#include "api/acl/task_ids.hpp"

namespace soma::acl {
namespace {

/// The limit of waits without one of their own, in seconds; 0: none.
constinit std::atomic<std::uint32_t> general_limit = 0;

/// The mark behind the stream's waits for the event; made at the first of them.
std::shared_ptr<soma::event> wait_mark(event& awaited, const stream& waiting) {
  const std::uint64_t id = waiting.queue.id();
  {
    const std::lock_guard guard{awaited.lock};
    if (const auto known = awaited.waits.find(id); known != awaited.waits.end())
      return known->second;
  }
  auto made = std::make_shared<soma::event>(value_of(waiting.device().create_event()));
  const std::lock_guard guard{awaited.lock};
  return awaited.waits.try_emplace(id, std::move(made)).first->second;
}

/// Queues the wait, if there is anything to wait for.
void wait_in_stream(void* stream_handle, void* handle, std::uint32_t seconds) {
  require_not_null(handle, "event");
  const auto awaited = event_argument(handle);
  const auto waiting = stream_argument(stream_handle);
  // What lets streams wait: SYNC, the unnamed bit of aclrtCreateEvent's events, and IPC.
  constexpr std::uint32_t waitable = ACL_EVENT_SYNC | event_flag_unnamed_sync | ACL_EVENT_IPC;
  if ((awaited->flags & waitable) == 0)
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
           "event " + to_text(handle) + " was made without ACL_EVENT_SYNC: streams cannot wait for it");
  if (!awaited->is_new_kind && !awaited->mark.recorded())
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "event " + to_text(handle) + " was never recorded, or was reset since: record it before the wait");
  const auto limit =
      std::chrono::seconds(seconds != 0 ? seconds : general_limit.load(std::memory_order_relaxed));
  if (awaited->shared != nullptr)
    wait_shared(*awaited, *waiting);
  value_of(waiting->queue.wait(awaited->mark, limit));
  if (!awaited->is_new_kind)
    value_of(waiting->queue.record(*wait_mark(*awaited, *waiting)));
  note_task();
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return host_call("aclrtStreamWaitEvent", [&] { wait_in_stream(stream, event, 0); });
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  return host_call("aclrtStreamWaitEventWithTimeout", [&] {
    if (timeout < 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "timeout is " + std::to_string(timeout) + ": it must be a number of seconds, or 0 for no limit");
    wait_in_stream(stream, event, static_cast<std::uint32_t>(timeout));
  });
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag) {
  return host_call("aclrtStreamWaitEventWithFlag", [&] {
    if (flag > ACL_EVENT_WAIT_EXTERNAL)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is " + std::to_string(flag) + ": it must be 0 or 1");
    wait_in_stream(stream, event, timeout);
  });
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
  return call("aclrtSetOpWaitTimeout", [&] {
    static_cast<void>(current_context());
    general_limit.store(timeout, std::memory_order_relaxed);
  });
}
