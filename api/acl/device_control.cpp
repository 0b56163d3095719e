// Devices that reach each other's memory, and ending all work of one.

#include <chrono>
#include <cstdint>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/named_callbacks.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {
namespace {

void check_pair(std::int32_t device, std::int32_t peer) {
  if (device == peer)
    refuse(ACL_ERROR_INVALID_PARAM,
           "deviceId and peerDeviceId are both " + std::to_string(device) + ": they must be two devices");
}

void set_peer_access(std::int32_t peer, bool allowed) {
  const auto other = device_argument("peerDeviceId", peer);
  const auto owner = current_context();
  if (other == owner->device_index)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "peerDeviceId is " + std::to_string(peer) + ", the current device itself: name another one");
  value_of(owner->device().set_note(soma::device_note::peer_access, allowed ? 1 : 0, other));
}

named_callbacks<aclrtDeviceTaskAbortCallback>& abort_callbacks() {
  static auto& only = *new named_callbacks<aclrtDeviceTaskAbortCallback>;
  return only;
}

void tell_abort(std::uint32_t device, aclrtDeviceTaskAbortStage stage, std::uint32_t timeout) {
  for (const auto& one : abort_callbacks().all())
    if (const auto code = one.function(static_cast<std::int32_t>(device), stage, timeout, one.argument);
        code != 0)
      refuse(ACL_ERROR_INTERNAL_ERROR, "a callback of aclrtSetDeviceTaskAbortCallback returned " +
                                           std::to_string(code) + ", so that the call was given up");
}

void abort_device(soma::device& device, std::uint32_t timeout) {
  if (timeout == 0)
    value_of(device.abort());
  else
    value_of(device.abort_for(std::chrono::milliseconds(timeout)),
             {{errc::timed_out, ACL_ERROR_RT_TASK_TIMEOUT}});
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  return call("aclrtDeviceCanAccessPeer", [&] {
    require_not_null(canAccessPeer, "canAccessPeer");
    check_pair(deviceId, peerDeviceId);
    device_argument("deviceId", deviceId);
    device_argument("peerDeviceId", peerDeviceId);
    *canAccessPeer = 1;
  });
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  return call("aclrtDeviceEnablePeerAccess", [&] {
    if (flags != 0)
      refuse(ACL_ERROR_FEATURE_UNSUPPORTED, "flags is " + std::to_string(flags) + ": it must be 0");
    set_peer_access(peerDeviceId, true);
  });
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return call("aclrtDeviceDisablePeerAccess", [&] { set_peer_access(peerDeviceId, false); });
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t* status) {
  return call("aclrtDevicePeerAccessStatus", [&] {
    require_not_null(status, "status");
    check_pair(deviceId, peerDeviceId);
    const auto device = device_argument("deviceId", deviceId);
    const auto peer = device_argument("peerDeviceId", peerDeviceId);
    *status = static_cast<std::int32_t>(
        value_of(get_machine()->devices[device].note(soma::device_note::peer_access, peer)).value_or(0));
  });
}

aclError aclrtSetDeviceTaskAbortCallback(const char* regName, aclrtDeviceTaskAbortCallback callback,
                                         void* args) {
  return call("aclrtSetDeviceTaskAbortCallback", [&] { abort_callbacks().change(regName, callback, args); });
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout) {
  return host_call("aclrtDeviceTaskAbort", [&] {
    const auto device = device_argument("deviceId", deviceId);
    tell_abort(device, ACL_RT_DEVICE_TASK_ABORT_PRE, timeout);
    if (const auto there = existing_machine(); there != nullptr)
      abort_device(there->devices[device], timeout);
    tell_abort(device, ACL_RT_DEVICE_TASK_ABORT_POST, timeout);
  });
}
