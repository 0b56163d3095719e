// What the POOL takes. It decides grants one at a time, in the order of its mailbox; while it waits for the
// device, whatever could change the decision waits too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory/identifiers.hpp"
#include "memory/lent.hpp"
#include "memory/ordered_heap.hpp"
#include "messages/actors.hpp"

namespace soma::messages {

using memory::address;
using memory::order_clock;
using memory::position;
using memory::sequence_number;
using memory::stream_id;

/// A task of another stream that must have been executed first.
struct awaited_task {
  stream_actor stream;
  sequence_number sequence;
  stream_id id = stream_id::none;  // whose task it is
};

struct block_granted {
  memory::range block;
  memory::served how = memory::served::new_memory;
  std::vector<awaited_task> wait_for;
  bool took_offer = false;  // the block is, or is of, the one that the stream offered, which is lent no more
  std::uint64_t term = 0;   // 0: not lent. Else the block is lent from the start, in this term of the lease
  /// Called when the block's task is queued. If it is not, whether the stream cannot take the task or has
  /// ended, the block goes back to the pool: a fault, or the token lost, says so.
  answer<done> queued;
};

struct block_returned {
  std::uint64_t bytes = 0;
  std::uint64_t requested = 0;  // what follows if it is lent
  std::uint64_t term = 0;       // 0: not lent. Else of the lease: the block is in the stock of the stream
};

/// What a stream gives back of what was lent to it. A lease that lasts goes on with its live blocks.
struct stock_returned {
  std::vector<memory::stocked_block> blocks;
  sequence_number executed = sequence_number::none;  // of its tasks; later ones are told by free_executed
  memory::stock_report report;
  /// The free whose answer has not reached the stream, or none: it does not keep the block, whatever the
  /// answer says.
  sequence_number unsettled = sequence_number::none;
  bool lasts = false;
  sequence_number next = sequence_number::none;  // the first task that may free into the stock from now on
  /// Nothing is given back, and there is only a report: the block that was asked about was live, and is lent
  /// no more. `freed` is the task that freed it before the stream gave it out, or none if the pool did.
  bool was_live = false;
  sequence_number freed = sequence_number::none;
};

struct memory_released {
  std::uint64_t bytes = 0;
};

// -- from streams
// -----------------------------------------------------------------------------------------------

/// A wait that a stream has taken: what it was ordered after by it.
struct known_wait {
  memory::event_id event = memory::event_id::none;
  memory::record_number number = memory::record_number::none;
  position at;  // of the record
  order_clock ordered;
};

/// `offer` is the stream's best block for the request that is lent to it: the pool takes it back if it is
/// better than the idle pieces of the stream.
struct grant_block {
  stream_id stream = stream_id::none;
  order_clock ordered;
  std::uint64_t bytes = 0;
  answer<block_granted> reply;
  std::optional<memory::stocked_block> offer = {};
  sequence_number executed = sequence_number::none;
  memory::stock_report report = {};
  std::unique_ptr<std::vector<known_wait>> waits = {};  // for the explanation, only while messages are traced
};

/// A block is freed by the task at this position; `stream` is whom to ask about it. The free of an idle
/// stream is executed as soon as it is accepted: then no free_executed follows, and neither if it is lent.
struct give_back {
  address block = address::null;
  position at;
  stream_actor stream;
  answer<block_returned> reply;
  bool executed = false;
  bool may_lend = false;
  memory::stock_report report = {};
};

/// A stream gives blocks back that were lent to it: some, or all that was lent, since it ends.
struct return_stock {
  stream_id stream = stream_id::none;
  stock_returned stock;
  bool all = false;
};

/// The task of a granted block was not queued: the block is again what it was.
struct undo_grant {
  memory::idle_parts parts;
};

/// The free at this position has been executed.
struct free_executed {
  position at;
};

// -- from the host
// ----------------------------------------------------------------------------------------------

/// A free that takes effect at once, without order.
struct give_back_now {
  address block = address::null;
  answer<block_returned> reply;
};

struct trim_pool {
  std::uint64_t keep = 0;
  answer<done> reply;
};

enum class setting : std::uint8_t {
  reuse_event,
  reuse_opportunistic,
  reuse_internal,
  release_threshold,
  reserved_high,  // only to 0
  used_high,      // only to 0
};

struct change_setting {
  setting which = setting::release_threshold;
  std::uint64_t value = 0;
  answer<done> reply;
};

struct pool_figures {
  memory::heap_figures heap;
  memory::switches reuse;
  std::uint64_t release_threshold = 0;
};

struct read_figures {
  answer<pool_figures> reply;
};

/// The largest block that the stream would get if the device had this much left.
struct read_largest {
  stream_id stream = stream_id::none;
  order_clock ordered;
  std::uint64_t device_free = 0;
  answer<std::uint64_t> reply;
};

struct found_block {
  std::uint64_t bytes = 0;
  std::uint64_t requested = 0;
  address begin = address::null;
};

struct find_block {
  address block = address::null;
  answer<found_block> reply;
  bool inside = false;  // the address may be any in the block
};

/// What more is known of a grant that was made while messages were traced.
struct traced_grant {
  memory::candidates idle;                          // what there was to choose from
  memory::event_id event = memory::event_id::none;  // that ordered the taker behind the free
  memory::record_number record = memory::record_number::none;
};

/// How a live block was served.
struct block_explanation {
  memory::grant_reason reason;
  std::uint64_t bytes = 0;
  std::optional<traced_grant> traced;
};

struct explain_block {
  address block = address::null;
  answer<block_explanation> reply;
};

/// No caller has the pool any more: it ends when its last block is free and its memory given back.
struct retire_pool {};

// -- from the device
// --------------------------------------------------------------------------------------------

/// The host has seen these tasks complete; `release` at the end of a synchronize.
struct host_saw {
  order_clock seen;
  bool release = false;
  answer<done> reply;
};

/// The device is short of memory. Answered at once, also while a grant is being decided.
struct release_idle {
  std::uint64_t bytes = 0;
  memory::ordered_heap::releasable which = memory::ordered_heap::releasable::seen;
  answer<memory_released> reply;
};

/// The device ends: give everything back, whatever is live.
struct abandon_pool {};

}  // namespace soma::messages
