// Streams of a context. Each is a stream of the C++ interface, in its context's failure group.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/chip.hpp"
#include "api/acl/current.hpp"
#include "api/acl/short_kernels.hpp"
#include "api/acl/state_callbacks.hpp"
#include "api/acl/stream_calls.hpp"
#include "api/acl/waiting.hpp"

namespace soma::acl {
namespace {

constexpr std::uint32_t lowest_priority = 7;

/// Enters a stream or event into its context's list, in which the context finds what ends with it. Gives
/// whether the context is in stop mode. Refuses if the context has been destroyed meanwhile.
bool enter_stream(context& owner, void* handle) {
  const std::lock_guard guard{owner.lock};
  if (owner.closed) {
    streams().take(handle);
    refuse(ACL_ERROR_RT_CONTEXT_NULL, "the current context was destroyed by another thread during the call");
  }
  owner.streams.insert(handle);
  return owner.stops_on_failure;
}

void check_limit() {
  if (streams().size() >= chip::streams + contexts().size())  // each context has a default stream beside
    refuse(ACL_ERROR_RT_NO_STREAM_RESOURCE, "there are " + std::to_string(chip::streams) +
                                                " streams, the most that can exist: destroy some first");
}

void destroy_stream(void* handle, bool wait) {
  require_not_null(handle, "stream");
  {
    const auto found = stream_argument(handle);
    if (found->is_default)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "stream " + to_text(handle) +
                 " is its context's default stream, which ends with the context: destroy "
                 "the context or reset the device");
    if (!wait)
      let_short_kernel_end();
    if (const auto owner = contexts().find(found->context)) {
      const std::lock_guard guard{owner->lock};
      owner->streams.erase(handle);
    }
  }
  tell_stream_state(handle, ACL_RT_STREAM_STATE_DESTROY_PRE);
  const auto taken = streams().take(handle);
  if (taken == nullptr)
    refuse(ACL_ERROR_RT_INVALID_HANDLE,
           "stream " + to_text(handle) + " was destroyed by another thread at this time");
  // The failed tasks of a stream that goes away are no failure of going away.
  if (wait)
    static_cast<void>(taken->queue.synchronize());
}

}  // namespace

void* make_stream(std::uint32_t priority, std::uint32_t flags) {
  void* const handle_of_owner = current_context_handle();
  const auto owner = current_context();
  check_limit();
  const bool fails_alone = (flags & ACL_STREAM_DEVICE_USE_ONLY) != 0;
  const auto mode = !fails_alone && is_in_stop_mode(*owner) ? failure_mode::stop : failure_mode::proceed;
  const soma::stream_options options{false, mode, fails_alone ? 0 : owner->failure_group,
                                     std::min(priority, lowest_priority), flags};
  auto queue = value_of(owner->device().create_stream(options),
                        {{errc::out_of_memory, ACL_ERROR_RT_NO_STREAM_RESOURCE}});
  void* const handle = streams().insert(
      std::make_shared<stream>(stream{owner->on, std::move(queue), handle_of_owner, false, flags}));
  if (enter_stream(*owner, handle) && !fails_alone)
    if (const auto made = streams().find(handle))
      value_of(made->queue.set_failure_mode(failure_mode::stop));
  tell_stream_state(handle, ACL_RT_STREAM_STATE_CREATE_POST);
  return handle;
}

}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtCreateStream(aclrtStream* stream) {
  return host_call("aclrtCreateStream", [&] {
    require_not_null(stream, "stream");
    *stream = make_stream(0, 0);
  });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return host_call("aclrtCreateStreamWithConfig", [&] {
    require_not_null(stream, "stream");
    *stream = make_stream(priority, flag);
  });
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return host_call("aclrtDestroyStream", [&] { destroy_stream(stream, true); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return host_call("aclrtDestroyStreamForce", [&] { destroy_stream(stream, false); });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return host_call("aclrtSynchronizeStream",
                   [&] { value_of(stream_of_any_context(stream)->queue.synchronize()); });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return host_call("aclrtSynchronizeStreamWithTimeout", [&] {
    check_timeout(timeout);
    const auto awaited = stream_of_any_context(stream);
    wait_for(awaited->queue, timeout, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  });
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return call("aclrtStreamQuery", [&] {
    require_not_null(status, "status");
    const bool complete = value_of(stream_argument(stream)->queue.query());
    *status = complete ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  });
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  return call("aclrtStreamGetId", [&] {
    require_not_null(streamId, "streamId");
    *streamId = static_cast<std::int32_t>(stream_argument(stream)->queue.id());
  });
}
