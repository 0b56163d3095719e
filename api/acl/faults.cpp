// What a device tells of its faults, of which it has none, and limits of time that are only noted.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {
namespace {

constexpr std::uint64_t default_limit_ms = 1868000;

constinit std::atomic<std::uint64_t> limit_ms = default_limit_ms;

/// 0 goes back to the default.
void set_limit_ms(std::uint64_t milliseconds) {
  static_cast<void>(current_context());
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  limit_ms.store(milliseconds == 0 ? default_limit_ms : std::min(milliseconds, most));
}

void check_array(const void* array, std::size_t size) {
  require_not_null(array, "memUceInfoArray");
  if (size == 0 || size > MAX_MEM_UCE_INFO_ARRAY_SIZE)
    refuse(ACL_ERROR_INVALID_PARAM, "arraySize is " + std::to_string(size) + ": it must be from 1 to 128");
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo) {
  return call("aclrtGetErrorVerbose", [&] {
    require_not_null(errorInfo, "errorInfo");
    device_argument("deviceId", deviceId);
    *errorInfo = {};
  });
}

aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo) {
  return call("aclrtRepairError", [&] {
    require_not_null(errorInfo, "errorInfo");
    device_argument("deviceId", deviceId);
    if (number_of(errorInfo->errorType) != ACL_RT_NO_ERROR)
      refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
             "errorInfo->errorType is " + std::to_string(number_of(errorInfo->errorType)) +
                 ": the simulated device has no such faults; pass what aclrtGetErrorVerbose gave");
  });
}

aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize,
                            size_t* retSize) {
  return call("aclrtGetMemUceInfo", [&] {
    check_array(memUceInfoArray, arraySize);
    require_not_null(retSize, "retSize");
    device_argument("deviceId", deviceId);
    *retSize = 0;
  });
}

aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize) {
  return call("aclrtMemUceRepair", [&] {
    check_array(memUceInfoArray, arraySize);
    device_argument("deviceId", deviceId);
  });
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) {
  return call("aclrtSetOpExecuteTimeOut", [&] { set_limit_ms(std::uint64_t{timeout} * 1000); });
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout) {
  return call("aclrtSetOpExecuteTimeOutWithMs", [&] { set_limit_ms(timeout); });
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
  return call("aclrtSetOpExecuteTimeOutV2", [&] {
    require_not_null(actualTimeout, "actualTimeout");
    set_limit_ms(timeout / 1000 + (timeout % 1000 != 0 ? 1 : 0));
    *actualTimeout = limit_ms.load() * 1000;
  });
}

aclError aclrtGetOpExecuteTimeout(uint32_t* timeoutMs) {
  return call("aclrtGetOpExecuteTimeout", [&] {
    require_not_null(timeoutMs, "timeoutMs");
    *timeoutMs = static_cast<std::uint32_t>(limit_ms.load());
  });
}
