// Calls in place: a caller who finds an actor idle does a small thing to its state himself, without a
// message.
//
// The caller takes the actor as a turn does (one compare and exchange), calls a function of its state, and
// gives it back (another one). There is no message, no answer, no turn. The function does what the handler of
// a message would do, and shares its code; it may refuse, having changed nothing, and then the message is
// sent.
//
// A call that concerns two actors: the function of the first one calls a function of the second one in place,
// and goes on with its own state when that has been given back. If the second one is not idle it refuses. So
// nobody waits, and an exception ends the actor in whose function it was thrown, as in a handler.
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

/// The same, but if another thread runs the actor just now, it is tried again for a moment: that is often
/// done in less time than a message takes. A message would also make that thread handle it, and all that the
/// caller sends until its mailbox is empty again.
template <class State, class Function>
[[nodiscard]] bool call_in_place_soon(const typename State::handle_type& to, Function function) {
  constexpr int most_tries = 32;
  bool was_called = false;
  const auto noted = [&](State& state) {
    was_called = true;
    return function(state);
  };
  for (int tried = 0; tried < most_tries; ++tried) {
    if (call_in_place<State>(to, noted)) {
      return true;
    }
    if (was_called || wire::hook() != nullptr || current_unit() != nullptr) {
      return false;
    }
    __builtin_ia32_pause();
  }
  return false;
}

}  // namespace soma::actors
