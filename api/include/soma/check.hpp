// The race detector: finds uses, frees and allocations of device memory that no order of streams keeps apart.
//
// It is switched on for a whole runtime (runtime_options::check, or the environment variable SOMA_CHECK) and
// looks at what the program submits, not at what happens to run at the same time: a race is found in every
// run, also in those in which it did no harm. What orders two operations: the order of a stream, an event
// from its record to a wait, and what a synchronize or a query has shown the host to be complete. Waits that
// a pool inserts, and what the program knows otherwise (a flag set by a host function), are no order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "soma/export.hpp"

namespace soma {

/// What can be wrong.
enum class check_kind : std::uint8_t {
  use_before_malloc,     ///< a task uses a block and is not ordered behind its allocation
  use_after_free,        ///< a task uses a block and is not ordered before its free
  free_before_malloc,    ///< a free is not ordered behind the allocation
  free_before_last_use,  ///< a free at once, before the host has seen a task complete that uses the block
  double_free,           ///< a free of a block that was freed before; the call fails as well
  foreign_free,          ///< a free of an address at which no block begins; the call fails as well
  out_of_bounds,         ///< a copy, fill or declared access passes the end of what was asked for
  leak,                  ///< a block that was never freed
  stray_access,          ///< a task raised a fatal signal at an address of a block that was freed
};

/// The name of a kind as it is written above, for example "use_after_free".
SOMA_API std::string_view to_string(check_kind kind) noexcept;

/// One of the operations that a report is about.
struct check_operation {
  std::string name;    ///< "stream 2's task 14", "the host's free"
  std::string call;    ///< the function that was called: "stream::copy", "aclrtFree"
  std::string kernel;  ///< the name of the kernel, if it is one
  /// Where it was called: "file.cpp:31"; for the C interface "function+0x1f" or, for addr2line,
  /// "program+0x1234". The name of a file is without its folder; `file` has it as the compiler has.
  std::string place;
  std::string file;
  std::uint64_t stream = 0;    ///< 0: the host did it at once
  std::uint64_t sequence = 0;  ///< the task's number in its stream; 0 also for a free that was refused
};

/// What is known of the block that a report is about.
struct check_block {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;      ///< the block's size
  std::uint64_t requested = 0;  ///< the size asked for
  check_operation allocated;
  std::optional<check_operation> freed;
  bool pool_destroyed = false;  ///< its pool was destroyed while the block was live
};

/// A finding.
struct check_report {
  check_kind kind = check_kind::leak;
  std::string text;                      ///< what is wrong, in one sentence
  std::string missing_edge;              ///< the order that is missing; empty if none would help
  std::optional<check_operation> first;  ///< the operation that has to happen first
  std::optional<check_operation> second;
  std::optional<check_block> block;
  std::uint64_t address = 0;  ///< what was used or freed
  std::uint64_t count = 1;    ///< how often it was found for this pair of places
};

/// Where findings are written.
enum class check_output : std::uint8_t {
  none,
  text,  ///< to standard error, as check::to_text
  json,  ///< to standard error, a line for each report, as check::to_json
};

/// How a runtime is checked.
struct check_options {
  check_output output = check_output::text;
  /// Idle memory of pools is made inaccessible while its granules belong to no block and their frees have
  /// been executed: a task that uses it all the same fails, and stray_access tells whose block it was.
  bool guard = false;
  /// Ends the process by abort() after the first report.
  bool abort = false;
  /// Called for the first report of each pair of places, on a thread of its own, one call after the other.
  /// Like a host function, it may not make calls that submit or wait.
  std::function<void(const check_report&)> on_report = {};
};

namespace check {

/// A report as text for people, several lines without a newline at the end. It has no addresses but for
/// stray_access.
SOMA_API std::string to_text(const check_report& report);

/// A report as one JSON object, in one line without a newline.
SOMA_API std::string to_json(const check_report& report);

}  // namespace check
}  // namespace soma
