// A trace as a file: Chrome trace JSON, as Perfetto reads it.
//
// Process 1 has the tracks of actors, process 2 those of the program's threads. A message is a slice on its
// receiver's track, a call one on its thread's, the work of a task one on its engine's. An arrow leads from
// where a message was sent to where it is handled, and from an answer to the call that got it. Pools have
// counters. What `soma trace` needs is in the args. docs/tracing.md describes all of it.
//
// Works in a signal handler.
#pragma once

#include "api/cpp/trace_snapshot.hpp"

namespace soma::detail {

/// Writes it to an open file. Returns the system's error, or 0.
int write_trace(int file, const trace_snapshot& of) noexcept;

}  // namespace soma::detail
