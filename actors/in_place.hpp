// Calls in place: a caller who finds an actor idle does a small thing to its state himself, without a
// message.
//
// The caller takes the actor as a turn does (one compare and exchange), calls a function of its state, and
// gives it back (another one). There is no message, no answer, no turn. The function does what the handler of
// a message would do, and shares its code; it may refuse, having changed nothing, and then the message is
// sent.
//
// Why this keeps the order that mailboxes give, as T1 to T3 in turn.hpp do:
//   P1  An actor is taken only while its mailbox is empty and nobody runs it: all that was sent before has
//   been
//       handled. What is sent meanwhile waits in the mailbox, and is handled behind the call.
//   P2  The function sends nothing, so that nothing can overtake it, and nothing is left to be handed out.
//   P3  Not from inside a handler or a task, whose own messages may still wait in a turn: those send
//   messages.
//       Not while a hook is on the wire, which has to see everything that happens.
#pragma once

#include <stdexcept>

#include "actors/execution.hpp"
#include "actors/shell.hpp"
#include "actors/wire.hpp"

namespace soma::actors {

/// Calls function(state) if the actor is idle; the function sends nothing and does not end the actor, and
/// returns whether it has done what it was to do. Returns false if it has not, or was not called: nothing has
/// changed then, and the message must be sent. Precondition: the handle is of an actor with this state.
///
/// Always inline: what the function refers to stays in registers then.
template <class State, class Function>
[[nodiscard, gnu::always_inline]] inline bool call_in_place(const typename State::handle_type& to,
                                                            Function function) {
  auto* actor = static_cast<shell<State>*>(to.actor());
  if (wire::hook() != nullptr || current_unit() != nullptr || !actor->try_take_in_place()) {
    return false;
  }
  using in_place = typename shell<State>::in_place;
  const auto outcome = actor->call_in_place(function);
  if (outcome != in_place::ended) [[likely]] {
    actor->leave_in_place();
  }
  return outcome == in_place::done;
}

/// The same with two actors, of which both are idle: calls function(state, other). A call that concerns two
/// needs no message between them then. An exception ends both.
template <class State, class Other, class Function>
[[nodiscard]] bool call_in_place(const typename State::handle_type& to,
                                 const typename Other::handle_type& with, Function function) {
  auto* other = static_cast<shell<Other>*>(with.actor());
  return call_in_place<State>(to, [&](State& state) {
    if (!other->try_take_in_place()) {
      return false;
    }
    auto both = [&](Other& second) { return function(state, second); };
    using in_place = typename shell<Other>::in_place;
    const auto outcome = other->call_in_place(both);
    if (outcome == in_place::ended) [[unlikely]] {
      throw std::runtime_error("a call in place has ended the other actor");  // and now this one
    }
    other->leave_in_place();
    return outcome == in_place::done;
  });
}

}  // namespace soma::actors
