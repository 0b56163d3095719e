#include "api/acl/state_callbacks.hpp"

#include "api/acl/named_callbacks.hpp"

namespace soma::acl {
namespace {

named_callbacks<aclrtStreamStateCallback>& of_streams() {
  static auto& only = *new named_callbacks<aclrtStreamStateCallback>;
  return only;
}

named_callbacks<aclrtDeviceStateCallback>& of_devices() {
  static auto& only = *new named_callbacks<aclrtDeviceStateCallback>;
  return only;
}

}  // namespace

void tell_stream_state(void* stream, aclrtStreamState state) {
  for (const auto& one : of_streams().all())
    one.function(stream, state, one.argument);
}

void tell_device_state(std::uint32_t device, aclrtDeviceState state) {
  for (const auto& one : of_devices().all())
    one.function(static_cast<std::int32_t>(device), state, one.argument);
}

}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback, void* args) {
  return call("aclrtRegStreamStateCallback", [&] { of_streams().change(regName, callback, args); });
}

aclError aclrtRegDeviceStateCallback(const char* regName, aclrtDeviceStateCallback callback, void* args) {
  return call("aclrtRegDeviceStateCallback", [&] { of_devices().change(regName, callback, args); });
}
