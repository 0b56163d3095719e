// What the DEVICE takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "memory/identifiers.hpp"
#include "memory/memory_kind.hpp"
#include "memory/order_clock.hpp"
#include "memory/ordered_heap.hpp"
#include "memory/sizes.hpp"
#include "messages/actors.hpp"
#include "messages/stream.hpp"

namespace soma::messages {

using memory::event_id;
using memory::pool_id;

// -- from the host
// ------------------------------------------------------------------------------------------------

struct created_stream {
  stream_id id = stream_id::none;
  stream_actor stream;
};

struct create_stream {
  on_failure mode = on_failure::proceed;
  std::uint64_t failure_group = 0;
  answer<created_stream> reply;
  std::uint32_t priority = 0;  // here and below: to be read again
  std::uint32_t flags = 0;
};

struct created_event {
  event_id id = event_id::none;
  event_actor event;
};

struct create_event {
  answer<created_event> reply;
};

struct created_pool {
  pool_id id = pool_id::none;
  pool_actor pool;
  memory::range window;
  memory::kind_answer kind = {};
};

struct create_pool {
  std::uint64_t limit = 0;  // 0: the device's whole memory
  std::uint64_t minimum_block = 0;
  memory::switches reuse;
  std::uint64_t release_threshold = 0;
  answer<created_pool> reply;
  memory::kind_wish kind = {};  // for all memory that the pool will ever have
};

enum class plain_kind : std::uint8_t {
  device,
  host,
  chunk,  // of the device's memory, for its plain pool
};

struct malloc_plain {
  plain_kind kind = plain_kind::device;
  std::uint64_t bytes = 0;
  answer<address> reply;
  /// Blocks of the heap are whole pages: a power of two from 512 on. Where all ask for pages of at least one
  /// size, up to a granule, addresses are multiples of it.
  std::uint64_t page_bytes = memory::smallest_block_bytes;
  bool read_only = false;  // for a plain pool, which keeps such memory apart
};

struct free_plain {
  plain_kind kind = plain_kind::device;
  address block = address::null;
  answer<done> reply;
};

/// A live block of plain memory.
struct plain_block {
  memory::range where;
  std::uint64_t requested = 0;
  std::uint64_t page_bytes = 0;
  int file = -1;  // the file that its memory is in, and where
  std::uint64_t offset = 0;
};

/// The block that this address is in.
struct find_plain {
  address inside = address::null;
  answer<plain_block> reply;
};

struct memory_left {
  std::uint64_t free = 0;
  std::uint64_t total = 0;
};

struct read_memory {
  answer<memory_left> reply;
};

struct known_pool {
  pool_id id = pool_id::none;
  pool_actor pool;
};

/// What the device knows of itself; bytes, unless they are counts.
struct device_figures {
  std::uint64_t total = 0;
  std::uint64_t free = 0;
  std::uint64_t streams = 0;  // a count, the default stream and those that are being ended included
  std::uint64_t engines = 0;  // a count
  std::uint64_t idle_engines = 0;
  std::uint64_t waiting_runs = 0;      // runs of tasks that wait for an engine
  std::uint64_t waiting_requests = 0;  // requests for memory that are being served, or wait for their turn
  std::vector<known_pool> pools;
};

struct read_device {
  answer<device_figures> reply;
};

/// Answered when everything submitted so far to all streams has been executed. What the pools are to know of
/// it comes with host_saw_tasks, from a host that has waited long enough to see it.
struct synchronize_device {
  answer<stream_seen> reply;
};

/// The host has seen these tasks complete. Answered when every pool knows; `release` at the end of a
/// synchronize.
struct host_saw_tasks {
  order_clock seen;
  bool release = false;
  answer<done> reply;
};

/// Drops the work of all streams, as abort_stream does for one. Answered when no engine has any of it.
struct abort_device {
  fault why;
  answer<done> reply;
};

/// What is noted of a device for others to read.
enum class device_note : std::uint8_t {
  saturation_mode,
  cube_cores,    // the most that tasks are to use
  vector_cores,  // the same
  peer_access,   // of the peer with this index: whether it was enabled
  stack_limit,   // of the kind with this index, in bytes
};

struct write_device_note {
  device_note which = device_note::saturation_mode;
  std::uint32_t index = 0;
  std::uint64_t value = 0;
  answer<done> reply;
};

struct noted_value {
  std::optional<std::uint64_t> value;  // nothing if it was never written
};

struct read_device_note {
  device_note which = device_note::saturation_mode;
  std::uint32_t index = 0;
  answer<noted_value> reply;
};

/// How busy the device is now.
struct device_load {
  std::uint32_t busy_engines = 0;
  std::uint32_t waiting_runs = 0;  // for an engine
};

struct read_load {
  answer<device_load> reply;
};

/// All objects of the interface are gone: finish the streams, then end everything.
struct shut_down {
  answer<done> reply;
};

// -- from streams
// ---------------------------------------------------------------------------------------------------

/// A free of plain memory was submitted; nobody else may free the block from now on.
struct begin_plain_free {
  address block = address::null;
  answer<done> reply;
  stream_id by = stream_id::none;
};

/// It was executed. So are those of a stream that has ended.
struct end_plain_free {
  address block = address::null;
};

/// A retired stream has executed its last task.
struct stream_ended {
  stream_id id = stream_id::none;
  order_clock seen;  // its last task and what that was ordered after
  std::optional<fault> failure;
  std::uint64_t failure_number = 0;
};

/// A stream that another one waits for does not answer any more. Answered when that stream has ended, with
/// all tasks of it that an engine has.
struct await_stream_end {
  stream_id id = stream_id::none;
  answer<done> reply;
};

/// A stream with the failure mode stop has stopped.
struct group_failed {
  std::uint64_t group = 0;
  fault failure;
};

// -- from streams and pools
// -----------------------------------------------------------------------------------------

/// Those of the tasks that were asked about that the host has seen complete, and all pools know it.
struct tasks_seen {
  order_clock seen;
};

/// A clock has become long: which of its tasks can be forgotten, since everybody may have what they freed?
struct find_seen {
  order_clock tasks;
  answer<tasks_seen> reply;
};

// -- from pools
// -----------------------------------------------------------------------------------------------------

/// What the device may do to find memory.
enum class pressure : std::uint8_t {
  none,      // only what is left
  seen,      // idle memory of other pools whose frees the host has seen
  executed,  // and what has been executed
};

struct memory_reserved {
  std::uint64_t bytes = 0;
  std::uint64_t left = 0;  // on the device; of interest when bytes is 0: nothing was reserved
};

struct reserve_memory {
  pool_id pool = pool_id::none;
  std::uint64_t bytes = 0;
  pressure allowed = pressure::none;
  answer<memory_reserved> reply;
};

struct return_memory {
  pool_id pool = pool_id::none;
  std::uint64_t bytes = 0;
};

/// A pool has ended. Its part of the budget is free again; its window may be used again if it is clean: what
/// it held went back to the system.
struct pool_ended {
  pool_id id = pool_id::none;
  bool clean = true;
};

// -- from engines
// -----------------------------------------------------------------------------------------------------

struct engine_idle {
  engine_actor engine;
  std::uint64_t number = 0;  // which of the device's engines it is
};

/// An engine has ended although nobody told it to, or before it knew.
struct engine_ended {
  std::uint64_t number = 0;
};

// -- from the address space
// -------------------------------------------------------------------------------------------

/// Physical memory that programs map themselves counts for the budget, too.
struct take_budget {
  std::uint64_t bytes = 0;
  answer<budget_taken> reply;
};

struct return_budget {
  std::uint64_t bytes = 0;
};

}  // namespace soma::messages
