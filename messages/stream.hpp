// What the STREAM takes. The first group comes from callers and is processed strictly in order of arrival:
// nothing is passed on to a pool or an event before what came ahead of it is settled.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory/access.hpp"
#include "memory/identifiers.hpp"
#include "memory/order_clock.hpp"
#include "memory/place.hpp"
#include "messages/actors.hpp"
#include "messages/engine.hpp"

namespace soma::messages {

using memory::address;
using memory::order_clock;
using memory::position;
using memory::record_number;
using memory::sequence_number;
using memory::stream_id;

/// What a stream does after a task failed.
enum class on_failure : std::uint8_t { proceed, stop };

/// A failure by its number; each stream counts its own, from 1.
struct failure_mark {
  stream_id stream = stream_id::none;
  std::uint64_t number = 0;
};

/// What the host knows of a stream once a synchronize has returned.
struct stream_seen {
  order_clock seen;  // these tasks are complete
  std::optional<fault> failure;
  std::vector<failure_mark> failed;  // all failures that this tells of
};

struct stream_status {
  bool complete = false;
  order_clock seen;  // if complete
};

// -- from callers, in order
// -----------------------------------------------------------------------------------

struct malloc_async {
  pool_actor pool;
  std::uint64_t bytes = 0;
  answer<address> reply;
  memory::place where = {};  // here and below: for the checker
  memory::pool_id pool_number = memory::pool_id::none;
};

struct free_async {
  pool_actor pool;
  address block = address::null;
  answer<done> reply;
  memory::place where = {};
};

/// Frees memory of the device's plain heap in the stream's order.
struct free_plain_async {
  address block = address::null;
  answer<done> reply;
  memory::place where = {};
};

/// A kernel, copy, fill or host function.
struct submit_work {
  work task;
  answer<done> reply;
  memory::place where = {};
  std::vector<memory::access> accesses = {};
};

struct record_event {
  event_actor event;
  record_number number;
  answer<done> reply;
};

/// A wait that takes longer than its limit is a failure of the stream, but does not end before its time: the
/// stream may have been given memory on the strength of it.
struct wait_event {
  event_actor event;
  record_number number;
  answer<done> reply;
  memory::event_id id = memory::event_id::none;  // for explanations
  std::chrono::nanoseconds limit{0};             // counted from when the stream gets there; 0: none
};

/// Answered when everything submitted before it has been executed.
struct synchronize_stream {
  answer<stream_seen> reply;
  bool keep_failure = false;  // until forget_failure; else it is told once
};

struct query_stream {
  answer<stream_status> reply;
};

struct set_failure_mode {
  on_failure mode = on_failure::proceed;
  answer<done> reply;
};

/// Ends the task that is running, as soon as its engine looks, and fails it. What is queued stays.
struct stop_task {
  answer<done> reply;
};

/// Drops the work that was submitted so far. Frees, records and waits for events among it take effect; who
/// waits for the stream gets `why`. Answered when no engine has work of the stream any more.
struct abort_stream {
  fault why;
  answer<done> reply;
};

/// What is noted of a stream for others to read; nothing of it changes how tasks are executed.
enum class stream_note : std::uint8_t {
  priority,
  flags,
  overflow_check,
  custom_tag,
  cache_operators,
  cube_cores,    // the most that tasks are to use; 0: no limit of its own
  vector_cores,  // the same
};
inline constexpr std::size_t stream_notes = 7;

struct write_stream_note {
  stream_note which = stream_note::priority;
  std::uint64_t value = 0;
  answer<done> reply;
};

struct read_stream_note {
  stream_note which = stream_note::priority;
  answer<std::uint64_t> reply;
};

/// The largest block that a malloc_async of this stream would get from the pool now, without waiting.
struct ask_largest {
  pool_actor pool;
  std::uint64_t device_free = 0;
  answer<std::uint64_t> reply;
};

/// No caller has the stream any more: it ends when its tasks have been executed.
struct retire_stream {};

// -- from other actors
// ----------------------------------------------------------------------------------------

/// From a stream that took a block which this one frees: tell when the task has been executed.
struct await_task {
  sequence_number sequence;
  answer<done> reply;
};

/// From a pool: the stream gives back its stock. A term of the lease ends by that; if none follows, the lease
/// ends, also for live blocks. Answered at once, whatever the stream is settling.
struct collect_stock {
  pool_actor pool;
  std::uint64_t term = 0;         // what answers to its requests lend in this term is not lent any more
  std::uint64_t next_term = 0;    // 0: none
  bool is_deciding = false;       // about a block for this stream: what came with the question is known
  address block = address::null;  // not null: if the stream has it live, nothing ends but the lending of this
  answer<stock_returned> reply;
};

/// From the device: the host was told of this failure.
struct forget_failure {
  std::uint64_t number = 0;
};

/// From the device: a stream of the same group failed.
struct stop_stream {
  fault failure;
};

}  // namespace soma::messages
