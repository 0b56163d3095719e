// The most cores that kernels are to use: of a device, of a stream, and of the calling thread.

#include <cstdint>
#include <optional>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/chip.hpp"
#include "api/acl/current.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {
namespace {

/// The stream whose limits the thread uses; null if none.
constinit thread_local void* stream_in_use = nullptr;

struct core_kind {
  std::uint32_t cores;  // that there are
  soma::device_note of_device;
  soma::stream_note of_stream;
};

constexpr core_kind cube{chip::cube_cores, device_note::cube_cores, stream_note::cube_cores};
constexpr core_kind vector{chip::vector_cores, device_note::vector_cores, stream_note::vector_cores};

const core_kind& kind_argument(int type) {
  if (type != ACL_RT_DEV_RES_CUBE_CORE && type != ACL_RT_DEV_RES_VECTOR_CORE)
    refuse(ACL_ERROR_INVALID_PARAM,
           "type is " + std::to_string(type) + ": it must be 0 (cube) or 1 (vector)");
  return type == ACL_RT_DEV_RES_CUBE_CORE ? cube : vector;
}

void check_limit(const core_kind& kind, std::uint32_t value) {
  if (value == 0 || value > kind.cores)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "value is " + std::to_string(value) + ": it must be from 1 to " + std::to_string(kind.cores));
}

soma::device& device_of(std::int32_t device) {
  return get_machine()->devices[device_argument("deviceId", device)];
}

std::uint32_t limit_of(const soma::device& device, const core_kind& kind) {
  return static_cast<std::uint32_t>(value_of(device.note(kind.of_device)).value_or(kind.cores));
}

std::uint32_t limit_of(const stream& on, const core_kind& kind) {
  const auto own = value_of(on.queue.note(kind.of_stream));
  return own != 0 ? static_cast<std::uint32_t>(own) : limit_of(on.device(), kind);
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value) {
  return call("aclrtSetDeviceResLimit", [&] {
    const auto& kind = kind_argument(number_of(type));
    check_limit(kind, value);
    value_of(device_of(deviceId).set_note(kind.of_device, value));
  });
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value) {
  return call("aclrtGetDeviceResLimit", [&] {
    require_not_null(value, "value");
    *value = limit_of(device_of(deviceId), kind_argument(number_of(type)));
  });
}

aclError aclrtResetDeviceResLimit(int32_t deviceId) {
  return call("aclrtResetDeviceResLimit", [&] {
    auto& device = device_of(deviceId);
    for (const auto* const kind : {&cube, &vector})
      value_of(device.set_note(kind->of_device, kind->cores));
  });
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value) {
  return call("aclrtSetStreamResLimit", [&] {
    const auto& kind = kind_argument(number_of(type));
    check_limit(kind, value);
    value_of(stream_argument(stream)->queue.set_note(kind.of_stream, value));
  });
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value) {
  return call("aclrtGetStreamResLimit", [&] {
    require_not_null(value, "value");
    const auto& kind = kind_argument(number_of(type));
    *value = limit_of(*stream_argument(stream), kind);
  });
}

aclError aclrtResetStreamResLimit(aclrtStream stream) {
  return call("aclrtResetStreamResLimit", [&] {
    const auto found = stream_argument(stream);
    for (const auto* const kind : {&cube, &vector})
      value_of(found->queue.set_note(kind->of_stream, 0));
  });
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) {
  return call("aclrtUseStreamResInCurrentThread", [&] {
    static_cast<void>(stream_argument(stream));
    stream_in_use = stream != nullptr ? stream : current_context()->default_stream;
  });
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) {
  return call("aclrtUnuseStreamResInCurrentThread", [&] {
    static_cast<void>(stream_argument(stream));
    stream_in_use = nullptr;
  });
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  return call("aclrtGetResInCurrentThread", [&] {
    require_not_null(value, "value");
    const auto& kind = kind_argument(number_of(type));
    const auto owner = current_context();
    const auto in_use = streams().find(stream_in_use);
    *value = in_use ? limit_of(*in_use, kind) : limit_of(owner->device(), kind);
  });
}
