// Plain memory of devices and of the host, which is not ordered with streams.

#include <cstddef>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/memory_support.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {
namespace {

void check_config(const aclrtMallocConfig* config) {
  if (config != nullptr && config->attrs == nullptr && config->numAttrs != 0)
    refuse(ACL_ERROR_INVALID_PARAM,
           "cfg->numAttrs is " + std::to_string(config->numAttrs) +
               ", but cfg->attrs is NULL: pass an array of attributes, or 0 of them");
}

void malloc_host(void** result, const char* argument, std::size_t size, const soma::place& at) {
  require_not_null(result, argument);
  require_bytes(size);
  soma::malloc_options options;
  options.page_bytes = page_bytes;
  *result = value_of(current_context()->device().malloc_host(size, options, at),
                     {{soma::errc::invalid_argument, ACL_ERROR_RT_MEMORY_ALLOCATION},
                      {soma::errc::system_failure, ACL_ERROR_RT_MEMORY_ALLOCATION}},
                     [&] { return "size is " + std::to_string(size); });
  count_host_blocks(1);
}

/// What failed is told by the next synchronise of the stream that it failed on; the memory is freed all the
/// same.
void wait_for_current_device() {
  if (current_context_handle() == nullptr)
    return;
  const auto waited = current_context()->device().synchronize();
  if (!waited && waited.error().code != errc::task_failed)
    refuse(waited.error(), {});
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  if (devPtr != nullptr)
    *devPtr = nullptr;
  return host_call("aclrtMalloc", [&](const soma::place& at) {
    require_not_null(devPtr, "devPtr");
    *devPtr = malloc_plain("aclrtMalloc", at, size, number_of(policy), rounding::padded);
  });
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  if (devPtr != nullptr)
    *devPtr = nullptr;
  return host_call("aclrtMallocAlign32", [&](const soma::place& at) {
    require_not_null(devPtr, "devPtr");
    *devPtr = malloc_plain("aclrtMallocAlign32", at, size, number_of(policy), rounding::exact);
  });
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  if (devPtr != nullptr)
    *devPtr = nullptr;
  return host_call("aclrtMallocCached", [&](const soma::place& at) {
    require_not_null(devPtr, "devPtr");
    *devPtr = malloc_plain("aclrtMallocCached", at, size, number_of(policy), rounding::cached);
  });
}

aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
  if (devPtr != nullptr)
    *devPtr = nullptr;
  return host_call("aclrtMallocWithCfg", [&](const soma::place& at) {
    require_not_null(devPtr, "devPtr");
    require_bytes(size);
    check_config(cfg);
    *devPtr = malloc_plain("aclrtMallocWithCfg", at, size, number_of(policy), rounding::exact);
  });
}

aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                                     aclrtMallocConfig* cfg) {
  if (devPtr != nullptr)
    *devPtr = nullptr;
  return host_call("aclrtMallocForTaskScheduler", [&](const soma::place& at) {
    require_not_null(devPtr, "devPtr");
    require_bytes(size);
    check_config(cfg);
    *devPtr = malloc_plain("aclrtMallocForTaskScheduler", at, size, number_of(policy), rounding::exact);
  });
}

aclError aclrtFree(void* devPtr) {
  return host_call("aclrtFree", [&](const soma::place& at) {
    require_not_null(devPtr, "devPtr");
    free_plain("devPtr", devPtr, at);
  });
}

aclError aclrtFreeWithDevSync(void* devPtr) {
  return host_call("aclrtFreeWithDevSync", [&](const soma::place& at) {
    require_not_null(devPtr, "devPtr");
    wait_for_current_device();
    free_plain("devPtr", devPtr, at);
  });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  if (hostPtr != nullptr)
    *hostPtr = nullptr;
  return host_call("aclrtMallocHost",
                   [&](const soma::place& at) { malloc_host(hostPtr, "hostPtr", size, at); });
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg) {
  if (ptr != nullptr)
    *ptr = nullptr;
  return host_call("aclrtMallocHostWithCfg", [&](const soma::place& at) {
    require_not_null(ptr, "ptr");
    require_bytes(size);
    check_config(cfg);
    malloc_host(ptr, "ptr", size, at);
  });
}

aclError aclrtFreeHost(void* hostPtr) {
  return host_call("aclrtFreeHost", [&](const soma::place& at) {
    require_not_null(hostPtr, "hostPtr");
    free_host_memory("hostPtr", hostPtr, at);
  });
}

aclError aclrtFreeHostWithDevSync(void* hostPtr) {
  return host_call("aclrtFreeHostWithDevSync", [&](const soma::place& at) {
    require_not_null(hostPtr, "hostPtr");
    wait_for_current_device();
    free_host_memory("hostPtr", hostPtr, at);
  });
}

aclError aclrtMemFlush(void* devPtr, size_t size) {
  return call("aclrtMemFlush", [&] {
    require_not_null(devPtr, "devPtr");
    require_bytes(size);
  });
}

aclError aclrtMemInvalidate(void* devPtr, size_t size) {
  return call("aclrtMemInvalidate", [&] {
    require_not_null(devPtr, "devPtr");
    require_bytes(size);
  });
}
