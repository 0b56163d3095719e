// Plain memory of devices and of the host, which is not ordered with streams.

#include <cstddef>
#include <limits>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {
namespace {

void require_bytes(std::size_t size) {
  if (size == 0)
    refuse(ACL_ERROR_INVALID_PARAM, "size is 0: pass a number of bytes above 0");
}

/// What CANN makes of a size: 32 bytes more, in multiples of 32.
std::size_t padded(std::size_t size) {
  constexpr std::size_t pad = 32;
  if (size > std::numeric_limits<std::size_t>::max() - (2 * pad - 1))
    refuse(ACL_ERROR_INVALID_PARAM,
           "size is " + std::to_string(size) + " bytes, which cannot be rounded up: pass a smaller size");
  return (size + pad + pad - 1) / pad * pad;
}

/// Frees on whichever device knows the address. Nothing can be known before there is a runtime.
void free_on_any_device(const char* argument, void* address, const char* origin,
                        soma::expected<void> (soma::device::*release)(void*, const soma::place&),
                        const soma::place& at) {
  if (const auto on = existing_machine(); on != nullptr) {
    for (soma::device& device : on->devices) {
      const soma::expected<void> freed = (device.*release)(address, at);
      if (freed)
        return;
      if (freed.error().code != errc::unknown_address)
        refuse(freed.error(), {});
      if (on->runtime.locate(address) == memory_location::unknown)
        break;  // no device knows it
    }
  }
  refuse(ACL_ERROR_RT_PARAM_INVALID,
         std::string(argument) + " " + to_text(address) + " is not the start of live memory from " + origin +
             ": it was freed before, points into a block, or was never given out");
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  if (devPtr != nullptr)
    *devPtr = nullptr;
  return host_call("aclrtMalloc", [&](const soma::place& at) {
    require_not_null(devPtr, "devPtr");
    require_bytes(size);
    const std::size_t bytes = padded(size);
    const auto where = soma::place::of_c_call(at.function(), at.code(), size);
    *devPtr = value_of(current_context()->device().malloc(bytes, where),
                       {{soma::errc::invalid_argument, ACL_ERROR_INVALID_PARAM}},
                       [&] { return "size is " + std::to_string(size); });
  });
}

aclError aclrtFree(void* devPtr) {
  return host_call("aclrtFree", [&](const soma::place& at) {
    require_not_null(devPtr, "devPtr");
    free_on_any_device("devPtr", devPtr, "aclrtMalloc or a memory pool", &soma::device::free, at);
  });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  if (hostPtr != nullptr)
    *hostPtr = nullptr;
  return host_call("aclrtMallocHost", [&](const soma::place& at) {
    require_not_null(hostPtr, "hostPtr");
    require_bytes(size);
    *hostPtr = value_of(current_context()->device().malloc_host(size, at),
                        {{soma::errc::invalid_argument, ACL_ERROR_RT_MEMORY_ALLOCATION},
                         {soma::errc::system_failure, ACL_ERROR_RT_MEMORY_ALLOCATION}},
                        [&] { return "size is " + std::to_string(size); });
    count_host_blocks(1);
  });
}

aclError aclrtFreeHost(void* hostPtr) {
  return host_call("aclrtFreeHost", [&](const soma::place& at) {
    require_not_null(hostPtr, "hostPtr");
    free_on_any_device("hostPtr", hostPtr, "aclrtMallocHost", &soma::device::free_host, at);
    count_host_blocks(-1);
  });
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  return call("aclrtGetMemInfo", [&] {
    require_not_null(free, "free");
    require_not_null(total, "total");
    const int number = number_of(attr);
    if (number < ACL_DDR_MEM || number > ACL_MEM_P2P_HUGE1G)
      refuse(ACL_ERROR_RT_INVALID_MEMORY_TYPE,
             "attr is " + std::to_string(number) + ", which is no value of aclrtMemAttr");
    const auto memory = value_of(current_context()->device().memory());
    *free = memory.free;
    *total = memory.total;
  });
}
