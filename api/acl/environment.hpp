// What the environment says about the simulated devices.
//
//   SOMA_DEVICE_MEMORY  the memory of each device: bytes, or with a suffix K, M, G or T (powers of 1024)
//   SOMA_DEVICES        the number of devices
#pragma once

#include "soma/runtime.hpp"

namespace soma::acl {

/// Reads the variables; one that is not set leaves the default. Refuses a bad value with 100000.
soma::runtime_options read_environment();

}  // namespace soma::acl
