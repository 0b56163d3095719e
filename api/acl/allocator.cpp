// Allocators of the program's own, which the runtime only keeps.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/handle_table.hpp"

namespace soma::acl {
namespace {

struct parts {
  void* allocator = nullptr;
  aclrtAllocatorAllocFunc allocate = nullptr;
  aclrtAllocatorFreeFunc free = nullptr;
  aclrtAllocatorAllocAdviseFunc allocate_near = nullptr;
  aclrtAllocatorGetAddrFromBlockFunc address_of = nullptr;
};

struct description {
  std::mutex lock;
  parts is;
};

using description_table = handle_table<description, 0xCA>;

description_table& descriptions() {
  static auto& only = *new description_table;
  return only;
}

/// By stream, with the description that was registered.
struct registered {
  std::mutex lock;
  std::map<void*, std::pair<void*, parts>> of_stream;
};

registered& all() {
  static auto& only = *new registered;
  return only;
}

description_table::pinned description_argument(void* handle) {
  require_not_null(handle, "allocatorDesc");
  auto found = descriptions().find(handle);
  if (!found)
    refuse(ACL_ERROR_RT_INVALID_HANDLE, "allocatorDesc " + to_text(handle) +
                                            " is not a live description: it was destroyed or never was one");
  return found;
}

template <class Part>
aclError set_part(const char* function, const char* argument, void* handle, Part parts::*part,
                  Part value) noexcept {
  return call(function, [&] {
    const auto found = description_argument(handle);
    if (value == nullptr)
      refuse(ACL_ERROR_INVALID_PARAM, std::string(argument) + " is NULL: pass one of your own");
    const std::lock_guard guard{found->lock};
    found->is.*part = value;
  });
}

template <class T>
void give(T* to, T value) {
  if (to != nullptr)
    *to = value;
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclrtAllocatorDesc aclrtAllocatorCreateDesc() {
  void* made = nullptr;
  const auto code = call("aclrtAllocatorCreateDesc",
                         [&] { made = descriptions().insert(std::make_shared<description>()); });
  return code == ACL_SUCCESS ? made : nullptr;
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc) {
  return call("aclrtAllocatorDestroyDesc", [&] {
    static_cast<void>(description_argument(allocatorDesc));
    descriptions().take(allocatorDesc);
  });
}

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator) {
  return set_part("aclrtAllocatorSetObjToDesc", "allocator", allocatorDesc, &parts::allocator, allocator);
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func) {
  return set_part("aclrtAllocatorSetAllocFuncToDesc", "func", allocatorDesc, &parts::allocate, func);
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func) {
  return set_part("aclrtAllocatorSetFreeFuncToDesc", "func", allocatorDesc, &parts::free, func);
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                aclrtAllocatorAllocAdviseFunc func) {
  return set_part("aclrtAllocatorSetAllocAdviseFuncToDesc", "func", allocatorDesc, &parts::allocate_near,
                  func);
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func) {
  return set_part("aclrtAllocatorSetGetAddrFromBlockFuncToDesc", "func", allocatorDesc, &parts::address_of,
                  func);
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc) {
  return call("aclrtAllocatorRegister", [&] {
    require_not_null(stream, "stream");
    const auto found = description_argument(allocatorDesc);
    parts copy;
    {
      const std::lock_guard guard{found->lock};
      copy = found->is;
    }
    if (copy.allocator == nullptr || copy.allocate == nullptr || copy.free == nullptr ||
        copy.address_of == nullptr)
      refuse(ACL_ERROR_INVALID_PARAM, "allocatorDesc " + to_text(allocatorDesc) +
                                          " lacks a part: set the allocator and its functions to allocate, "
                                          "to free and to get an address first");
    const std::lock_guard guard{all().lock};
    all().of_stream[stream] = {allocatorDesc, copy};
  });
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc* allocatorDesc,
                                   aclrtAllocator* allocator, aclrtAllocatorAllocFunc* allocFunc,
                                   aclrtAllocatorFreeFunc* freeFunc,
                                   aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc) {
  return call("aclrtAllocatorGetByStream", [&] {
    require_not_null(stream, "stream");
    require_not_null(allocatorDesc, "allocatorDesc");
    const std::lock_guard guard{all().lock};
    const auto found = all().of_stream.find(stream);
    if (found == all().of_stream.end())
      refuse(ACL_ERROR_INVALID_PARAM,
             "stream " + to_text(stream) + " has no allocator: call aclrtAllocatorRegister first");
    const auto& [handle, is] = found->second;
    *allocatorDesc = handle;
    give(allocator, is.allocator);
    give(allocFunc, is.allocate);
    give(freeFunc, is.free);
    give(allocAdviseFunc, is.allocate_near);
    give(getAddrFromBlockFunc, is.address_of);
  });
}

aclError aclrtAllocatorUnregister(aclrtStream stream) {
  return call("aclrtAllocatorUnregister", [&] {
    require_not_null(stream, "stream");
    const std::lock_guard guard{all().lock};
    all().of_stream.erase(stream);
  });
}
