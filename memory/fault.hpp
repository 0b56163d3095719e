// What went wrong inside the runtime: a code to decide by, and a text for people.
//
// The codes are those of the public interface (soma::errc), under the same names; the interface translates.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace soma::memory {

enum class fault_code : std::uint8_t {
  invalid_argument,
  unknown_address,
  out_of_memory,
  timed_out,
  not_recorded,
  not_complete,
  task_failed,
  stream_stopped,
  task_stopped,
  task_timed_out,
  stream_aborted,
  device_aborted,
  actor_gone,
  shut_down,
  system_failure,
  already_done,  // registered already
  not_allowed,   // memory is not shared with this process
};

struct fault {
  fault_code code = fault_code::actor_gone;
  std::string text;
  std::uint64_t signal_address = 0;  // of a task that raised a fatal signal: what the signal was about
};

template <class T>
using result = tl::expected<T, fault>;

/// A fault as the result of a function. Not inline: faults are rare, and their texts take room at each use.
tl::unexpected<fault> failed(fault_code code, std::string text);

}  // namespace soma::memory
