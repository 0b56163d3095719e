// What can be asked of a device, and what is only noted for it.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/chip.hpp"
#include "api/acl/current.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {
namespace {

constexpr std::int32_t least_priority = 7;
constexpr std::int32_t unknown_percent = -1;

std::int64_t total_memory(std::uint32_t device) {
  const auto there = existing_machine();
  return static_cast<std::int64_t>(there != nullptr ? value_of(there->devices[device].memory()).total
                                                    : planned_memory());
}

std::int64_t number_of_device(std::uint32_t device, int attribute) {
  switch (attribute) {
  case ACL_DEV_ATTR_AICPU_CORE_NUM:
    return chip::host_like_cores;
  case ACL_DEV_ATTR_AICORE_CORE_NUM:
  case ACL_DEV_ATTR_CUBE_CORE_NUM:
    return chip::cube_cores;
  case ACL_DEV_ATTR_VECTOR_CORE_NUM:
    return chip::vector_cores;
  case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
    return chip::buffer_bytes_per_vector_core;
  case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
    return total_memory(device);
  case ACL_DEV_ATTR_L2_CACHE_SIZE:
    return chip::l2_bytes;
  case ACL_DEV_ATTR_PHY_CHIP_ID:
  case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID:
    return device;
  case ACL_DEV_ATTR_DEVICE_FORM_FACTOR:
    return ACL_DEVICE_FORM_FACTOR_PCIE_CARD;
  case ACL_DEV_ATTR_IS_VIRTUAL:
    return 1;
  case ACL_DEV_ATTR_NPU_ARCH:
    return chip::architecture;
  case ACL_DEV_ATTR_WARP_SIZE:
  case ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE:
  case ACL_DEV_ATTR_MAX_GRID_DIM_X:
  case ACL_DEV_ATTR_MAX_GRID_DIM_Y:
  case ACL_DEV_ATTR_MAX_GRID_DIM_Z:
  case ACL_DEV_ATTR_MAX_BLOCK_PER_GRID:
  case ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK:
  case ACL_DEV_ATTR_MAX_BLOCK_DIM_X:
  case ACL_DEV_ATTR_MAX_BLOCK_DIM_Y:
  case ACL_DEV_ATTR_MAX_BLOCK_DIM_Z:
  case ACL_DEV_ATTR_SMP_ID:
  case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
  case ACL_DEV_ATTR_SUPER_POD_ID:
  case ACL_DEV_ATTR_CUST_OP_PRIVILEGE:
  case ACL_DEV_ATTR_MAINBOARD_ID:
  case ACL_DEV_ATTR_HD_CONNECT_TYPE:
    return 0;
  default:
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "attr is " + std::to_string(attribute) + ": it must be one of aclrtDevAttr");
  }
}

/// The share of the host's processors that the device's threads keep busy.
std::int32_t busy_percent(std::uint32_t device) {
  const auto there = existing_machine();
  if (there == nullptr)
    return 0;
  const auto processors = std::max(1U, std::thread::hardware_concurrency());
  const auto busy = std::min(value_of(there->devices[device].load()).busy_engines, processors);
  return static_cast<std::int32_t>(100 * busy / processors);
}

std::uint32_t option_argument(int option) {
  if (option < ACL_OPT_DETERMINISTIC || option > ACL_OPT_ENABLE_KERNEL_EARLY_START)
    refuse(ACL_ERROR_INVALID_PARAM, "opt is " + std::to_string(option) + ": it must be from 0 to 3");
  return static_cast<std::uint32_t>(option);
}

using option_values = std::array<std::optional<std::int64_t>, 4>;

std::int64_t set_option(const option_values& values, std::uint32_t option) {
  if (!values.at(option))
    refuse(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
           "opt is " + std::to_string(option) + ", which was never set: set it before it is asked for");
  return *values.at(option);
}

struct process_options {
  std::mutex lock;
  option_values values;
};

process_options& options_of_process() {
  static auto& only = *new process_options;
  return only;
}

std::uint32_t limit_argument(int limit) {
  if (limit < ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE || limit > ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE)
    refuse(ACL_ERROR_INVALID_PARAM, "limit is " + std::to_string(limit) + ": it must be from 0 to 4");
  return static_cast<std::uint32_t>(limit);
}

constexpr std::uint64_t default_limit_bytes = std::uint64_t{1} << 20;

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  return call("aclrtQueryDeviceStatus", [&] {
    require_not_null(deviceStatus, "deviceStatus");
    const auto device = device_argument("deviceId", deviceId);
    const auto there = existing_machine();
    const bool answers = there == nullptr || there->devices[device].load();
    *deviceStatus = answers ? ACL_RT_DEVICE_STATUS_NORMAL : ACL_RT_DEVICE_STATUS_ABNORMAL;
  });
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return call("aclrtGetDeviceInfo", [&] {
    require_not_null(value, "value");
    *value = number_of_device(device_argument("deviceId", deviceId), number_of(attr));
  });
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t* value) {
  return call("aclrtGetDeviceCapability", [&] {
    require_not_null(value, "value");
    const int feature = number_of(devFeatureType);
    if (feature != ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV &&
        feature != ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV)
      refuse(ACL_ERROR_INVALID_PARAM,
             "devFeatureType is " + std::to_string(feature) + ": it must be one of aclrtDevFeatureType");
    device_argument("deviceId", deviceId);
    *value = ACL_DEV_FEATURE_NOT_SUPPORT;
  });
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo) {
  return call("aclrtGetDeviceUtilizationRate", [&] {
    require_not_null(utilizationInfo, "utilizationInfo");
    if (utilizationInfo->utilizationExtend != nullptr)
      refuse(ACL_ERROR_INVALID_PARAM, "utilizationInfo->utilizationExtend is not NULL: set it to NULL");
    const auto busy = busy_percent(device_argument("deviceId", deviceId));
    *utilizationInfo = {busy, busy, busy, unknown_percent, nullptr};
  });
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  return call("aclrtDeviceGetStreamPriorityRange", [&] {
    if (leastPriority != nullptr)
      *leastPriority = least_priority;
    if (greatestPriority != nullptr)
      *greatestPriority = 0;
  });
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
  return call("aclrtGetPrimaryCtxState", [&] {
    const auto device = device_argument("deviceId", deviceId);
    if (flags != nullptr)
      *flags = 0;
    if (active != nullptr)
      *active = has_primary(device) ? 1 : 0;
  });
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
  return call("aclrtDeviceGetBareTgid", [&] {
    require_not_null(pid, "pid");
    *pid = ::getpid();
  });
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  return call("aclrtSetDeviceSatMode", [&] {
    const int wanted = number_of(mode);
    if (wanted != ACL_RT_OVERFLOW_MODE_SATURATION && wanted != ACL_RT_OVERFLOW_MODE_INFNAN)
      refuse(ACL_ERROR_INVALID_PARAM,
             "mode is " + std::to_string(wanted) + ": it must be 0 (saturation) or 1 (infinities and NaN)");
    value_of(current_context()->device().set_note(soma::device_note::saturation_mode,
                                                  static_cast<std::uint64_t>(wanted)));
  });
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  return call("aclrtGetDeviceSatMode", [&] {
    require_not_null(mode, "mode");
    *mode = saturates(current_context()->device()) ? ACL_RT_OVERFLOW_MODE_SATURATION
                                                   : ACL_RT_OVERFLOW_MODE_INFNAN;
  });
}

aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value) {
  return call("aclrtDeviceSetLimit", [&] {
    const auto which = limit_argument(number_of(limit));
    if (value == 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "value is 0: it must be a number of bytes above 0");
    value_of(current_context()->device().set_note(soma::device_note::stack_limit, value, which));
  });
}

aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value) {
  return call("aclrtDeviceGetLimit", [&] {
    require_not_null(value, "value");
    const auto which = limit_argument(number_of(limit));
    *value = value_of(current_context()->device().note(soma::device_note::stack_limit, which))
                 .value_or(default_limit_bytes);
  });
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return call("aclrtSetSysParamOpt", [&] {
    auto& all = options_of_process();
    const auto option = option_argument(number_of(opt));
    const std::lock_guard guard{all.lock};
    all.values.at(option) = value;
  });
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return call("aclrtGetSysParamOpt", [&] {
    require_not_null(value, "value");
    auto& all = options_of_process();
    const auto option = option_argument(number_of(opt));
    const std::lock_guard guard{all.lock};
    *value = set_option(all.values, option);
  });
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return call("aclrtCtxSetSysParamOpt", [&] {
    const auto option = option_argument(number_of(opt));
    const auto owner = current_context();
    const std::lock_guard guard{owner->lock};
    owner->options.at(option) = value;
  });
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return call("aclrtCtxGetSysParamOpt", [&] {
    require_not_null(value, "value");
    const auto option = option_argument(number_of(opt));
    const auto owner = current_context();
    const std::lock_guard guard{owner->lock};
    *value = set_option(owner->options, option);
  });
}
