// What the CHECKER and the REPORTER take. Both exist only while a runtime is checked for races.
//
// Streams tell the checker what they accept before they pass it on, so that what happens before something
// else was told before it. What the host does at once is told by the caller, who waits for the answer first.
#pragma once

#include <string>
#include <vector>

#include "memory/access.hpp"
#include "memory/access_finding.hpp"
#include "memory/identifiers.hpp"
#include "memory/order_clock.hpp"
#include "messages/actors.hpp"

namespace soma::messages {

// -- from streams
// -----------------------------------------------------------------------------------------------

/// A task uses memory.
struct memory_touched {
  memory::operation by;
  memory::order_clock ordered;
  std::vector<memory::access> accesses;
  bool arguments_later = false;  // the kernel's arguments are read when it runs
};

/// A free is about to be asked of the pool or the device.
struct free_submitted {
  memory::operation by;
  memory::order_clock ordered;
  memory::address block = memory::address::null;
};

/// A task raised a fatal signal about this address.
struct signal_raised {
  memory::operation by;
  memory::address at = memory::address::null;
};

// -- from engines
// -----------------------------------------------------------------------------------------------

/// The kernel at this position is about to run with these pointers among its arguments.
struct arguments_read {
  memory::position at;
  std::vector<memory::access> pointers;
};

// -- from streams and the host
// ----------------------------------------------------------------------------------

/// A block was given out, by a task or at once.
struct block_allocated {
  memory::block_life block;
  answer<done> reply;
};

// -- from the host
// ----------------------------------------------------------------------------------------------

/// The host frees at once.
struct block_freed_at_once {
  memory::operation by;
  memory::address block = memory::address::null;
  answer<done> reply;
};

/// A free was refused: no block begins there.
struct free_refused {
  memory::operation by;
  memory::address block = memory::address::null;
};

/// The host is about to use memory itself. Answered when whatever is wrong with that was reported.
struct host_touches {
  memory::operation by;
  std::vector<memory::access> accesses;
  answer<done> reply;
};

/// The host has seen these tasks complete.
struct host_saw_complete {
  memory::order_clock seen;
  answer<done> reply;
};

/// No caller has the pool any more.
struct pool_given_up {
  memory::pool_id pool = memory::pool_id::none;
};

/// Everything that was found so far.
struct read_findings {
  answer<std::vector<memory::finding>> reply;
};

/// The end of checking: what is live now is a leak. Answered when all was reported. Later messages are
/// ignored.
struct end_check {
  answer<done> reply;
};

/// The runtime ends.
struct stop_checker {};

// -- what the reporter takes, from the checker
// ------------------------------------------------------------------

struct report_finding {
  memory::finding found;
};

/// Answers when what came before was reported.
struct finish_reports {
  answer<done> reply;
};

/// The last report: how much was found.
struct report_summary {
  std::vector<memory::finding> all;
  std::uint64_t repeated = 0;
};

struct stop_reporter {};

}  // namespace soma::messages
