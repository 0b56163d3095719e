// Stream-ordered memory pools. Pools belong to the process: no context owns them, and resetting a device
// leaves them as they are.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "acl/acl_rt_memory_soma.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/pool_sharing.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {
namespace {

void check_properties(const aclrtMemPoolProps& properties) {
  const auto refuse_property = [](const std::string& what) {
    refuse(ACL_ERROR_INVALID_PARAM, "poolProps->" + what);
  };
  if (const int type = number_of(properties.allocType); type != ACL_MEM_ALLOCATION_TYPE_PINNED)
    refuse_property("allocType is " + std::to_string(type) + ": it must be PINNED (0)");
  if (const int type = number_of(properties.location.type); type != ACL_MEM_LOCATION_TYPE_DEVICE)
    refuse_property("location.type is " + std::to_string(type) + ": it must be DEVICE (1)");
  if (std::any_of(std::begin(properties.reserved), std::end(properties.reserved),
                  [](unsigned char byte) { return byte != 0; }))
    refuse_property("reserved has a byte that is not 0: set all of it to 0");
}

/// What a pool handle that is not good is called. The code is different in different functions.
pool_table::pinned pool_argument(void* handle, aclError code) {
  auto found = pools().find(handle);
  if (!found && imported_pools().find(handle)) [[unlikely]]
    refuse(code,
           "memPool " + to_text(handle) +
               " was imported from another process, which alone allocates from it, frees and changes it");
  if (!found) [[unlikely]]
    refuse(code,
           "memPool " + to_text(handle) +
               " is not a live pool: it was destroyed or never was one; pass a pool from aclrtMemPoolCreate");
  return found;
}

constexpr bool is_switch(int attribute) {
  return attribute == ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES ||
         attribute == ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC ||
         attribute == ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

/// The attribute of the C++ interface. Attributes other than the switches need a context, but not in a
/// kernel: it runs on a thread of the device, which has none, and may read what it likes.
soma::pool_attribute attribute_argument(int attribute) {
  if (!is_switch(attribute) && !soma::runtime::on_engine())
    current_context();  // refuses if there is none
  switch (attribute) {
  case ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    return pool_attribute::reuse_event;
  case ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC:
    return pool_attribute::reuse_opportunistic;
  case ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    return pool_attribute::reuse_internal;
  case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
    return pool_attribute::release_threshold;
  case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
    return pool_attribute::reserved;
  case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
    return pool_attribute::reserved_high;
  case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
    return pool_attribute::used;
  case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
    return pool_attribute::used_high;
  default:
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "attr is " + std::to_string(attribute) + ", which is no value of aclrtMemPoolAttr");
  }
}

/// Null is found out below the argument checks, so the code is not the usual one.
void require_value(const void* value) {
  if (value == nullptr)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "value is NULL: pass the address of a uint32_t for the REUSE switches and "
           "of a uint64_t for the other attributes");
}

/// Programs may pass memory that is not aligned.
template <class T>
std::uint64_t load(const void* from) {
  T value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void check_size(std::size_t size) {
  if (size == 0) [[unlikely]]
    refuse(ACL_ERROR_INVALID_PARAM, "size is 0: pass a number of bytes above 0");
}

void check_can_round_up(std::size_t size) {
  if (size > std::numeric_limits<std::size_t>::max() - (soma::granule_bytes - 1)) [[unlikely]]
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "size is " + std::to_string(size) +
               " bytes, which cannot be rounded up to a multiple of 2 MiB: pass a "
               "smaller size");
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtMemPoolCreate(aclrtMemPool* memPool, const aclrtMemPoolProps* poolProps) {
  return host_call("aclrtMemPoolCreate", [&] {
    require_not_null(memPool, "memPool");
    require_not_null(poolProps, "poolProps");
    check_properties(*poolProps);
    const std::uint32_t device = device_argument("poolProps->location.id", poolProps->location.id);
    const auto on = current_context()->on;
    soma::pool_options options;
    options.limit = poolProps->maxSize;
    auto memory = value_of(on->devices[device].create_pool(options), {},
                           [&] { return "poolProps->maxSize is " + std::to_string(poolProps->maxSize); });
    const bool exportable = number_of(poolProps->handleType) == ACL_MEM_HANDLE_TYPE_POSIX;
    *memPool = pools().insert(std::make_shared<pool>(pool{on, std::move(memory), exportable}));
  });
}

aclError aclrtMemPoolDestroy(aclrtMemPool memPool) {
  return host_call("aclrtMemPoolDestroy", [&] {
    require_not_null(memPool, "memPool");
    if (imported_pools().take(memPool) != nullptr)
      return;
    pool_argument(memPool, ACL_ERROR_RT_INTERNAL_ERROR);
    current_context();  // refuses if there is none
    if (pools().take(memPool) == nullptr)
      refuse(ACL_ERROR_RT_INTERNAL_ERROR,
             "memPool " + to_text(memPool) + " was destroyed by another thread just now");
  });
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
  return call("aclrtMemPoolSetAttr", [&] {
    require_not_null(memPool, "memPool");
    require_value(value);
    const auto found = pool_argument(memPool, ACL_ERROR_RT_PARAM_INVALID);
    const int number = number_of(attr);
    if (number == ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT ||
        number == ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "attr is " + std::to_string(number) + ", which can only be read");
    const auto attribute = attribute_argument(number);
    const std::uint64_t wanted = is_switch(number) ? load<std::uint32_t>(value) : load<std::uint64_t>(value);
    value_of(found->memory.set(attribute, wanted),
             {{soma::errc::invalid_argument, ACL_ERROR_RT_INTERNAL_ERROR}},
             [&] { return "value is " + std::to_string(wanted); });
  });
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
  return call("aclrtMemPoolGetAttr", [&] {
    require_not_null(memPool, "memPool");
    require_value(value);
    const auto found = pool_argument(memPool, ACL_ERROR_RT_PARAM_INVALID);
    const int number = number_of(attr);
    const std::uint64_t current = value_of(found->memory.get(attribute_argument(number)));
    if (is_switch(number)) {
      const auto narrow = static_cast<std::uint32_t>(current);
      std::memcpy(value, &narrow, sizeof narrow);
    } else {
      std::memcpy(value, &current, sizeof current);
    }
  });
}

aclError aclrtMemPoolMallocAsync(void** ptr, size_t size, aclrtMemPool memPool, aclrtStream stream) {
  if (ptr != nullptr)
    *ptr = nullptr;
  return host_call("aclrtMemPoolMallocAsync", [&](const soma::place& at) {
    require_not_null(ptr, "ptr");
    require_not_null(memPool, "memPool");
    require_not_null(stream, "stream");
    check_size(size);
    const auto on = pool_stream_argument(stream);
    check_can_round_up(size);
    const auto from = pool_argument(memPool, ACL_ERROR_RT_INTERNAL_ERROR);
    *ptr = value_of(from->memory.malloc_async(size, on->queue, at),
                    {{soma::errc::out_of_memory, ACL_ERROR_RT_INTERNAL_ERROR}});
  });
}

aclError aclrtMemPoolFreeAsync(void* ptr, aclrtStream stream) {
  return host_call("aclrtMemPoolFreeAsync", [&](const soma::place& at) {
    require_not_null(ptr, "ptr");
    if (stream == nullptr) [[unlikely]]
      refuse(ACL_ERROR_RT_INTERNAL_ERROR,
             "stream is NULL, which does not stand for the default stream here: pass "
             "the handle from aclrtCtxGetCurrentDefaultStream");
    const auto on = pool_stream_argument(stream);
    value_of(on->device().free_async(ptr, on->queue, at), {}, [&] { return "ptr " + to_text(ptr); });
  });
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep) {
  return call("aclrtMemPoolTrimTo", [&] {
    require_not_null(memPool, "memPool");
    const auto found = pool_argument(memPool, ACL_ERROR_RT_INTERNAL_ERROR);
    current_context();  // refuses if there is none
    value_of(found->memory.trim_to(minBytesToKeep),
             {{soma::errc::invalid_argument, ACL_ERROR_RT_INTERNAL_ERROR}},
             [&] { return "minBytesToKeep is " + std::to_string(minBytesToKeep); });
  });
}
