// Memory that is shared with other processes: by handles of physical memory, and by keys.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/memory_support.hpp"
#include "api/acl/process.hpp"
#include "api/acl/short_kernels.hpp"
#include "api/acl/virtual_memory.hpp"

namespace soma::acl {
namespace {

soma::address_space addresses() { return get_machine()->runtime.addresses(); }

// -- handles ------------------------------------------------------------------------------------------------

bool export_flags(std::uint64_t flags) {
  if (flags > ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "flags is " + std::to_string(flags) + ": it must be 0, or 1 (DISABLE_PID_VALIDATION)");
  return flags == ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION;
}

bool is_fabric(int type) {
  if (type != ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT && type != ACL_MEM_SHARE_HANDLE_TYPE_FABRIC)
    refuse(ACL_ERROR_INVALID_PARAM,
           "shareType is " + std::to_string(type) + ": it must be DEFAULT (1) or FABRIC (2)");
  return type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC;
}

soma::share_key share(void* handle, bool anyone) {
  let_short_kernel_end();
  return value_of(addresses().share(physical_of(handle), anyone),
                  {{soma::errc::unknown_address, ACL_ERROR_RT_INVALID_HANDLE}},
                  [&] { return "handle " + to_text(handle); });
}

/// A handle for fabrics holds the key's text.
void write_fabric(void* shareable, const std::string& key) {
  aclrtMemFabricHandle handle{};
  std::memcpy(handle.data, key.data(), std::min(key.size(), sizeof handle.data - 1));
  std::memcpy(shareable, &handle, sizeof handle);
}

std::string read_fabric(const void* shareable) {
  aclrtMemFabricHandle handle{};
  std::memcpy(&handle, shareable, sizeof handle);
  const auto* const text = reinterpret_cast<const char*>(handle.data);
  return {text, ::strnlen(text, sizeof handle.data)};
}

std::uint64_t read_number(const void* shareable) {
  std::uint64_t number = 0;
  std::memcpy(&number, shareable, sizeof number);
  return number;
}

std::span<const std::int32_t> process_list(const std::int32_t* pids, std::size_t count, const char* counted) {
  require_not_null(pids, "pid");
  if (count == 0)
    refuse(ACL_ERROR_INVALID_PARAM, std::string(counted) + " is 0: pass the number of processes");
  return {pids, count};
}

// -- keys ---------------------------------------------------------------------------------------------------

constexpr std::size_t key_room = 65;

std::string_view key_argument(const char* key) {
  require_not_null(key, "key");
  return {key, ::strnlen(key, key_room)};
}

std::string key_text(const char* key) { return "key \"" + std::string(key_argument(key)) + "\""; }

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                         uint64_t flags, uint64_t* shareableHandle) {
  return host_call("aclrtMemExportToShareableHandle", [&] {
    require_not_null(handle, "handle");
    require_not_null(shareableHandle, "shareableHandle");
    if (const int type = number_of(handleType); type != ACL_MEM_HANDLE_TYPE_NONE)
      refuse(ACL_ERROR_INVALID_PARAM, "handleType is " + std::to_string(type) + ": it must be NONE (0)");
    *shareableHandle = share(handle, export_flags(flags)).number;
  });
}

aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,
                                           aclrtMemSharedHandleType shareType, void* shareableHandle) {
  return host_call("aclrtMemExportToShareableHandleV2", [&] {
    require_not_null(handle, "handle");
    require_not_null(shareableHandle, "shareableHandle");
    const bool fabric = is_fabric(number_of(shareType));
    const auto key = share(handle, export_flags(flags));
    if (fabric)
      write_fabric(shareableHandle, key.text);
    else
      std::memcpy(shareableHandle, &key.number, sizeof key.number);
  });
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                           aclrtDrvMemHandle* handle) {
  return host_call("aclrtMemImportFromShareableHandle", [&] {
    require_not_null(handle, "handle");
    const soma::memory_site site{false, device_argument("deviceId", deviceId)};
    *handle = handle_of(value_of(addresses().import_physical(shareableHandle, site), {},
                                 [&] { return "shareableHandle is " + std::to_string(shareableHandle); }));
  });
}

aclError aclrtMemImportFromShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType,
                                             uint64_t flags, aclrtDrvMemHandle* handle) {
  return host_call("aclrtMemImportFromShareableHandleV2", [&] {
    require_not_null(shareableHandle, "shareableHandle");
    require_not_null(handle, "handle");
    const bool fabric = is_fabric(number_of(shareType));
    if (flags != 0)
      refuse(ACL_ERROR_INVALID_PARAM, "flags is " + std::to_string(flags) + ": it must be 0");
    const soma::memory_site site{false, current_context()->device_index};
    const auto subject = [&] { return "shareableHandle " + to_text(shareableHandle); };
    *handle = handle_of(
        fabric ? value_of(addresses().import_physical(std::string_view(read_fabric(shareableHandle)), site),
                          {}, subject)
               : value_of(addresses().import_physical(read_number(shareableHandle), site), {}, subject));
  });
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum) {
  return host_call("aclrtMemSetPidToShareableHandle", [&] {
    const auto processes = process_list(pid, pidNum, "pidNum");
    value_of(addresses().allow(shareableHandle, processes), {},
             [&] { return "shareableHandle is " + std::to_string(shareableHandle); });
  });
}

aclError aclrtMemSetPidToShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType,
                                           aclrtServerPid* serverPids, size_t serverPidNum) {
  return host_call("aclrtMemSetPidToShareableHandleV2", [&] {
    require_not_null(shareableHandle, "shareableHandle");
    require_not_null(serverPids, "serverPids");
    const bool fabric = is_fabric(number_of(shareType));
    if (serverPidNum == 0)
      refuse(ACL_ERROR_INVALID_PARAM, "serverPidNum is 0: pass the number of entries");
    std::vector<std::int32_t> all;
    for (std::size_t at = 0; at != serverPidNum; ++at) {
      const auto of_one = process_list(serverPids[at].pid, serverPids[at].num, "serverPids->num");
      all.insert(all.end(), of_one.begin(), of_one.end());
    }
    const auto subject = [&] { return "shareableHandle " + to_text(shareableHandle); };
    if (fabric)
      value_of(addresses().allow(std::string_view(read_fabric(shareableHandle)), all), {}, subject);
    else
      value_of(addresses().allow(read_number(shareableHandle), all), {}, subject);
  });
}

aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len, uint64_t flags) {
  return host_call("aclrtIpcMemGetExportKey", [&] {
    require_not_null(devPtr, "devPtr");
    require_bytes(size);
    require_not_null(key, "key");
    if (len < key_room)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "len is " + std::to_string(len) + ": a key needs room for 65 characters");
    const bool anyone = export_flags(flags);
    current_context();  // refuses if there is none
    if (reinterpret_cast<std::uintptr_t>(devPtr) % page_bytes != 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "devPtr " + to_text(devPtr) + " is no multiple of 4096 bytes: share whole pages");
    if (const auto where = locate(devPtr);
        where != soma::memory_location::device && where != soma::memory_location::mapped)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "devPtr " + to_text(devPtr) +
                 " is no memory of a device that can be shared this way: pass memory "
                 "from aclrtMalloc, or mapped memory; memory of pools is shared by "
                 "somaMemPoolExport");
    let_short_kernel_end();
    const auto made = value_of(addresses().share(devPtr, size, anyone), {}, [&] {
      return "devPtr " + to_text(devPtr) + ", size " + std::to_string(size);
    });
    std::memcpy(key, made.text.c_str(), made.text.size() + 1);
  });
}

aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags) {
  return host_call("aclrtIpcMemImportByKey", [&] {
    require_not_null(devPtr, "devPtr");
    const auto wanted = key_argument(key);
    if (flags > ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "flags is " + std::to_string(flags) + ": it must be 0, or 1 (ENABLE_PEER_ACCESS)");
    const soma::memory_site site{false, current_context()->device_index};
    *devPtr = value_of(addresses().import_range(wanted, site), {}, [&] { return key_text(key); });
  });
}

aclError aclrtIpcMemClose(const char* key) {
  return host_call("aclrtIpcMemClose", [&] {
    const auto closed = key_argument(key);
    let_short_kernel_end();
    value_of(addresses().close(closed), {}, [&] { return key_text(key); });
  });
}

aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num) {
  return host_call("aclrtIpcMemSetImportPid", [&] {
    const auto wanted = key_argument(key);
    value_of(addresses().allow(wanted, process_list(pid, num, "num")), {}, [&] { return key_text(key); });
  });
}

aclError aclrtIpcMemSetAttr(const char* key, aclrtIpcMemAttrType type, uint64_t attr) {
  return call("aclrtIpcMemSetAttr", [&] {
    const auto wanted = key_argument(key);
    if (const int which = number_of(type); which != ACL_RT_IPC_MEM_ATTR_ACCESS_LINK)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "type is " + std::to_string(which) + ": it must be ACCESS_LINK (0)");
    if (attr > ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "attr is " + std::to_string(attr) + ": it must be from 0 to 3");
    if (wanted.substr(0, 5) != "soma-")
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             key_text(key) + " is no key: pass on what aclrtIpcMemGetExportKey gave");
  });
}
