// The number by which a message, a call or the work of a task is known in a trace.
#pragma once

#include <cstdint>

namespace soma::messages {

/// Which entry of the trace tells of it (actors/tracing.hpp). None if no trace was being taken.
enum class trace_id : std::uint64_t { none = 0 };

}  // namespace soma::messages
