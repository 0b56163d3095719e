// Message traces: what every part of the runtime was sent, by whom and why, and when it was handled.
//
// A trace is taken of the whole process, of all its runtimes. It is written as a Chrome trace, which
// https://ui.perfetto.dev opens and `soma trace` summarises (docs/tracing.md). The environment variable
// SOMA_TRACE=FILE does the same for any program, without a change: then the file is written when the program
// ends, whether it returns, calls exit, or is ended by a signal. %p in FILE stands for the process's number.
//
// All calls may be made from any thread at any time, but for start and stop, which only one thread may be in.
#pragma once

#include <cstdint>
#include <string>

#include "soma/error.hpp"
#include "soma/export.hpp"

namespace soma::trace {

/// How a trace is taken.
struct options {
  /// How much memory the trace may take, in bytes; at least 32 KiB. A message takes 128 bytes. When it is
  /// full, the oldest entries are dropped and counted.
  std::uint64_t memory = std::uint64_t{64} << 20;
};

/// What has been recorded so far.
struct status {
  bool on = false;
  std::uint64_t entries = 0;  ///< that are there to be written; a count
  std::uint64_t dropped = 0;  ///< entries that had no room; a count
};

/// Starts a trace, and forgets what the one before has recorded. Errors: not_permitted (one is being taken
/// already, or something else watches the messages), out_of_memory.
SOMA_API expected<void> start(const options& how = {});

/// Ends the trace. What it has recorded can be written until the next start.
SOMA_API void stop() noexcept;

/// How far the trace is.
[[nodiscard]] SOMA_API status get_status() noexcept;

/// Writes what the trace has recorded so far, also while it goes on. Errors: file_not_readable (the file
/// cannot be written; the text has the system's reason), not_permitted (no trace was ever started),
/// out_of_memory.
SOMA_API expected<void> write(const std::string& path);

}  // namespace soma::trace
