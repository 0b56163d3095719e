// Devices: which one a thread works on, and waiting for all of one.
//
// Plain memory and pools do not belong to a context: resetting a device leaves them as they are.

#include <cstdint>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/process.hpp"
#include "api/acl/state_callbacks.hpp"
#include "api/acl/waiting.hpp"

namespace soma::acl {
namespace {

void reset_device(std::int32_t device, bool all) {
  const std::uint32_t index = device_argument("deviceId", device);
  void* const primary = release_device(index, all);
  if (primary == nullptr)
    return;
  tell_device_state(index, ACL_RT_DEVICE_STATE_RESET_PRE);
  // Errors of tasks have no one left to be told to.
  static_cast<void>(get_machine()->devices[index].synchronize());
  end_context(primary);
  tell_device_state(index, ACL_RT_DEVICE_STATE_RESET_POST);
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtSetDevice(int32_t deviceId) {
  return host_call("aclrtSetDevice", [&] { set_device(device_argument("deviceId", deviceId)); });
}

aclError aclrtResetDevice(int32_t deviceId) {
  return host_call("aclrtResetDevice", [&] { reset_device(deviceId, false); });
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  return host_call("aclrtResetDeviceForce", [&] { reset_device(deviceId, true); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
  return call("aclrtGetDevice", [&] {
    require_not_null(deviceId, "deviceId");
    *deviceId = static_cast<std::int32_t>(current_context()->device_index);
  });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  return call("aclrtGetDeviceCount", [&] {
    require_not_null(count, "count");
    *count = device_count();
  });
}

aclError aclrtSynchronizeDevice() {
  return host_call("aclrtSynchronizeDevice", [] { value_of(current_context()->device().synchronize()); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  return host_call("aclrtSynchronizeDeviceWithTimeout", [&] {
    check_timeout(timeout);
    wait_for(current_context()->device(), timeout, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  });
}
