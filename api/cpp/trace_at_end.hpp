// The trace that the environment asks for, and how it gets into its file when the program ends.
#pragma once

namespace soma::detail {

/// Starts a trace if SOMA_TRACE names a file, once in the process. A file that cannot be written is told on
/// standard error, and the program goes on without a trace.
void trace_as_environment_says();

/// Writes that trace, if there is one. What comes later is in the file once this is called again.
void write_environment_trace() noexcept;

/// Writes the latest trace to a file. Returns the system's error, or 0. Works in a signal handler.
int write_trace_to(const char* path) noexcept;

}  // namespace soma::detail
