// Time limits of the synchronise calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "api/acl/call.hpp"

namespace soma::acl {

/// Stands for no limit.
inline constexpr std::int32_t wait_for_ever = -1;

inline void check_timeout(std::int32_t timeout) {
  if (timeout < wait_for_ever || timeout == 0)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "timeout is " + std::to_string(timeout) +
               ": it must be a number of milliseconds above 0, or -1 to wait for ever");
}

/// Waits for a stream, event or device.
template <class Awaited>
void wait_for(Awaited& awaited, std::int32_t timeout, aclError code_if_timed_out) {
  if (timeout == wait_for_ever)
    value_of(awaited.synchronize());
  else
    value_of(awaited.synchronize_for(std::chrono::milliseconds(timeout)),
             {{errc::timed_out, code_if_timed_out}});
}

}  // namespace soma::acl
