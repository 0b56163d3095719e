// What the environment says about the simulated devices.
//
//   SOMA_DEVICE_MEMORY  the memory of each device: bytes, or with a suffix K, M, G or T (powers of 1024)
//   SOMA_DEVICES        the number of devices
//   SOMA_PLAIN_POOL     1: small plain allocations come from a pool of chunks
//   SOMA_SHORT_KERNEL_MS  see short_kernels.hpp
#pragma once

#include <chrono>

#include "soma/runtime.hpp"

namespace soma::acl {

/// Reads the variables; one that is not set leaves the default. Refuses a bad value with 100000.
soma::runtime_options read_environment();

/// How long calls of the host wait at most for a kernel that is taken to be short. Refuses as
/// read_environment.
std::chrono::milliseconds read_short_kernel_limit();

}  // namespace soma::acl
