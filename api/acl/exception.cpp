#include "api/acl/exception.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/function_handles.hpp"
#include "api/acl/process.hpp"
#include "api/acl/task_ids.hpp"

struct rtExceptionInfo {
  std::uint32_t task;
  std::uint32_t stream;
  std::uint32_t thread;
  std::uint32_t device;
  std::uint32_t code;
  void* arguments;
  std::uint32_t argument_bytes;
  void* function;
};

namespace soma::acl {
namespace {

struct listeners {
  std::mutex lock;  // guards what follows; none is called under it
  aclrtExceptionInfoCallback only_one = nullptr;
  std::vector<aclrtExceptionInfoCallback> others;
};

listeners& all_listeners() {
  static auto& only = *new listeners;
  return only;
}

std::vector<aclrtExceptionInfoCallback> copy_of_listeners() {
  auto& all = all_listeners();
  const std::lock_guard guard{all.lock};
  auto copy = all.others;
  if (all.only_one != nullptr)
    copy.insert(copy.begin(), all.only_one);
  return copy;
}

rtExceptionInfo described(const soma::failed_task& failed) {
  const auto of_host_function = take_tag_of_host_function();
  const auto tag = failed.tag != 0 ? failed.tag : of_host_function;
  return {tag != 0 ? task_in(tag) : static_cast<std::uint32_t>(failed.task),
          static_cast<std::uint32_t>(failed.stream),
          thread_in(tag),
          failed.device,
          static_cast<std::uint32_t>(code_of(failed.why.code)),
          const_cast<void*>(failed.arguments),  // NOLINT: the interface has it so
          static_cast<std::uint32_t>(failed.argument_bytes),
          handle_of_function(failed.function)};
}

constexpr std::uint32_t none = 0xFFFFFFFF;

}  // namespace

void tell_exception(const soma::failed_task& failed) {
  auto info = described(failed);
  for (const auto tell : copy_of_listeners())
    tell(&info);
}

}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
  return call("aclrtSetExceptionInfoCallback", [&] {
    auto& all = all_listeners();
    const std::lock_guard guard{all.lock};
    all.only_one = callback;
  });
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback) {
  return call("aclrtExceptionInfoCallbackRegister", [&] {
    if (callback == nullptr)
      refuse(ACL_ERROR_INVALID_PARAM, "callback is NULL: pass a function");
    auto& all = all_listeners();
    const std::lock_guard guard{all.lock};
    if (std::find(all.others.begin(), all.others.end(), callback) == all.others.end())
      all.others.push_back(callback);
  });
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback) {
  return call("aclrtExceptionInfoCallbackUnregister", [&] {
    if (callback == nullptr)
      refuse(ACL_ERROR_INVALID_PARAM, "callback is NULL: pass the function that was registered");
    auto& all = all_listeners();
    const std::lock_guard guard{all.lock};
    std::erase(all.others, callback);
  });
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? none : info->task;
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? none : info->stream;
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? none : info->thread;
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? none : info->device;
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info) {
  return info == nullptr ? none : info->code;
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo* info, void** devArgsPtr,
                                       uint32_t* devArgsLen) {
  return call("aclrtGetArgsFromExceptionInfo", [&] {
    require_not_null(info, "info");
    require_not_null(devArgsPtr, "devArgsPtr");
    require_not_null(devArgsLen, "devArgsLen");
    *devArgsPtr = info->arguments;
    *devArgsLen = info->argument_bytes;
  });
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo* info, aclrtFuncHandle* func) {
  return call("aclrtGetFuncHandleFromExceptionInfo", [&] {
    require_not_null(info, "info");
    require_not_null(func, "func");
    *func = info->function;
  });
}
