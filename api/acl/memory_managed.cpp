// Managed memory, and the hints about it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/memory_support.hpp"
#include "api/acl/task_ids.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {
namespace {

constexpr std::int32_t host_number = -1;
constexpr std::int32_t no_place = -2;

soma::address_space addresses() { return get_machine()->runtime.addresses(); }

soma::hinted_place place_argument(const aclrtMemManagedLocation& location) {
  const int type = number_of(location.type);
  if (type < ACL_MEM_LOCATIONTYPE_DEVICE || type > ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT)
    refuse(ACL_ERROR_RT_PARAM_INVALID, "location.type is " + std::to_string(type) +
                                           ": it must be DEVICE (1), HOST (2), HOST_NUMA (3) or "
                                           "HOST_NUMA_CURRENT (4)");
  if (type == ACL_MEM_LOCATIONTYPE_DEVICE)
    device_argument("location.id", location.id);
  return {type, location.id};
}

void check_range(const void* begin, std::uint64_t bytes) {
  require_not_null(begin, "ptr");
  require_bytes(bytes);
}

std::string range_text(const void* begin, std::uint64_t bytes) {
  return "ptr " + to_text(begin) + ", size " + std::to_string(bytes);
}

void hint(const void* begin, std::uint64_t bytes, soma::managed_hint which, bool set,
          soma::hinted_place place) {
  value_of(addresses().hint(begin, bytes, which, set, place), {}, [&] { return range_text(begin, bytes); });
}

void check_managed(const void* begin, std::uint64_t bytes) {
  static_cast<void>(value_of(addresses().hints(begin, bytes), {}, [&] { return range_text(begin, bytes); }));
}

// -- reading ------------------------------------------------------------------------------------------------

std::int32_t number_of_place(const soma::hinted_place& place) {
  return place.kind == ACL_MEM_LOCATIONTYPE_DEVICE ? place.id : host_number;
}

std::int32_t number_of_place(const std::optional<soma::hinted_place>& place) {
  return place ? number_of_place(*place) : no_place;
}

std::vector<std::int32_t> attribute_values(int attribute, const soma::managed_hints& hints) {
  const auto type = [](const auto& place) { return place ? place->kind : 0; };
  const auto id = [](const auto& place) { return place ? place->id : no_place; };
  switch (attribute) {
  case ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
    return {hints.read_mostly ? 1 : 0};
  case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    return {number_of_place(hints.preferred)};
  case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
    return {type(hints.preferred)};
  case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
    return {id(hints.preferred)};
  case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
    return {number_of_place(hints.last_prefetch)};
  case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
    return {type(hints.last_prefetch)};
  case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
    return {id(hints.last_prefetch)};
  default: {
    std::vector<std::int32_t> all;
    for (const auto& place : hints.accessed_by)
      all.push_back(number_of_place(place));
    return all;
  }
  }
}

void check_attribute(int attribute, const void* data, std::size_t bytes) {
  if (attribute < ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ||
      attribute > ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID)
    refuse(ACL_ERROR_INVALID_PARAM, "attribute is " + std::to_string(attribute) +
                                        ", which is no value of aclrtMemManagedRangeAttribute (1 to 8)");
  require_not_null(data, "data");
  if (bytes == 0 || bytes % sizeof(std::int32_t) != 0)
    refuse(ACL_ERROR_INVALID_PARAM,
           "dataSize is " + std::to_string(bytes) + ": it must be a multiple of 4 bytes above 0");
}

/// Room that is left over says that there is no place.
void write_attribute(int attribute, const soma::managed_hints& hints, void* data, std::size_t bytes) {
  auto values = attribute_values(attribute, hints);
  values.resize(bytes / sizeof(std::int32_t), no_place);
  std::memcpy(data, values.data(), bytes);
}

// -- prefetching --------------------------------------------------------------------------------------------

void check_flags(std::uint64_t flags) {
  if (flags != 0)
    refuse(ACL_ERROR_RT_PARAM_INVALID, "flags is " + std::to_string(flags) + ": it must be 0");
}

void queue_nothing(void* stream, const soma::place& at) {
  const auto on = stream_argument(stream);
  value_of(on->queue.built_in(
      "prefetch of managed memory", [] {}, {}, at));
  note_task();
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag) {
  return host_call("aclrtMemAllocManaged", [&] {
    constexpr std::uint64_t most = std::uint64_t{3} << 40;
    require_not_null(ptr, "ptr");
    require_bytes(size);
    if (flag != ACL_RT_MEM_ATTACH_GLOBAL)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "flag is " + std::to_string(flag) + ": it must be ACL_RT_MEM_ATTACH_GLOBAL (1)");
    const auto context = current_context();
    if (size > most)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "size is " + std::to_string(size) + " bytes: at most 3 TiB can be had");
    *ptr = value_of(context->on->runtime.addresses().malloc_managed(size, {false, context->device_index}),
                    {{soma::errc::system_failure, ACL_ERROR_RT_MEMORY_ALLOCATION}},
                    [&] { return "size is " + std::to_string(size); });
  });
}

aclError aclrtMemManagedAdvise(const void* const ptr, uint64_t size, aclrtMemManagedAdviseType advise,
                               aclrtMemManagedLocation location) {
  return host_call("aclrtMemManagedAdvise", [&] {
    struct advice {
      soma::managed_hint hint;
      bool set;
      bool has_place;
    };
    constexpr std::array<advice, 6> known{{{soma::managed_hint::read_mostly, true, false},
                                           {soma::managed_hint::read_mostly, false, false},
                                           {soma::managed_hint::preferred, true, true},
                                           {soma::managed_hint::preferred, false, false},
                                           {soma::managed_hint::accessed_by, true, true},
                                           {soma::managed_hint::accessed_by, false, true}}};
    check_range(ptr, size);
    const int which = number_of(advise);
    if (which < 0 || which >= static_cast<int>(known.size()))
      refuse(ACL_ERROR_INVALID_PARAM, "advise is " + std::to_string(which) +
                                          ", which is no value of aclrtMemManagedAdviseType (0 to 5)");
    const advice& given = known.at(static_cast<std::size_t>(which));
    hint(ptr, size, given.hint, given.set, given.has_place ? place_argument(location) : soma::hinted_place{});
  });
}

aclError aclrtMemManagedPrefetchAsync(const void* ptr, size_t size, aclrtMemManagedLocation location,
                                      uint32_t flags, aclrtStream stream) {
  return host_call("aclrtMemManagedPrefetchAsync", [&](const soma::place& at) {
    check_range(ptr, size);
    check_flags(flags);
    const auto place = place_argument(location);
    check_managed(ptr, size);
    queue_nothing(stream, at);
    hint(ptr, size, soma::managed_hint::prefetch, true, place);
  });
}

aclError aclrtMemManagedPrefetchBatchAsync(const void** ptrs, size_t* sizes, size_t count,
                                           aclrtMemManagedLocation* locations, size_t* locIndexs,
                                           size_t numLocs, uint64_t flags, aclrtStream stream) {
  return host_call("aclrtMemManagedPrefetchBatchAsync", [&](const soma::place& at) {
    require_not_null(ptrs, "ptrs");
    require_not_null(sizes, "sizes");
    require_not_null(locations, "locations");
    require_not_null(locIndexs, "locIndexs");
    if (count == 0 || numLocs == 0 || numLocs > count)
      refuse(ACL_ERROR_INVALID_PARAM,
             "count is " + std::to_string(count) + " and numLocs " + std::to_string(numLocs) +
                 ": pass one range and one location at least, and not more locations");
    check_flags(flags);
    std::vector<soma::hinted_place> places;
    for (std::size_t which = 0; which != numLocs; ++which) {
      if (locIndexs[which] >= count ||
          (which == 0 ? locIndexs[0] != 0 : locIndexs[which] <= locIndexs[which - 1]))
        refuse(ACL_ERROR_INVALID_PARAM,
               "locIndexs[" + std::to_string(which) + "] is " + std::to_string(locIndexs[which]) +
                   ": the first must be 0, and each above the one before and below count");
      places.push_back(place_argument(locations[which]));
    }
    for (std::size_t which = 0; which != count; ++which) {
      check_range(ptrs[which], sizes[which]);
      check_managed(ptrs[which], sizes[which]);
    }
    queue_nothing(stream, at);
    std::size_t place = 0;
    for (std::size_t which = 0; which != count; ++which) {
      if (place + 1 < numLocs && locIndexs[place + 1] == which)
        ++place;
      hint(ptrs[which], sizes[which], soma::managed_hint::prefetch, true, places[place]);
    }
  });
}

aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void* ptr, size_t size,
                                void* data, size_t dataSize) {
  return call("aclrtMemManagedGetAttr", [&] {
    check_range(ptr, size);
    check_attribute(number_of(attribute), data, dataSize);
    const auto hints = value_of(addresses().hints(ptr, size), {}, [&] { return range_text(ptr, size); });
    write_attribute(number_of(attribute), hints, data, dataSize);
  });
}

aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute* attributes, size_t numAttributes,
                                 const void* ptr, size_t size, void** data, size_t* dataSizes) {
  return call("aclrtMemManagedGetAttrs", [&] {
    require_not_null(attributes, "attributes");
    require_not_null(data, "data");
    require_not_null(dataSizes, "dataSizes");
    check_range(ptr, size);
    if (numAttributes == 0)
      refuse(ACL_ERROR_INVALID_PARAM, "numAttributes is 0: pass the number of attributes");
    for (std::size_t at = 0; at != numAttributes; ++at)
      check_attribute(number_of(attributes[at]), data[at], dataSizes[at]);
    const auto hints = value_of(addresses().hints(ptr, size), {}, [&] { return range_text(ptr, size); });
    for (std::size_t at = 0; at != numAttributes; ++at)
      write_attribute(number_of(attributes[at]), hints, data[at], dataSizes[at]);
  });
}
