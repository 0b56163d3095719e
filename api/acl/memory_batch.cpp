// Several copies at once.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/memory_support.hpp"
#include "api/acl/task_ids.hpp"

namespace soma::acl {
namespace {

constexpr std::size_t none_of_them = std::numeric_limits<std::size_t>::max();

struct batch {
  void** dsts;
  std::size_t* rooms;
  void** srcs;
  std::size_t* sizes;
  std::size_t count;
  aclrtMemcpyBatchAttr* attributes;
  std::size_t* first_of;  // the first copy that each attribute is of
  std::size_t attribute_count;
};

struct one_copy {
  void* dst;
  const void* src;
  std::size_t bytes;
};

std::string entry(const char* array, std::size_t at) {
  return std::string(array) + "[" + std::to_string(at) + "]";
}

void check_arrays(const batch& all) {
  require_not_null(all.dsts, "dsts");
  require_not_null(all.rooms, "destMaxs");
  require_not_null(all.srcs, "srcs");
  require_not_null(all.sizes, "sizes");
  if (all.count == 0)
    refuse(ACL_ERROR_INVALID_PARAM, "numBatches is 0: pass the number of copies");
}

bool nothing_to_do(const batch& all) {
  for (std::size_t at = 0; at != all.count; ++at)
    if (all.sizes[at] != 0)
      return false;
  return true;
}

void check_attributes(const batch& all) {
  require_not_null(all.attributes, "attrs");
  require_not_null(all.first_of, "attrsIndexes");
  if (all.attribute_count == 0 || all.attribute_count > all.count)
    refuse(ACL_ERROR_INVALID_PARAM, "numAttrs is " + std::to_string(all.attribute_count) +
                                        ": it must be from 1 to numBatches, which is " +
                                        std::to_string(all.count));
  for (std::size_t at = 0; at != all.attribute_count; ++at) {
    const std::size_t first = all.first_of[at];
    if (first >= all.count || (at == 0 ? first != 0 : first <= all.first_of[at - 1]))
      refuse(ACL_ERROR_INVALID_PARAM, entry("attrsIndexes", at) + " is " + std::to_string(first) +
                                          ": the first must be 0, and each above the one before and below " +
                                          "numBatches");
    for (const std::uint8_t byte : all.attributes[at].rsv)
      if (byte != 0)
        refuse(ACL_ERROR_INVALID_PARAM,
               entry("attrs", at) + ".rsv has a byte that is not 0: set all of it to 0");
    for (const aclrtMemLocation& place : {all.attributes[at].dstLoc, all.attributes[at].srcLoc}) {
      const int type = number_of(place.type);
      if (type < ACL_MEM_LOCATION_TYPE_HOST || type > ACL_MEM_LOCATION_TYPE_HOST_NUMA)
        refuse(ACL_ERROR_INVALID_PARAM, entry("attrs", at) + " has a location of type " +
                                            std::to_string(type) + ": it must be from 0 to 4");
    }
  }
}

void check_place(const char* array, std::size_t at, const void* address, const aclrtMemLocation& said,
                 bool in_stream) {
  require_not_null(address, entry(array, at).c_str());
  const auto location = locate(address);
  const int type = number_of(said.type);
  const bool fits = location == memory_location::managed || type == ACL_MEM_LOCATION_TYPE_MANAGED ||
                    (type == ACL_MEM_LOCATION_TYPE_DEVICE) == is_on_device(location);
  if (!fits)
    refuse(ACL_ERROR_RT_PARAM_INVALID, entry(array, at) + " " + to_text(address) +
                                           " is not where its attribute says (type " + std::to_string(type) +
                                           "): pass the location that it has");
  if (in_stream && is_pageable(location))
    refuse(
        ACL_ERROR_RT_PARAM_INVALID,
        entry(array, at) + " " + to_text(address) +
            " is memory of the program's own: streams need host memory from aclrtMallocHost or registered");
  if (is_on_device(location))
    current_context();  // refuses if there is none
}

/// The copies, all checked; `failed` is the one that is being looked at.
std::vector<one_copy> checked_copies(const batch& all, bool in_stream, std::size_t& failed) {
  check_attributes(all);
  std::vector<one_copy> copies;
  std::size_t attribute = 0;
  for (std::size_t at = 0; at != all.count; ++at) {
    failed = at;
    if (attribute + 1 < all.attribute_count && all.first_of[attribute + 1] == at)
      ++attribute;
    if (all.sizes[at] > all.rooms[at])
      refuse(ACL_ERROR_INVALID_PARAM, entry("sizes", at) + " is " + std::to_string(all.sizes[at]) +
                                          " bytes, but " + entry("destMaxs", at) +
                                          ", the room at the destination, is " +
                                          std::to_string(all.rooms[at]));
    if (all.sizes[at] == 0)
      continue;
    check_place("dsts", at, all.dsts[at], all.attributes[attribute].dstLoc, in_stream);
    check_place("srcs", at, all.srcs[at], all.attributes[attribute].srcLoc, in_stream);
    copies.push_back({all.dsts[at], all.srcs[at], all.sizes[at]});
  }
  failed = none_of_them;
  return copies;
}

void copy_all(const std::vector<one_copy>& copies) noexcept {
  for (const one_copy& one : copies)
    std::memmove(one.dst, one.src, one.bytes);
}

/// Keeps which copy failed, whatever ends the call.
class failed_copy {
public:
  explicit failed_copy(std::size_t* told) noexcept : told_(told) {}
  failed_copy(const failed_copy&) = delete;
  failed_copy& operator=(const failed_copy&) = delete;

  ~failed_copy() {
    if (told_ != nullptr)
      *told_ = which;
  }

  std::size_t which = none_of_them;

private:
  std::size_t* told_;
};

void copy_now(const batch& all, std::size_t* fail_index, const soma::place& at) {
  failed_copy failed(fail_index);
  check_arrays(all);
  if (nothing_to_do(all))
    return;
  const auto copies = checked_copies(all, false, failed.which);
  for (const one_copy& one : copies)
    tell_host_access({{one.dst, one.bytes, true}, {one.src, one.bytes}}, at);
  copy_all(copies);
}

void copy_in_stream(const batch& all, std::size_t* fail_index, void* stream, const soma::place& at) {
  failed_copy failed(fail_index);
  check_arrays(all);
  if (nothing_to_do(all))
    return;
  const auto on = stream_argument(stream);
  auto copies = checked_copies(all, true, failed.which);
  std::vector<soma::access> used;
  for (const one_copy& one : copies) {
    used.push_back({one.dst, one.bytes, true});
    used.push_back({one.src, one.bytes});
  }
  value_of(on->queue.built_in(
      "batch of copies", [copies = std::move(copies)] { copy_all(copies); }, used, at));
  note_task();
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                          size_t* failIndex) {
  return host_call("aclrtMemcpyBatch", [&](const soma::place& at) {
    copy_now({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, failIndex, at);
  });
}

aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                            aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs) {
  return host_call("aclrtMemcpyBatchV2", [&](const soma::place& at) {
    copy_now({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, nullptr, at);
  });
}

aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                               size_t* failIndex, aclrtStream stream) {
  return host_call("aclrtMemcpyBatchAsync", [&](const soma::place& at) {
    copy_in_stream({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, failIndex,
                   stream, at);
  });
}

aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                 aclrtStream stream) {
  return host_call("aclrtMemcpyBatchAsyncV2", [&](const soma::place& at) {
    copy_in_stream({dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs}, nullptr, stream,
                   at);
  });
}
