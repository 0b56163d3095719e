// Functions of the program that are called when streams and devices come and go.
#pragma once

#include <cstdint>

#include "acl/acl_rt.h"

namespace soma::acl {

/// Call the registered functions, on this thread. No lock may be held.
void tell_stream_state(void* stream, aclrtStreamState state);
void tell_device_state(std::uint32_t device, aclrtDeviceState state);

}  // namespace soma::acl
