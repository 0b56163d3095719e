// Configurations of streams, and ending the work of one.

#include <cstdint>
#include <cstring>
#include <new>
#include <string>

#include "acl/acl_rt.h"
#include "acl/soma_kernel.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/stream_calls.hpp"

namespace soma::acl {
namespace {

constexpr std::uint32_t lowest_priority = 7;

template <class T>
T read_value(const void* at, std::size_t bytes) {
  T value{};
  if (bytes != sizeof value)
    refuse(ACL_ERROR_INVALID_PARAM, "valueSize is " + std::to_string(bytes) + ": this part has " +
                                        std::to_string(sizeof value) + " bytes");
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint32_t priority_argument(std::uint32_t priority) {
  if (priority > lowest_priority)
    refuse(ACL_ERROR_INVALID_PARAM,
           "the priority is " + std::to_string(priority) + ": it must be from 0 (the highest) to 7");
  return priority;
}

void set_part(aclrtStreamConfigHandle& of, int part, const void* value, std::size_t bytes) {
  switch (part) {
  case ACL_RT_STREAM_WORK_ADDR_PTR:
    of.workptr = read_value<void*>(value, bytes);
    return;
  case ACL_RT_STREAM_WORK_SIZE:
    of.workSize = read_value<std::size_t>(value, bytes);
    return;
  case ACL_RT_STREAM_FLAG:  // programs exist that pass a uint32_t
    of.flag = bytes == sizeof(std::uint32_t) ? read_value<std::uint32_t>(value, bytes)
                                             : read_value<std::size_t>(value, bytes);
    return;
  case ACL_RT_STREAM_PRIORITY:
    of.priority = priority_argument(read_value<std::uint32_t>(value, bytes));
    return;
  default:
    refuse(ACL_ERROR_INVALID_PARAM, "attr is " + std::to_string(part) + ": it must be from 0 to 3");
  }
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() {
  return new (std::nothrow) aclrtStreamConfigHandle{};
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
  return call("aclrtDestroyStreamConfigHandle", [&] {
    require_not_null(handle, "handle");
    delete handle;
  });
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr,
                                 const void* attrValue, size_t valueSize) {
  return call("aclrtSetStreamConfigOpt", [&] {
    require_not_null(handle, "handle");
    require_not_null(attrValue, "attrValue");
    set_part(*handle, number_of(attr), attrValue, valueSize);
  });
}

aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle) {
  return host_call("aclrtCreateStreamV2", [&] {
    require_not_null(stream, "stream");
    require_not_null(handle, "handle");
    *stream = make_stream(handle->priority, static_cast<std::uint32_t>(handle->flag));
  });
}

aclError aclrtStreamStop(aclrtStream stream) {
  return call("aclrtStreamStop", [&] {
    if (stream == nullptr)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "stream is NULL: pass the stream whose task is to end");
    value_of(stream_argument(stream)->queue.stop_task());
  });
}

aclError aclrtStreamAbort(aclrtStream stream) {
  return host_call("aclrtStreamAbort", [&] { value_of(stream_argument(stream)->queue.abort()); });
}

int somaKernelStopRequested() { return soma::runtime::stop_requested() ? 1 : 0; }
