#include "api/acl/kernel_arguments.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_set>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"

namespace soma::acl {
namespace {

// A parameter's handle from the top: 8 bits of this, 32 bits of the list's id, 24 bits of its index.
constexpr std::uint64_t parameter_kind = 0xC7;

/// The addresses of all lists that were started. Those in memory of the program stay entered, as nothing
/// tells when it is done with them.
struct list_register {
  std::mutex lock;
  std::unordered_set<const void*> started;
};

list_register& all_lists() {
  static auto& only = *new list_register;
  return only;
}

/// The calling thread's own list, with its buffer.
struct thread_list {
  thread_list() {
    const std::lock_guard guard{all_lists().lock};
    all_lists().started.insert(&list);
  }

  thread_list(const thread_list&) = delete;
  thread_list& operator=(const thread_list&) = delete;

  ~thread_list() {
    const std::lock_guard guard{all_lists().lock};
    all_lists().started.erase(&list);
  }

  std::unique_ptr<std::byte[]> buffer{new std::byte[argument_list::buffer_bytes]};
  argument_list list{buffer.get(), argument_list::buffer_bytes};
};

std::uint32_t next_list_id() noexcept {
  static constinit std::atomic<std::uint32_t> next = 1;
  return next.fetch_add(1, std::memory_order_relaxed);
}

constexpr std::size_t rounded_up(std::size_t bytes) noexcept {
  return (bytes + argument_list::alignment - 1) / argument_list::alignment * argument_list::alignment;
}

void require_bytes(std::size_t bytes, const char* argument) {
  if (bytes == 0)
    refuse(ACL_ERROR_INVALID_PARAM, std::string(argument) + " is 0: pass a number of bytes above 0");
}

}  // namespace

argument_list::argument_list(std::byte* buffer, std::size_t bytes) noexcept
    : buffer_(buffer), room_(bytes), id_(next_list_id()) {}

std::size_t argument_list::take(std::size_t bytes) {
  const std::size_t start = rounded_up(used_);
  if (start > room_ || bytes > room_ - start)
    refuse(ACL_ERROR_RT_PARAM_INVALID, std::to_string(bytes) +
                                           " bytes do not fit in: " + std::to_string(used_) +
                                           " of the buffer's " + std::to_string(room_) + " bytes are used");
  std::memset(buffer_ + used_, 0, start - used_);
  used_ = start + bytes;
  return start;
}

void* argument_list::append(const void* value, std::size_t bytes) {
  if (closed_)
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
           "the list is closed by aclrtKernelArgsFinalize or "
           "aclrtKernelArgsGetPlaceHolderBuffer: start a new one to add arguments");
  if (count_ == parameter_limit)
    refuse(ACL_ERROR_RT_PARAM_INVALID, "the list has 128 arguments already, and that is the most");
  const std::size_t offset = take(bytes);
  if (value != nullptr)
    std::memcpy(buffer_ + offset, value, bytes);
  else
    std::memset(buffer_ + offset, 0, bytes);
  parameters_[count_] = {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes), no_data,
                         value == nullptr};
  const std::uint64_t handle = (parameter_kind << 56) | (std::uint64_t{id_} << 24) | count_;
  ++count_;
  return reinterpret_cast<void*>(handle);
}

argument_list::parameter& argument_list::parameter_argument(const void* handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  const std::uint64_t index = number & 0xFFFFFF;
  if (number >> 24 != ((parameter_kind << 32) | id_) || index >= count_)
    refuse(ACL_ERROR_RT_INVALID_HANDLE, "paramHandle " + to_text(handle) +
                                            " is no argument of this list: pass one that this list gave out");
  return parameters_[index];
}

void* argument_list::placeholder_data(const void* handle, std::size_t bytes) {
  parameter& of = parameter_argument(handle);
  if (!of.is_placeholder)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "paramHandle " + to_text(handle) +
               " is an ordinary argument: pass one from aclrtKernelArgsAppendPlaceHolder");
  of.data_offset = take(bytes);
  closed_ = true;
  finalized_ = false;
  return buffer_ + of.data_offset;
}

void argument_list::update(const void* handle, const void* value, std::size_t bytes) {
  const parameter& of = parameter_argument(handle);
  if (of.is_placeholder)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "paramHandle " + to_text(handle) + " is a placeholder: write to its buffer instead");
  if (of.bytes != bytes)
    refuse(ACL_ERROR_RT_PARAM_INVALID, "paramSize is " + std::to_string(bytes) + ", but the argument has " +
                                           std::to_string(of.bytes) + " bytes, and its size cannot change");
  std::memcpy(buffer_ + of.offset, value, bytes);
  finalized_ = false;
}

void argument_list::finalize() noexcept {
  closed_ = true;
  finalized_ = true;
}

soma::launch_arguments argument_list::for_task() const {
  if (!finalized_)
    refuse(ACL_ERROR_RT_PARAM_INVALID, "the arguments are not finalized, or were changed since: call "
                                       "aclrtKernelArgsFinalize before the launch");
  const std::shared_ptr<std::byte[]> copy(new std::byte[used_]);
  if (used_ != 0)
    std::memcpy(copy.get(), buffer_, used_);
  for (std::uint32_t index = 0; index != count_; ++index) {
    const parameter& one = parameters_[index];
    if (!one.is_placeholder || one.data_offset == no_data)
      continue;
    const std::byte* const data = copy.get() + one.data_offset;
    std::memcpy(copy.get() + one.offset, static_cast<const void*>(&data), sizeof data);
  }
  return soma::launch_arguments::shared(copy, used_);
}

argument_list& argument_list_argument(void* handle) {
  const std::lock_guard guard{all_lists().lock};
  if (all_lists().started.count(handle) == 0)
    refuse(ACL_ERROR_RT_INVALID_HANDLE, "argsHandle " + to_text(handle) +
                                            " is no list of arguments: start it with aclrtKernelArgsInit or "
                                            "aclrtKernelArgsInitByUserMem, in a thread that still runs");
  return *static_cast<argument_list*>(handle);
}

}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle* argsHandle) {
  return call("aclrtKernelArgsInit", [&] {
    require_not_null(funcHandle, "funcHandle");
    require_not_null(argsHandle, "argsHandle");
    function_argument(funcHandle);
    thread_local thread_list own;
    own.list = argument_list(own.buffer.get(), argument_list::buffer_bytes);
    *argsHandle = &own.list;
  });
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle,
                                      void* userHostMem, size_t actualArgsSize) {
  return call("aclrtKernelArgsInitByUserMem", [&] {
    require_not_null(funcHandle, "funcHandle");
    require_not_null(argsHandle, "argsHandle");
    require_not_null(userHostMem, "userHostMem");
    require_bytes(actualArgsSize, "actualArgsSize");
    function_argument(funcHandle);
    if (reinterpret_cast<std::uintptr_t>(argsHandle) % alignof(argument_list) != 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "argsHandle " + to_text(argsHandle) + " is not at a multiple of " +
                                             std::to_string(alignof(argument_list)) +
                                             ": use memory from malloc");
    const std::lock_guard guard{all_lists().lock};
    all_lists().started.insert(argsHandle);
    new (argsHandle) argument_list(static_cast<std::byte*>(userHostMem), actualArgsSize);
  });
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t* memSize) {
  return call("aclrtKernelArgsGetHandleMemSize", [&] {
    require_not_null(funcHandle, "funcHandle");
    require_not_null(memSize, "memSize");
    function_argument(funcHandle);
    *memSize = sizeof(argument_list);
  });
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, size_t* actualArgsSize) {
  return call("aclrtKernelArgsGetMemSize", [&] {
    require_not_null(funcHandle, "funcHandle");
    require_not_null(actualArgsSize, "actualArgsSize");
    function_argument(funcHandle);
    // Each argument, and each placeholder's data, can need this much to get to its alignment.
    constexpr std::size_t padding = 2 * argument_list::parameter_limit * argument_list::alignment;
    if (userArgsSize > ~std::size_t{0} - padding)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "userArgsSize is " + std::to_string(userArgsSize) + ", which is too large");
    *actualArgsSize = userArgsSize + padding;
  });
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param, size_t paramSize,
                               aclrtParamHandle* paramHandle) {
  return call("aclrtKernelArgsAppend", [&] {
    require_not_null(argsHandle, "argsHandle");
    require_not_null(param, "param");
    require_bytes(paramSize, "paramSize");
    require_not_null(paramHandle, "paramHandle");
    *paramHandle = argument_list_argument(argsHandle).append(param, paramSize);
  });
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle* paramHandle) {
  return call("aclrtKernelArgsAppendPlaceHolder", [&] {
    require_not_null(argsHandle, "argsHandle");
    require_not_null(paramHandle, "paramHandle");
    *paramHandle = argument_list_argument(argsHandle).append(nullptr, sizeof(void*));
  });
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle,
                                             size_t dataSize, void** bufferAddr) {
  return call("aclrtKernelArgsGetPlaceHolderBuffer", [&] {
    require_not_null(argsHandle, "argsHandle");
    require_not_null(paramHandle, "paramHandle");
    require_bytes(dataSize, "dataSize");
    require_not_null(bufferAddr, "bufferAddr");
    *bufferAddr = argument_list_argument(argsHandle).placeholder_data(paramHandle, dataSize);
  });
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void* param,
                                   size_t paramSize) {
  return call("aclrtKernelArgsParaUpdate", [&] {
    require_not_null(argsHandle, "argsHandle");
    require_not_null(paramHandle, "paramHandle");
    require_not_null(param, "param");
    require_bytes(paramSize, "paramSize");
    argument_list_argument(argsHandle).update(paramHandle, param, paramSize);
  });
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle) {
  return call("aclrtKernelArgsFinalize", [&] {
    require_not_null(argsHandle, "argsHandle");
    argument_list& list = argument_list_argument(argsHandle);
    current_context();  // refuses if there is none
    list.finalize();
  });
}
