// What a call of soma's C++ interface returns when it fails.
//
// Nothing in this interface throws: every call that can fail returns soma::expected<T>, which holds either
// the result or an error. An error is a code, to decide by, and a text, for people: it names the call, the
// argument with its value, the rule that was broken, and what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "soma/export.hpp"

namespace soma {

/// What went wrong, for programs.
enum class errc : std::uint8_t {
  invalid_argument,   ///< a value outside of what the call accepts; nothing was changed
  invalid_handle,     ///< the object was destroyed, moved from, or never created
  wrong_device,       ///< the two objects belong to different devices or runtimes
  no_such_device,     ///< no device has this index
  not_permitted,      ///< a kernel or host function made a call that allocates, frees, launches or waits
  unknown_address,    ///< no live block starts here: freed twice, inside a block, or never given out
  out_of_memory,      ///< the pool or the device cannot serve the request; the text tells why
  timed_out,          ///< the time given for waiting is over; the work goes on
  not_recorded,       ///< the event was never recorded
  not_complete,       ///< the event's record has not been executed yet
  task_failed,        ///< a kernel returned non-zero or threw, or a task raised a fatal signal
  stream_stopped,     ///< the stream stopped after a failed task and takes no new work
  task_stopped,       ///< the task was told to stop
  task_timed_out,     ///< a wait in the stream took longer than its limit
  stream_aborted,     ///< the stream was aborted while the call waited for it
  device_aborted,     ///< all streams of the device were aborted while the call waited
  kernel_not_found,   ///< no kernel of this name
  file_not_readable,  ///< the file cannot be opened or loaded
  actor_gone,         ///< the part of the runtime that had to answer has ended
  shut_down,          ///< the runtime has ended
  forked_child,       ///< the process is a child by fork; devices stay with the parent
  system_failure,     ///< the operating system refused; the text has its reason
  already_done,       ///< a part of the range is registered already
  not_allowed,        ///< another process does not share this memory with this one
};

/// The name of a code as it is written above, for example "out_of_memory".
SOMA_API std::string_view to_string(errc code) noexcept;

/// Why a call failed.
struct error {
  errc code;
  std::string message;
};

/// The result of a call, or why there is none.
template <class T>
using expected = tl::expected<T, error>;

}  // namespace soma
