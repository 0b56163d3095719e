// Virtual memory in the program's own hands: addresses, physical memory, mapping, access.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/memory_support.hpp"
#include "api/acl/process.hpp"
#include "api/acl/short_kernels.hpp"
#include "api/acl/virtual_memory.hpp"

namespace soma::acl {
namespace {

constexpr std::uint64_t giant_granularity = std::uint64_t{1} << 30;

soma::address_space addresses() { return get_machine()->runtime.addresses(); }

void require_zero(std::uint64_t value, const char* argument, aclError code = ACL_ERROR_INVALID_PARAM) {
  if (value != 0)
    refuse(code, std::string(argument) + " is " + std::to_string(value) + ": it must be 0");
}

/// A handle that is not good is another code than a range that is not.
constexpr code_for bad_handle{soma::errc::unknown_address, ACL_ERROR_RT_INVALID_HANDLE};

// -- properties ---------------------------------------------------------------------------------------------

bool is_ddr(int attribute) {
  return attribute == ACL_DDR_MEM || attribute == ACL_DDR_MEM_HUGE || attribute == ACL_DDR_MEM_NORMAL ||
         attribute == ACL_DDR_MEM_P2P_HUGE || attribute == ACL_DDR_MEM_P2P_NORMAL;
}

std::uint64_t granularity_of(int attribute) {
  const bool giant = attribute == ACL_HBM_MEM_HUGE1G || attribute == ACL_HBM_MEM_P2P_HUGE1G ||
                     attribute == ACL_MEM_HUGE1G || attribute == ACL_MEM_P2P_HUGE1G;
  return giant ? giant_granularity : soma::granule_bytes;
}

soma::physical_properties check_properties(const aclrtPhysicalMemProp& properties) {
  const auto refuse_property = [](const std::string& what) {
    refuse(ACL_ERROR_INVALID_PARAM, "prop->" + what);
  };
  if (const int type = number_of(properties.handleType); type != ACL_MEM_HANDLE_TYPE_NONE)
    refuse_property("handleType is " + std::to_string(type) + ": it must be NONE (0)");
  if (const int type = number_of(properties.allocationType); type != ACL_MEM_ALLOCATION_TYPE_PINNED)
    refuse_property("allocationType is " + std::to_string(type) + ": it must be PINNED (0)");
  const int attribute = number_of(properties.memAttr);
  if (attribute < ACL_DDR_MEM || attribute > ACL_MEM_P2P_HUGE1G)
    refuse_property("memAttr is " + std::to_string(attribute) +
                    ", which is no value of aclrtMemAttr (0 to 17)");
  if (properties.reserve != 0)
    refuse_property("reserve is " + std::to_string(properties.reserve) + ": it must be 0");
  const auto site = site_argument("prop->location", properties.location, ACL_ERROR_INVALID_PARAM);
  if (!site.host && is_ddr(attribute))
    refuse_property("memAttr is " + std::to_string(attribute) +
                    ", memory of the kind DDR, which a device does not have: pass a location of the host, or "
                    "another kind");
  return {site, 0, granularity_of(attribute), static_cast<std::uint32_t>(attribute)};
}

// -- what pairs of functions do -----------------------------------------------------------------------------

void reserve(void** result, std::size_t size, std::size_t alignment, void* expected, std::uint64_t flags) {
  require_not_null(result, "virPtr");
  require_bytes(size);
  require_zero(alignment, "alignment");
  if (flags > 1)
    refuse(ACL_ERROR_INVALID_PARAM, "flags is " + std::to_string(flags) + ": it must be 0 (or 1)");
  *result = value_of(addresses().reserve(size, expected),
                     {{soma::errc::invalid_argument, ACL_ERROR_INVALID_PARAM},
                      {soma::errc::system_failure, ACL_ERROR_RT_MEMORY_ALLOCATION}},
                     [&] { return "size is " + std::to_string(size); });
}

void map(void* address, std::size_t size, std::size_t offset, void* handle, std::uint64_t flags,
         bool accessible) {
  require_not_null(address, "virPtr");
  require_bytes(size);
  require_not_null(handle, "handle");
  require_zero(flags, "flags");
  require_zero(offset, "offset", ACL_ERROR_RT_PARAM_INVALID);
  value_of(addresses().map(address, size, physical_of(handle), accessible), {bad_handle}, [&] {
    return "virPtr " + to_text(address) + ", size " + std::to_string(size) + ", handle " + to_text(handle);
  });
}

soma::memory_access access_argument(int flags) {
  switch (flags) {
  case ACL_RT_MEM_ACCESS_FLAGS_NONE:
    return soma::memory_access::none;
  case ACL_RT_MEM_ACCESS_FLAGS_READ:
    return soma::memory_access::read;
  case ACL_RT_MEM_ACCESS_FLAGS_READWRITE:
    return soma::memory_access::read_write;
  default:
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "desc->flags is " + std::to_string(flags) + ": it must be NONE (0), READ (1) or READWRITE (3)");
  }
}

std::uint64_t flags_of(soma::memory_access access) {
  switch (access) {
  case soma::memory_access::read:
    return ACL_RT_MEM_ACCESS_FLAGS_READ;
  case soma::memory_access::read_write:
    return ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
  default:
    return ACL_RT_MEM_ACCESS_FLAGS_NONE;
  }
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

// -- addresses ----------------------------------------------------------------------------------------------

aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr,
                                uint64_t flags) {
  return host_call("aclrtReserveMemAddress", [&] { reserve(virPtr, size, alignment, expectPtr, flags); });
}

aclError aclrtReserveMemAddressNoUCMemory(void** virPtr, size_t size, size_t alignment, void* expectPtr,
                                          uint64_t flags) {
  return host_call("aclrtReserveMemAddressNoUCMemory",
                   [&] { reserve(virPtr, size, alignment, expectPtr, flags); });
}

aclError aclrtReleaseMemAddress(void* virPtr) {
  return host_call("aclrtReleaseMemAddress", [&] {
    require_not_null(virPtr, "virPtr");
    value_of(addresses().release(virPtr), {}, [&] { return "virPtr " + to_text(virPtr); });
  });
}

// -- physical memory ----------------------------------------------------------------------------------------

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* prop,
                             uint64_t flags) {
  return host_call("aclrtMallocPhysical", [&] {
    require_not_null(handle, "handle");
    require_bytes(size);
    require_not_null(prop, "prop");
    require_zero(flags, "flags");
    auto wanted = check_properties(*prop);
    wanted.bytes = size;
    const auto made =
        value_of(addresses().create(wanted), {{soma::errc::invalid_argument, ACL_ERROR_INVALID_PARAM}},
                 [&] { return "size is " + std::to_string(size); });
    *handle = handle_of(made);
  });
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  return host_call("aclrtFreePhysical", [&] {
    require_not_null(handle, "handle");
    value_of(addresses().release(physical_of(handle)), {bad_handle},
             [&] { return "handle " + to_text(handle); });
  });
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions option,
                                          size_t* granularity) {
  return call("aclrtMemGetAllocationGranularity", [&] {
    require_not_null(prop, "prop");
    require_not_null(granularity, "granularity");
    const int which = number_of(option);
    if (which != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && which != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
      refuse(ACL_ERROR_INVALID_PARAM,
             "option is " + std::to_string(which) + ": it must be MINIMUM (0) or RECOMMENDED (1)");
    *granularity = check_properties(*prop).page_bytes;
  });
}

aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle) {
  return host_call("aclrtMemRetainAllocationHandle", [&] {
    require_not_null(virPtr, "virPtr");
    require_not_null(handle, "handle");
    *handle =
        handle_of(value_of(addresses().retain(virPtr), {}, [&] { return "virPtr " + to_text(virPtr); }));
  });
}

aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp* prop) {
  return call("aclrtMemGetAllocationPropertiesFromHandle", [&] {
    require_not_null(handle, "handle");
    require_not_null(prop, "prop");
    const auto found = value_of(addresses().properties_of(physical_of(handle)), {bad_handle},
                                [&] { return "handle " + to_text(handle); });
    *prop = {};
    prop->memAttr = static_cast<aclrtMemAttr>(found.attribute);
    prop->location.type = found.site.host ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
    prop->location.id = found.site.device;
  });
}

// -- mapping ------------------------------------------------------------------------------------------------

aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
  return host_call("aclrtMapMem", [&] { map(virPtr, size, offset, handle, flags, true); });
}

aclError aclrtMemMapNoAccess(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                             uint64_t flags) {
  return host_call("aclrtMemMapNoAccess", [&] { map(virPtr, size, offset, handle, flags, false); });
}

aclError aclrtUnmapMem(void* virPtr) {
  return host_call("aclrtUnmapMem", [&] {
    require_not_null(virPtr, "virPtr");
    let_short_kernel_end();
    value_of(addresses().unmap(virPtr), {}, [&] { return "virPtr " + to_text(virPtr); });
  });
}

aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc, size_t count) {
  return host_call("aclrtMemSetAccess", [&] {
    if (desc == nullptr || count == 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "desc is " + to_text(desc) + " and count " + std::to_string(count) +
                                             ": pass an array of one description at least");
    std::vector<soma::address_space::site_access> changes;
    for (std::size_t at = 0; at != count; ++at) {
      const auto site = site_argument("desc->location", desc[at].location, ACL_ERROR_RT_PARAM_INVALID);
      changes.push_back({site, access_argument(number_of(desc[at].flags))});
    }
    value_of(addresses().set_access(virPtr, size, changes), {},
             [&] { return "virPtr " + to_text(virPtr) + ", size " + std::to_string(size); });
  });
}

aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag) {
  return call("aclrtMemGetAccess", [&] {
    require_not_null(virPtr, "virPtr");
    require_not_null(location, "location");
    require_not_null(flag, "flag");
    const auto site = site_argument("location", *location, ACL_ERROR_RT_PARAM_INVALID);
    *flag = flags_of(
        value_of(addresses().access_of(virPtr, site), {}, [&] { return "virPtr " + to_text(virPtr); }));
  });
}

aclError aclrtMemP2PMap(void* devPtr, size_t size, int32_t dstDevId, uint64_t flags) {
  return call("aclrtMemP2PMap", [&] {
    require_not_null(devPtr, "devPtr");
    require_bytes(size);
    require_zero(flags, "flags");
    device_argument("dstDevId", dstDevId);
  });
}
