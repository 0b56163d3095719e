// One entry of a trace: 64 bytes, of which the first word says what it is.
//
// What the words mean, by the type of the entry (a stamp is a time in ticks, see tick.hpp):
//   sent      cause, receiver, stamp, then what the message is about: stream, task, amount, block
//   handled   the message, the actor, stamps of start and end, two figures of the actor after it
//   called    cause, the call's name (a pointer to text that stays), stamp of the start
//   returned  the call, stamp of the end
//   answered  cause, the call, stamp, the answer's value is in what its cause handled
//   began     cause, the engine, stamp, stream, task, and of a copy or fill: bytes, destination
//   ended     the work, stamp
//   named     the work, and its name in 48 characters
//   granted   cause, block, stream and task of the free, event and record, counts of idle pieces, bytes
#pragma once

#include <array>
#include <cstdint>

#include "actors/actor_mark.hpp"
#include "messages/trace_id.hpp"

namespace soma::actors {

using messages::trace_id;

enum class entry_type : std::uint8_t {
  none,
  sent,
  handled,
  called,
  returned,
  answered,
  began,
  ended,
  named,
  granted,
};

struct trace_entry {
  std::array<std::uint64_t, 8> words{};
};

/// What of an entry's amount and block has a meaning.
enum entry_flag : std::uint8_t {
  has_bytes = 1,
  has_number = 2,
  has_block = 4,
  has_task = 8,
  is_failure = 16,
  has_source = 32,  // the word of the task is the address that a copy reads from
};

/// The first word: type, kind of the actor, place or kind of the message or work, flags, number of the actor.
struct entry_head {
  entry_type type = entry_type::none;
  actor_kind kind = actor_kind::other;
  std::uint8_t place = 0;
  std::uint8_t flags = 0;
  std::uint32_t actor = 0;
};

constexpr std::uint64_t pack(const entry_head& head) noexcept {
  return static_cast<std::uint64_t>(head.type) | static_cast<std::uint64_t>(head.kind) << 8U |
         static_cast<std::uint64_t>(head.place) << 16U | static_cast<std::uint64_t>(head.flags) << 24U |
         static_cast<std::uint64_t>(head.actor) << 32U;
}

constexpr entry_head unpack_head(std::uint64_t word) noexcept {
  return {static_cast<entry_type>(word & 0xFFU), static_cast<actor_kind>(word >> 8U & 0xFFU),
          static_cast<std::uint8_t>(word >> 16U), static_cast<std::uint8_t>(word >> 24U),
          static_cast<std::uint32_t>(word >> 32U)};
}

constexpr std::uint64_t pack(std::uint32_t low, std::uint64_t high) noexcept { return low | high << 32U; }

constexpr std::uint32_t low_half(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }
constexpr std::uint32_t high_half(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word >> 32U);
}

constexpr std::uint64_t number(trace_id id) noexcept { return static_cast<std::uint64_t>(id); }

}  // namespace soma::actors
