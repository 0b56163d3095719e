// Copies and fills. Those without a stream are done by the calling thread itself: device memory is memory of
// this process.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/process.hpp"
#include "api/acl/task_ids.hpp"

namespace soma::acl {
namespace {

bool is_on_device(soma::memory_location location) {
  return location == memory_location::device || location == memory_location::device_pool;
}

/// Where an address is; before there is a runtime, all memory is the program's own.
soma::memory_location locate(const void* address) {
  const auto on = existing_machine();
  return on != nullptr ? on->runtime.locate(address) : memory_location::unknown;
}

void check_kind(int kind) {
  if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
    refuse(ACL_ERROR_INVALID_PARAM, "kind is " + std::to_string(kind) + ": it must be from 0 to 5");
}

void check_room(std::size_t count, std::size_t room, const char* name_of_room) {
  if (count > room)
    refuse(ACL_ERROR_RT_PARAM_INVALID, "count is " + std::to_string(count) + " bytes, but " + name_of_room +
                                           ", the room at the destination, is " + std::to_string(room));
}

void check_copy(const void* dst, std::size_t dst_max, const void* src, std::size_t count, int kind) {
  require_not_null(dst, "dst");
  require_not_null(src, "src");
  check_kind(kind);
  check_room(count, dst_max, "destMax");
}

/// The kind that the addresses tell.
int kind_of(bool to_device, bool from_device) {
  if (from_device)
    return to_device ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST;
  return to_device ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_HOST_TO_HOST;
}

/// Checks the kind of a copy in a stream against where its addresses are.
void check_direction(int kind, int actual) {
  const int wanted = kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE ? int{ACL_MEMCPY_HOST_TO_DEVICE} : kind;
  if (wanted != ACL_MEMCPY_DEFAULT && wanted != actual)
    refuse(ACL_ERROR_RT_PARAM_INVALID, "kind is " + std::to_string(kind) +
                                           ", but the addresses are those of a copy of kind " +
                                           std::to_string(actual) + ": pass that kind or ACL_MEMCPY_DEFAULT");
  if (actual == ACL_MEMCPY_HOST_TO_HOST)
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
           "streams do not copy from host to host: use memcpy or aclrtMemcpy after a synchronise");
}

/// What this thread is about to do itself, for the race detector.
void tell_host_access(std::initializer_list<soma::access> accesses, const soma::place& at) {
  if (const auto on = existing_machine(); on != nullptr && on->runtime.checked()) [[unlikely]]
    value_of(on->runtime.host_access({accesses.begin(), accesses.size()}, at));
}

/// Queues a copy from a buffer of its own, so that the source is free at the return.
void copy_through_buffer(soma::stream& on, void* dst, const void* src, std::size_t count,
                         const soma::place& at) {
  tell_host_access({{src, count}}, at);
  const std::shared_ptr<std::byte[]> buffer(new std::byte[count]);
  std::memcpy(buffer.get(), src, count);
  const soma::access written[] = {{dst, count, true}};
  value_of(on.call([buffer, dst, count] { std::memcpy(dst, buffer.get(), count); }, written, at));
}

void copy_in_stream(soma::stream& on, void* dst, const void* src, std::size_t count, int kind,
                    const soma::place& at) {
  const memory_location to = locate(dst);
  const memory_location from = locate(src);
  check_direction(kind, kind_of(is_on_device(to), is_on_device(from)));
  if (kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
    copy_through_buffer(on, dst, src, count, at);
  } else if (to == memory_location::unknown || from == memory_location::unknown) {
    // Ordinary host memory need not outlive the call, so the call itself does the copy. After a failed task
    // it does not, as what there is to copy may be wrong.
    value_of(on.synchronize());
    tell_host_access({{dst, count, true}, {src, count}}, at);
    std::memmove(dst, src, count);
  } else {
    value_of(on.copy(dst, src, count, at));
  }
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  return host_call("aclrtMemcpy", [&](const soma::place& at) {
    if (count == 0)
      return;
    check_copy(dst, destMax, src, count, number_of(kind));
    if (dst == src)
      return;
    if (is_on_device(locate(dst)) || is_on_device(locate(src)))
      current_context();  // refuses if there is none
    tell_host_access({{dst, count, true}, {src, count}}, at);
    std::memmove(dst, src, count);
  });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  return host_call("aclrtMemcpyAsync", [&](const soma::place& at) {
    if (count == 0)
      return;
    check_copy(dst, destMax, src, count, number_of(kind));
    const auto on = stream_argument(stream);
    copy_in_stream(on->queue, dst, src, count, number_of(kind), at);
    note_task();
  });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return host_call("aclrtMemset", [&](const soma::place& at) {
    if (count == 0)
      return;
    require_not_null(devPtr, "devPtr");
    check_room(count, maxCount, "maxCount");
    if (is_on_device(locate(devPtr)))
      current_context();  // refuses if there is none
    tell_host_access({{devPtr, count, true}}, at);
    std::memset(devPtr, value, count);
  });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  return host_call("aclrtMemsetAsync", [&](const soma::place& at) {
    if (count == 0)
      return;
    require_not_null(devPtr, "devPtr");
    check_room(count, maxCount, "maxCount");
    const auto on = stream_argument(stream);
    value_of(on->queue.fill(devPtr, static_cast<std::uint8_t>(value), count, at));
    note_task();
  });
}
