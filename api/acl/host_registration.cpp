// Host memory that is registered for tasks, and variants of allocation. Tasks are functions of this process
// and can use all of its memory, so a registration is only remembered.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"

namespace soma::acl {
namespace {

class registrations {
public:
  /// False if part of it is registered already.
  bool add(std::uintptr_t begin, std::uint64_t bytes) {
    const std::lock_guard guard{lock_};
    const auto behind = ranges_.lower_bound(begin);
    if (behind != ranges_.end() && behind->first - begin < bytes)
      return false;
    if (behind != ranges_.begin() && contains(std::prev(behind), begin))
      return false;
    ranges_.emplace(begin, bytes);
    return true;
  }

  bool remove(std::uintptr_t begin) {
    const std::lock_guard guard{lock_};
    return ranges_.erase(begin) != 0;
  }

  bool has(std::uintptr_t place) {
    const std::lock_guard guard{lock_};
    const auto behind = ranges_.upper_bound(place);
    return behind != ranges_.begin() && contains(std::prev(behind), place);
  }

private:
  using ranges = std::map<std::uintptr_t, std::uint64_t>;

  static bool contains(ranges::const_iterator range, std::uintptr_t place) {
    return place - range->first < range->second;
  }

  std::mutex lock_;
  ranges ranges_;
};

registrations& all() {
  static auto& only = *new registrations;
  return only;
}

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

void add(void* pointer, std::uint64_t bytes) {
  static_cast<void>(current_context());
  if (!all().add(number(pointer), bytes))
    refuse(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
           "ptr is " + to_text(pointer) + ": part of the " + std::to_string(bytes) +
               " bytes is registered already; unregister that first");
}

void check_range(const void* pointer, std::uint64_t bytes) {
  require_not_null(pointer, "ptr");
  if (bytes == 0)
    refuse(ACL_ERROR_INVALID_PARAM, "size is 0: it must be the number of bytes to register");
}

void check_config(const aclrtMallocConfig* config) {
  if (config != nullptr && config->attrs == nullptr && config->numAttrs != 0)
    refuse(ACL_ERROR_INVALID_PARAM,
           "cfg->numAttrs is " + std::to_string(config->numAttrs) +
               ", but cfg->attrs is NULL: pass an array of attributes, or 0 of them");
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  return call("aclrtHostRegisterV2", [&] {
    constexpr std::uint64_t known =
        ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;
    check_range(ptr, size);
    if (flag == 0 || (flag & ~known) != 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is " + std::to_string(flag) +
                                             ": it must be a mix of the bits ACL_HOST_REG_*, one at least");
    add(ptr, size);
  });
}

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
  return call("aclrtHostRegister", [&] {
    check_range(ptr, size);
    require_not_null(devPtr, "devPtr");
    const int which = number_of(type);
    if ((which & ~(ACL_HOST_REGISTER_IOMEMORY | ACL_HOST_REGISTER_READONLY)) != 0)
      refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
             "type is " + std::to_string(which) + ": it must be 0 (mapped), 4, 8, or 4 and 8 together");
    add(ptr, size);
    *devPtr = ptr;
  });
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
  return call("aclrtHostGetDevicePointer", [&] {
    require_not_null(pHost, "pHost");
    require_not_null(pDevice, "pDevice");
    if (flag != 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is " + std::to_string(flag) + ": it must be 0");
    if (!all().has(number(pHost)))
      refuse(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
             "pHost is " + to_text(pHost) + ", which is in no registered memory: register it first");
    *pDevice = pHost;
  });
}

aclError aclrtHostUnregister(void* ptr) {
  return call("aclrtHostUnregister", [&] {
    require_not_null(ptr, "ptr");
    if (!all().remove(number(ptr)))
      refuse(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
             "ptr is " + to_text(ptr) + ", where no registration begins: pass what was registered, once");
  });
}

aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag) {
  return call("aclrtMemAllocManaged", [&] {
    require_not_null(ptr, "ptr");
    if (size == 0)
      refuse(ACL_ERROR_INVALID_PARAM, "size is 0: it must be the number of bytes to allocate");
    if (flag != ACL_RT_MEM_ATTACH_GLOBAL)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "flag is " + std::to_string(flag) + ": it must be ACL_RT_MEM_ATTACH_GLOBAL");
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
           "memory of one address for host and device is not built: use aclrtMalloc and aclrtMemcpy");
  });
}

aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
  const auto code = call("aclrtMallocWithCfg", [&] { check_config(cfg); });
  return code == ACL_SUCCESS ? aclrtMalloc(devPtr, size, policy) : code;
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg) {
  const auto code = call("aclrtMallocHostWithCfg", [&] { check_config(cfg); });
  return code == ACL_SUCCESS ? aclrtMallocHost(ptr, size) : code;
}
