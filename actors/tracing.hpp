// The recorder of message traces: what a thread does when it sends a message, handles one, or makes a call,
// while a trace is being taken.
//
// Tracing changes nothing of how actors run: turns take idle actors as ever, and a message carries the number
// of the entry that tells of its sending, whichever way it goes. Only one hook is put on the wire, which does
// nothing itself; it tells everybody that messages are to be seen, so that nothing that replaces a message by
// something faster is used meanwhile. Off, each place that could record something costs one load and one
// branch.
//
// Each thread knows what it is doing: the entry of the message that it handles, or of the call that it makes,
// is the cause of what it sends. Entries go to trace_store.hpp. All functions may be called by any thread;
// none locks, allocates (but for a thread's first entry) or fails.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "actors/actor_mark.hpp"
#include "actors/calling.hpp"
#include "actors/tick.hpp"
#include "actors/trace_entry.hpp"
#include "actors/wire.hpp"
#include "memory/identifiers.hpp"
#include "memory/ordered_heap.hpp"
#include "messages/all.hpp"

namespace soma::actors {
class trace_store;
}

namespace soma::actors::tracing {

/// Whether all is to be done by messages and nothing lent, since a trace is being taken. Also true of a
/// library without the recorder, which bench/ compares with.
inline bool by_messages_only() noexcept {
  const auto* hook = wire::hook();
  return hook != nullptr && hook->records();
}

/// Whether what happens is to be recorded.
inline bool is_on() noexcept {
#ifdef SOMA_WITHOUT_TRACING
  return false;
#else
  return by_messages_only();
#endif
}

// -- what a message is about --------------------------------------------------------------------------------

struct message_facts {
  std::uint8_t flags = 0;  // entry_flag
  memory::position task;
  std::uint64_t amount = 0;  // bytes, or the number of a record
  memory::address block = memory::address::null;
};

namespace detail {

template <class T>
void add_value_facts(const T& value, message_facts& facts) {
  if constexpr (requires { value.at.stream; }) {
    facts.task = value.at;
    facts.flags |= has_task;
  } else if constexpr (requires { value.first.stream; }) {
    facts.task = value.first;
    facts.flags |= has_task;
  } else if constexpr (requires { memory::stream_id{value.stream}; }) {
    facts.task.stream = value.stream;
    facts.flags |= has_task;
  } else if constexpr (requires { memory::number(value.sequence); }) {
    facts.task.sequence = value.sequence;
    facts.flags |= has_task;
  }
  if constexpr (requires { memory::address{value.block}; }) {
    facts.block = value.block;
    facts.flags |= has_block;
  } else if constexpr (requires { value.block.begin; }) {
    facts.block = value.block.begin;
    facts.amount = value.block.bytes;
    facts.flags |= has_block | has_bytes;
  }
  if constexpr (requires { std::uint64_t{value.bytes}; }) {
    facts.amount = value.bytes;
    facts.flags |= has_bytes;
  } else if constexpr (requires { value.number; }) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value.number)>, memory::record_number>) {
      facts.amount = memory::number(value.number);
      facts.flags |= has_number;
    }
  }
}

inline void add_work_facts(const messages::work& work, message_facts& facts) {
  if (const auto* copy = std::get_if<messages::copy_bytes>(&work)) {
    facts.block = memory::address{reinterpret_cast<std::uint64_t>(copy->destination)};
    facts.amount = copy->bytes;
    facts.flags |= has_block | has_bytes;
  } else if (const auto* fill = std::get_if<messages::fill_bytes>(&work)) {
    facts.block = memory::address{reinterpret_cast<std::uint64_t>(fill->destination)};
    facts.amount = fill->bytes;
    facts.flags |= has_block | has_bytes;
  }
}

// Work has no task yet when it is sent: its word is free.
inline void add_source(const messages::work& work, message_facts& facts) {
  if (const auto* copy = std::get_if<messages::copy_bytes>(&work)) {
    facts.task.sequence = memory::sequence_number{reinterpret_cast<std::uint64_t>(copy->source)};
    facts.flags |= has_source;
  }
}

}  // namespace detail

template <class Message>
message_facts facts_of(const Message& message) {
  message_facts facts;
  if constexpr (requires {
                  message.ticket;
                  message.value.error();
                }) {
    if (!message.value) {
      facts.flags |= is_failure;
    } else {
      detail::add_value_facts(*message.value, facts);
    }
  } else if constexpr (requires { message.task.index(); }) {
    detail::add_work_facts(message.task, facts);
    detail::add_source(message.task, facts);
  } else {
    detail::add_value_facts(message, facts);
  }
  return facts;
}

// -- what threads do ----------------------------------------------------------------------------------------

/// A message is being sent. Returns what the message is to carry along.
trace_id note_sent(const actor_mark& to, std::size_t place, const message_facts& facts) noexcept;

/// The message of an answer's slot has come: told with the call that asked, and when.
void note_answered(trace_id call, std::uint64_t stamp) noexcept;

/// How a pool decided; `what` is what it knew.
void note_granted(const memory::range& block, const memory::grant_reason& reason,
                  const messages::traced_grant& what) noexcept;

/// The call that this thread is in, or none.
trace_id current_call() noexcept;

/// While a thread handles a message: what it sends was caused by it.
class handling {
public:
  handling(const actor_mark& by, std::size_t place, trace_id message) noexcept;
  ~handling();
  handling(const handling&) = delete;
  handling& operator=(const handling&) = delete;

  /// What the actor knows of itself afterwards.
  void set_figures(std::pair<std::uint64_t, std::uint64_t> figures) noexcept { figures_ = figures; }

private:
  actor_mark by_;
  std::size_t place_;
  trace_id message_;
  std::uint64_t start_;
  std::pair<std::uint64_t, std::uint64_t> figures_;
  struct outer {
    trace_id cause;
    trace_id call;
    actor_mark actor;
  } outer_;
};

/// While an engine runs the work of a task.
class working {
public:
  working(const messages::work& work, const memory::position& first, std::size_t index) noexcept {
    if (is_on()) [[unlikely]] {
      begin(work, {first.stream, memory::sequence_number{memory::number(first.sequence) + index}});
    }
  }
  ~working() {
    if (work_ != trace_id::none) [[unlikely]] {
      end();
    }
  }
  working(const working&) = delete;
  working& operator=(const working&) = delete;

private:
  void begin(const messages::work& work, const memory::position& at) noexcept;
  void end() noexcept;

  trace_id work_ = trace_id::none;
  trace_id outer_cause_ = trace_id::none;
};

// -- switching ----------------------------------------------------------------------------------------------

enum class start_result : std::uint8_t { started, already_on, wire_is_taken, no_memory };

/// Starts a trace that keeps about so many bytes of the latest entries. Any thread may call it, whatever the
/// others do; not two at the same time.
start_result start(std::size_t bytes);

/// Ends it. What was recorded can be read until the next start.
void stop() noexcept;

/// What a reader of the latest trace needs to know; null store if there was none.
struct session_view {
  const trace_store* store = nullptr;
  std::uint64_t session = 0;
  tick_pair started;
};
session_view latest_session() noexcept;

}  // namespace soma::actors::tracing
