// What the process has once: the runtime, and the primary contexts of its devices.
//
// The runtime is made by the first call that needs it. It ends with the last finalize, if nothing of it is in
// use then, or else when the process exits, if no work is pending then. Where work is pending at exit, for
// example a stream that is blocked for ever, the runtime is left to the operating system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "api/acl/objects.hpp"

namespace soma::acl {

/// The runtime; it is made if there is none. Refuses with 100000 if the environment has a bad value.
std::shared_ptr<machine> get_machine();

/// The runtime, or null if there is none.
std::shared_ptr<machine> existing_machine() noexcept;

/// How many devices there are, or will be once the runtime is made.
std::uint32_t device_count();

/// The memory that each device will have once the runtime is made, in bytes.
std::uint64_t planned_memory();

/// The device of this number, which the argument of this name has; 107001 if it does not exist.
std::uint32_t device_argument(const char* argument, std::int64_t device);

/// Adds one to the count of live blocks of aclrtMallocHost, or takes one off.
void count_host_blocks(std::ptrdiff_t change) noexcept;

/// Ends the runtime if nothing of it is in use.
void end_machine_if_unused();

}  // namespace soma::acl
