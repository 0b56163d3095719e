// Copies of rectangles, copies whose addresses are in device memory, and fills with 32-bit values.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/memory_support.hpp"
#include "api/acl/task_ids.hpp"

namespace soma::acl {
namespace {

// -- rectangles ---------------------------------------------------------------------------------------------

struct rectangle {
  void* dst;
  std::size_t dpitch;
  const void* src;
  std::size_t spitch;
  std::size_t width;
  std::size_t height;

  [[nodiscard]] bool is_empty() const noexcept { return width == 0 || height == 0; }
  [[nodiscard]] std::size_t written() const noexcept { return (height - 1) * dpitch + width; }
  [[nodiscard]] std::size_t read() const noexcept { return (height - 1) * spitch + width; }

  void copy() const noexcept {
    for (std::size_t row = 0; row != height; ++row)
      std::memmove(static_cast<char*>(dst) + row * dpitch, static_cast<const char*>(src) + row * spitch,
                   width);
  }
};

void check(const rectangle& what, int kind) {
  require_not_null(what.dst, "dst");
  require_not_null(what.src, "src");
  if (what.width > what.dpitch || what.width > what.spitch)
    refuse(ACL_ERROR_INVALID_PARAM, "width is " + std::to_string(what.width) +
                                        " bytes, which is above dpitch (" + std::to_string(what.dpitch) +
                                        ") or spitch (" + std::to_string(what.spitch) +
                                        "): rows would overlap");
  if (kind < ACL_MEMCPY_HOST_TO_DEVICE || kind > ACL_MEMCPY_DEFAULT)
    refuse(ACL_ERROR_INVALID_PARAM, "kind is " + std::to_string(kind) + ": it must be from 1 to 4");
}

void check_limits(const rectangle& what) {
  constexpr std::size_t widest = 5000000;
  constexpr std::size_t highest = 5242880;
  if (what.width > widest || what.height > highest)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "width is " + std::to_string(what.width) + " and height " + std::to_string(what.height) +
               ": streams copy up to 5000000 bytes by 5242880 rows; copy in parts");
}

// -- addresses in device memory -----------------------------------------------------------------------------

/// A copy as it is described in device memory.
struct description {
  std::uint64_t mark;
  const void* src;
  void* dst;
  std::uint64_t count;
  std::uint64_t reserved[4];
};

constexpr std::size_t description_alignment = 64;
constexpr std::uint64_t description_mark = 0x79706f63616d6f73;
static_assert(sizeof(description) == description_alignment);

void check_inner_kind(int kind) {
  if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE)
    refuse(ACL_ERROR_INVALID_PARAM,
           "kind is " + std::to_string(kind) + ": it must be ACL_MEMCPY_INNER_DEVICE_TO_DEVICE (6)");
}

void check_description(const void* place) {
  require_not_null(place, "desc");
  if (reinterpret_cast<std::uintptr_t>(place) % description_alignment != 0 || !is_on_device(locate(place)))
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "desc " + to_text(place) +
               " is not device memory at a multiple of 64 bytes: allocate as much as "
               "aclrtGetMemcpyDescSize says with aclrtMalloc");
}

void require_device_memory(const void* address, const char* argument) {
  require_not_null(address, argument);
  if (!is_on_device(locate(address)))
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           std::string(argument) + " " + to_text(address) + " is no device memory, where the task reads it");
}

// -- words --------------------------------------------------------------------------------------------------

void check_words(const void* ptr, std::size_t room, std::size_t words) {
  require_not_null(ptr, "ptr");
  if (reinterpret_cast<std::uintptr_t>(ptr) % sizeof(std::uint32_t) != 0)
    refuse(ACL_ERROR_INVALID_PARAM, "ptr " + to_text(ptr) + " is no multiple of 4 bytes");
  if (words > room / sizeof(std::uint32_t))
    refuse(ACL_ERROR_INVALID_PARAM, "N is " + std::to_string(words) +
                                        " words of 4 bytes, but memSize, the room at " + "ptr, is " +
                                        std::to_string(room) + " bytes");
  if (is_pageable(locate(ptr)))
    refuse(ACL_ERROR_INVALID_PARAM, "ptr " + to_text(ptr) +
                                        " is memory of the program's own: pass device memory, or host memory "
                                        "from aclrtMallocHost");
}

void fill_words(void* ptr, std::uint32_t value, std::size_t words) noexcept {
  std::fill_n(static_cast<std::uint32_t*>(ptr), words, value);
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  return host_call("aclrtMemcpy2d", [&](const soma::place& at) {
    const rectangle what{dst, dpitch, src, spitch, width, height};
    if (what.is_empty())
      return;
    check(what, number_of(kind));
    if (is_on_device(locate(dst)) || is_on_device(locate(src)))
      current_context();  // refuses if there is none
    tell_host_access({{dst, what.written(), true}, {src, what.read()}}, at);
    what.copy();
  });
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream) {
  return host_call("aclrtMemcpy2dAsync", [&](const soma::place& at) {
    const rectangle what{dst, dpitch, src, spitch, width, height};
    if (what.is_empty())
      return;
    check(what, number_of(kind));
    check_limits(what);
    const auto on = stream_argument(stream);
    const auto to = locate(dst);
    const auto from = locate(src);
    check_direction(number_of(kind), to, from);
    if (is_pageable(to) || is_pageable(from)) {
      value_of(on->queue.synchronize());
      tell_host_access({{dst, what.written(), true}, {src, what.read()}}, at);
      what.copy();
      return;
    }
    const soma::access used[] = {{dst, what.written(), true}, {src, what.read()}};
    value_of(on->queue.built_in(
        "copy of a rectangle", [what] { what.copy(); }, used, at));
    note_task();
  });
}

aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count,
                                       aclrtMemcpyKind kind, aclrtStream stream) {
  const aclError code = host_call("aclrtMemcpyAsyncWithCondition", [&] {
    if (count == 0)
      return;
    require_not_null(dst, "dst");
    require_not_null(src, "src");
    for (const void* side : {static_cast<const void*>(dst), src})
      if (is_pageable(locate(side)))
        refuse(ACL_ERROR_RT_PARAM_INVALID,
               std::string(side == src ? "src " : "dst ") + to_text(side) +
                   " is memory of the program's own: this call never waits, so host "
                   "memory must be from aclrtMallocHost or registered");
  });
  return code == ACL_SUCCESS ? aclrtMemcpyAsync(dst, destMax, src, count, kind, stream) : code;
}

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize) {
  return call("aclrtGetMemcpyDescSize", [&] {
    require_not_null(descSize, "descSize");
    check_inner_kind(number_of(kind));
    *descSize = sizeof(description);
  });
}

aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr, void* dstAddr, size_t count,
                            void* config) {
  return host_call("aclrtSetMemcpyDesc", [&](const soma::place& at) {
    require_not_null(desc, "desc");
    require_not_null(srcAddr, "srcAddr");
    require_not_null(dstAddr, "dstAddr");
    if (config != nullptr)
      refuse(ACL_ERROR_INVALID_PARAM, "config is " + to_text(config) + ": it must be NULL");
    check_inner_kind(number_of(kind));
    current_context();  // refuses if there is none
    check_description(desc);
    if (count == 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "count is 0: pass the number of bytes to copy");
    tell_host_access({{desc, sizeof(description), true}}, at);
    const description written{description_mark, srcAddr, dstAddr, count, {}};
    std::memcpy(desc, &written, sizeof written);
  });
}

aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind, aclrtStream stream) {
  return host_call("aclrtMemcpyAsyncWithDesc", [&](const soma::place& at) {
    require_not_null(desc, "desc");
    check_inner_kind(number_of(kind));
    const auto on = stream_argument(stream);
    check_description(desc);
    const soma::access used[] = {{desc, sizeof(description)}};
    value_of(on->queue.built_in(
        "copy by a description",
        [desc] {
          description found{};
          std::memcpy(&found, desc, sizeof found);
          if (found.mark != description_mark)
            throw std::runtime_error(
                "the memory holds no description: write it with aclrtSetMemcpyDesc before");
          std::memmove(found.dst, found.src, found.count);
        },
        used, at));
    note_task();
  });
}

aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset, void** src,
                                    size_t count, size_t srcDataOffset, aclrtMemcpyKind kind,
                                    aclrtStream stream) {
  return host_call("aclrtMemcpyAsyncWithOffset", [&](const soma::place& at) {
    require_not_null(dst, "dst");
    require_not_null(src, "src");
    check_inner_kind(number_of(kind));
    if (dstDataOffset > destMax || count > destMax - dstDataOffset)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "count is " + std::to_string(count) + " and dstDataOffset " + std::to_string(dstDataOffset) +
                 ", together above destMax, the room at the destination, which is " +
                 std::to_string(destMax));
    const auto on = stream_argument(stream);
    require_device_memory(dst, "dst");
    require_device_memory(src, "src");
    const soma::access used[] = {{dst, sizeof *dst}, {src, sizeof *src}};
    value_of(on->queue.built_in(
        "copy by addresses in memory",
        [=] {
          std::memmove(static_cast<char*>(*dst) + dstDataOffset,
                       static_cast<const char*>(*src) + srcDataOffset, count);
        },
        used, at));
    note_task();
  });
}

aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N) {
  return host_call("aclrtMemsetD32", [&](const soma::place& at) {
    if (N == 0)
      return;
    check_words(ptr, memSize, N);
    if (is_on_device(locate(ptr)))
      current_context();  // refuses if there is none
    tell_host_access({{ptr, N * sizeof value, true}}, at);
    fill_words(ptr, value, N);
  });
}

aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream) {
  return host_call("aclrtMemsetD32Async", [&](const soma::place& at) {
    if (N == 0)
      return;
    check_words(ptr, memSize, N);
    const auto on = stream_argument(stream);
    const soma::access used[] = {{ptr, N * sizeof value, true}};
    value_of(on->queue.built_in(
        "fill with words", [=] { fill_words(ptr, value, N); }, used, at));
    note_task();
  });
}
