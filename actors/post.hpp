// How messages are sent.
#pragma once

#include <utility>

#include "actors/execution.hpp"
#include "actors/turn.hpp"

namespace soma::actors {

/// Sends by a unit: a turn hands the message out itself where it can. Null: a worker runs what this wakes.
template <class Handle, class Message>
void send_by(execution_unit* unit, const Handle& to, Message&& message) {
  if (auto* now = current_turn(); now != nullptr && now == unit) {
    now->send(to, std::forward<Message>(message));
  } else {
    const auto trace = traced(to, message);
    messages::enqueue(to, std::forward<Message>(message), unit, trace);
  }
}

/// Sends from a handler, or from any other thread: then what the message wakes runs here before post returns.
template <class Handle, class Message>
void post(const Handle& to, Message&& message) {
  if (auto* unit = current_unit()) {
    send_by(unit, to, std::forward<Message>(message));
    return;
  }
  turn own(to.home_system());
  own.send(to, std::forward<Message>(message));
  own.run();
}

/// Whether the actor has ended, so that it takes no message any more. Any thread may ask.
template <class Handle>
bool has_ended(const Handle& actor) {
  return static_cast<shell_base*>(actor.actor())->has_ended();
}

}  // namespace soma::actors
