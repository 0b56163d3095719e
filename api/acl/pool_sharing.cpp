// Memory pools that other processes use.

#include "acl/soma_pool_sharing.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/pool_sharing.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {

imported_pool_table& imported_pools() {
  static auto& table = *new imported_pool_table;
  return table;
}

imported_pool::~imported_pool() { static_cast<void>(on->runtime.addresses().close_import(begin)); }

namespace {

pool_table::pinned live_pool(void* handle) {
  auto found = pools().find(handle);
  if (!found)
    refuse(ACL_ERROR_RT_PARAM_INVALID, "memPool " + to_text(handle) +
                                           " is not a live pool of this process: pass a pool from "
                                           "aclrtMemPoolCreate, in the process that made it");
  return found;
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError somaMemPoolExport(aclrtMemPool memPool, char* key, size_t len) {
  return host_call("somaMemPoolExport", [&] {
    require_not_null(memPool, "memPool");
    require_not_null(key, "key");
    if (len < SOMA_POOL_KEY_SIZE)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "len is " + std::to_string(len) + ": a key needs room for 65 characters");
    const auto found = live_pool(memPool);
    if (!found->exportable)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "memPool " + to_text(memPool) +
                                             " was made with the handle type NONE: create it with "
                                             "ACL_MEM_HANDLE_TYPE_POSIX to share it");
    const auto made = value_of(found->on->runtime.addresses().share(found->memory, true));
    std::memcpy(key, made.text.c_str(), made.text.size() + 1);
  });
}

aclError somaMemPoolImport(aclrtMemPool* memPool, const char* key) {
  return host_call("somaMemPoolImport", [&] {
    require_not_null(memPool, "memPool");
    require_not_null(key, "key");
    const std::string_view wanted(key, ::strnlen(key, SOMA_POOL_KEY_SIZE));
    const auto context = current_context();
    const auto subject = [&] { return "key \"" + std::string(wanted) + "\""; };
    auto addresses = context->on->runtime.addresses();
    void* const begin = value_of(addresses.import_range(wanted, {false, context->device_index}), {}, subject);
    const auto span = value_of(addresses.find(begin), {}, subject);
    *memPool = imported_pools().insert(std::make_shared<imported_pool>(context->on, begin, span.bytes));
  });
}

aclError somaMemPoolExportPointer(aclrtMemPool memPool, void* ptr, somaMemPoolPointer* data) {
  return call("somaMemPoolExportPointer", [&] {
    require_not_null(memPool, "memPool");
    require_not_null(ptr, "ptr");
    require_not_null(data, "data");
    const auto found = live_pool(memPool);
    const auto block = value_of(found->memory.block(ptr), {}, [&] { return "ptr " + to_text(ptr); });
    *data = {};
    data->offset = static_cast<std::uint64_t>(static_cast<const char*>(ptr) -
                                              static_cast<const char*>(found->memory.base()));
    data->size = block.bytes;
  });
}

aclError somaMemPoolImportPointer(aclrtMemPool memPool, const somaMemPoolPointer* data, void** ptr) {
  return call("somaMemPoolImportPointer", [&] {
    require_not_null(memPool, "memPool");
    require_not_null(data, "data");
    require_not_null(ptr, "ptr");
    const auto found = imported_pools().find(memPool);
    if (!found)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "memPool " + to_text(memPool) + " is no imported pool: pass a pool from somaMemPoolImport");
    if (data->size == 0 || data->offset > found->bytes || data->size > found->bytes - data->offset)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "data tells of " + std::to_string(data->size) + " bytes at " +
                                             std::to_string(data->offset) + ", but the pool has " +
                                             std::to_string(found->bytes) +
                                             ": pass on what somaMemPoolExportPointer gave for this pool");
    *ptr = static_cast<char*>(found->begin) + data->offset;
  });
}
