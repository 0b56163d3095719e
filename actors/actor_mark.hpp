// What a trace says of an actor: its kind, its number among all actors of the process, and the number that it
// has in its runtime. And what the messages of each kind of actor are called.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "messages/actors.hpp"

namespace soma::actors {

enum class actor_kind : std::uint8_t { other, device, stream, event, pool, engine, checker, reporter };
inline constexpr std::size_t actor_kinds = 8;

template <class Handle>
inline constexpr actor_kind kind_of_actor = actor_kind::other;
template <>
inline constexpr actor_kind kind_of_actor<messages::device_actor> = actor_kind::device;
template <>
inline constexpr actor_kind kind_of_actor<messages::stream_actor> = actor_kind::stream;
template <>
inline constexpr actor_kind kind_of_actor<messages::event_actor> = actor_kind::event;
template <>
inline constexpr actor_kind kind_of_actor<messages::pool_actor> = actor_kind::pool;
template <>
inline constexpr actor_kind kind_of_actor<messages::engine_actor> = actor_kind::engine;
template <>
inline constexpr actor_kind kind_of_actor<messages::checker_actor> = actor_kind::checker;
template <>
inline constexpr actor_kind kind_of_actor<messages::reporter_actor> = actor_kind::reporter;

struct actor_mark {
  std::uint32_t number = 0;  // no two actors of a process have the same; 0 for none
  std::uint32_t label = 0;   // the number that messages and reports call it by
  actor_kind kind = actor_kind::other;
};

/// What a message is called: its type, or the type of what it answers with.
struct message_name {
  std::string_view text;
  bool is_answer = false;
};

namespace detail {

// The compiler's own text of the type, without what all have in common.
template <class Message>
constexpr message_name name_of_type() noexcept {
  constexpr std::string_view whole = __PRETTY_FUNCTION__;
  constexpr std::string_view prefix = "soma::messages::";
  constexpr auto begin = whole.find("Message = ") + 10;
  constexpr auto end = whole.find_first_of(";]", begin);
  constexpr auto type = whole.substr(begin, end - begin);
  constexpr auto last = type.rfind(prefix);
  constexpr auto text = last == std::string_view::npos ? type : type.substr(last + prefix.size());
  return {text.substr(0, text.find('>')), type.find("answered<") != std::string_view::npos};
}

template <class Handle>
struct names;
template <class... Messages>
struct names<messages::handle<Messages...>> {
  static constexpr std::array<message_name, sizeof...(Messages)> all{name_of_type<Messages>()...};
};

}  // namespace detail

/// The name of the message with this place in the list of such an actor; empty if there is none.
message_name name_of(actor_kind kind, std::size_t place) noexcept;

}  // namespace soma::actors
