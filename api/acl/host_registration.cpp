// Host memory of the program that is registered for tasks.

#include <cstddef>
#include <cstdint>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/memory_support.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {
namespace {

void register_memory(void* pointer, std::uint64_t bytes, bool read_only) {
  const auto context = current_context();
  value_of(context->on->runtime.addresses().register_host(pointer, bytes, read_only), {},
           [&] { return "ptr is " + to_text(pointer) + " and size " + std::to_string(bytes); });
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  return host_call("aclrtHostRegisterV2", [&] {
    constexpr std::uint64_t known =
        ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;
    require_not_null(ptr, "ptr");
    require_bytes(size);
    if (flag == 0 || (flag & ~known) != 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is " + std::to_string(flag) +
                                             ": it must be a mix of the bits ACL_HOST_REG_*, one at least");
    register_memory(ptr, size, (flag & ACL_HOST_REG_READONLY) != 0);
  });
}

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
  return host_call("aclrtHostRegister", [&] {
    require_not_null(ptr, "ptr");
    require_bytes(size);
    require_not_null(devPtr, "devPtr");
    const int which = number_of(type);
    if ((which & ~(ACL_HOST_REGISTER_IOMEMORY | ACL_HOST_REGISTER_READONLY)) != 0)
      refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
             "type is " + std::to_string(which) + ": it must be 0 (mapped), 4, 8, or 4 and 8 together");
    register_memory(ptr, size, (which & ACL_HOST_REGISTER_READONLY) != 0);
    *devPtr = ptr;
  });
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
  return call("aclrtHostGetDevicePointer", [&] {
    require_not_null(pHost, "pHost");
    require_not_null(pDevice, "pDevice");
    if (flag != 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is " + std::to_string(flag) + ": it must be 0");
    const auto on = existing_machine();
    const auto found =
        on == nullptr ? soma::expected<soma::span_info>() : on->runtime.addresses().find(pHost);
    if (on == nullptr || !found || found->kind != soma::span_kind::registered)
      refuse(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
             "pHost is " + to_text(pHost) + ", which is in no registered memory: register it first");
    *pDevice = pHost;
  });
}

aclError aclrtHostUnregister(void* ptr) {
  return host_call("aclrtHostUnregister", [&] {
    require_not_null(ptr, "ptr");
    const auto on = existing_machine();
    if (on == nullptr)
      refuse(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "ptr is " + to_text(ptr) + ": nothing is registered");
    value_of(on->runtime.addresses().unregister_host(ptr),
             {{soma::errc::unknown_address, ACL_ERROR_HOST_MEMORY_NOT_REGISTERED}},
             [&] { return "ptr is " + to_text(ptr) + "; pass what was registered, once"; });
  });
}

aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,
                                     aclrtHostMemMapCapability* capabilities) {
  return call("aclrtHostMemMapCapabilities", [&] {
    require_not_null(capabilities, "capabilities");
    const int part = number_of(hacType);
    if (part < ACL_RT_HAC_TYPE_STARS || part > ACL_RT_HAC_TYPE_CCU)
      refuse(ACL_ERROR_INVALID_PARAM,
             "hacType is " + std::to_string(part) + ", which is no value of aclrtHacType (0 to 9)");
    device_argument("deviceId", deviceId);
    const bool can = part == ACL_RT_HAC_TYPE_AICPU || part == ACL_RT_HAC_TYPE_AIC ||
                     part == ACL_RT_HAC_TYPE_AIV || part == ACL_RT_HAC_TYPE_PCIEDMA ||
                     part == ACL_RT_HAC_TYPE_SDMA;
    *capabilities = can ? ACL_RT_HOST_MEM_MAP_SUPPORTED : ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
  });
}
