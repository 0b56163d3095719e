// Questions about memory.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/memory_support.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {
namespace {

/// An allocation, by an address in it.
struct allocation {
  void* begin = nullptr;
  std::size_t bytes = 0;
  std::uint64_t page_bytes = 0;
  int type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
  std::uint32_t id = 0;
};

int type_of(const soma::span_info& span) {
  switch (span.kind) {
  case soma::span_kind::managed:
    return ACL_MEM_LOCATION_TYPE_MANAGED;
  case soma::span_kind::registered:
    return ACL_MEM_LOCATION_TYPE_HOST;
  case soma::span_kind::reserved:
    return ACL_MEM_LOCATION_TYPE_UNREGISTERED;
  default:
    return span.site.host ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
  }
}

/// The allocation at an address, or nothing if nothing is known of it.
std::optional<allocation> find_allocation(const void* address) {
  const auto on = existing_machine();
  if (on == nullptr)
    return std::nullopt;
  const bool host = on->runtime.locate(address) == memory_location::host;
  for (const soma::device& device : on->devices) {
    if (const auto block = device.find_block(address))
      return allocation{block->address, block->bytes, block->page_bytes,
                        host ? int{ACL_MEM_LOCATION_TYPE_HOST} : int{ACL_MEM_LOCATION_TYPE_DEVICE},
                        host ? 0 : device.index()};
  }
  const auto span = on->runtime.addresses().find(address);
  if (!span || span->kind == soma::span_kind::reserved)
    return std::nullopt;
  return allocation{span->begin, span->bytes, span->page_bytes, type_of(*span), span->site.device};
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

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

aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo, size_t inputNum,
                              size_t* outputNum) {
  return call("aclrtGetMemUsageInfo", [&] {
    require_not_null(memUsageInfo, "memUsageInfo");
    require_not_null(outputNum, "outputNum");
    if (inputNum == 0)
      refuse(ACL_ERROR_INVALID_PARAM, "inputNum is 0: pass the number of entries that there is room for");
    device_argument("deviceId", deviceId);
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
           "there are no modules that memory is counted for: ask aclrtGetMemInfo for the device as a whole");
  });
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  return call("aclrtPointerGetAttributes", [&] {
    require_not_null(ptr, "ptr");
    require_not_null(attributes, "attributes");
    const auto found = find_allocation(ptr).value_or(allocation{});
    *attributes = {};
    attributes->location.type = static_cast<aclrtMemLocationType>(found.type);
    attributes->location.id = found.id;
    attributes->pageSize = static_cast<std::uint32_t>(found.page_bytes);
  });
}

aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType, uint32_t* checkResult,
                           uint32_t reserve) {
  return call("aclrtCheckMemType", [&] {
    constexpr std::uint32_t known = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD;
    require_not_null(addrList, "addrList");
    require_not_null(checkResult, "checkResult");
    if (size == 0)
      refuse(ACL_ERROR_INVALID_PARAM, "size is 0: pass the number of addresses");
    if (memType == 0 || (memType & ~known) != 0)
      refuse(ACL_ERROR_INVALID_PARAM, "memType is " + std::to_string(memType) +
                                          ": it must be a mix of ACL_RT_MEM_TYPE_DEV, DVPP and RSVD");
    if (reserve != 0)
      refuse(ACL_ERROR_INVALID_PARAM, "reserve is " + std::to_string(reserve) + ": it must be 0");
    bool all = (memType & ACL_RT_MEM_TYPE_DEV) != 0;
    for (std::uint32_t at = 0; at != size && all; ++at)
      all = is_on_device(locate(addrList[at])) && find_allocation(addrList[at]).has_value();
    *checkResult = all ? 1 : 0;
  });
}

aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
  return call("aclrtMemGetAddressRange", [&] {
    require_not_null(ptr, "ptr");
    if (pbase == nullptr && psize == nullptr)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "pbase and psize are NULL: pass the address of one result at least");
    const auto found = find_allocation(ptr);
    if (!found)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "ptr " + to_text(ptr) + " is in no live allocation: pass an address that was given out");
    if (pbase != nullptr)
      *pbase = found->begin;
    if (psize != nullptr)
      *psize = found->bytes;
  });
}
