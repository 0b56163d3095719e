// Copies and fills. Those without a stream are done by the calling thread itself: device memory is memory of
// this process.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/memory_support.hpp"
#include "api/acl/process.hpp"
#include "api/acl/task_ids.hpp"

namespace soma::acl {
namespace {

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
  check_direction(kind, to, from);
  if (kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
    copy_through_buffer(on, dst, src, count, at);
  } else if (is_pageable(to) || is_pageable(from)) {
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
