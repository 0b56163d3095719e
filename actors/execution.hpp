// Where actors run: on the thread that sends them something.
//
// A message to an idle actor is handled by the sender's own thread, at once; no worker is woken. Handlers
// never nest: what a handler wakes runs after it has returned. If another thread is running the actor, that
// thread takes the message along. Nothing is left behind: what a thread does not run itself it gives to CAF's
// workers. (The same idea as a combining lock: whoever holds it executes what others have queued.)
//
// How a thread does that is in turn.hpp. Here: what is known of a thread at the moment. This and the wire are
// the only state outside of actors in this folder that several functions share; it is thread-local.
#pragma once

#include "messages/caf.hpp"

namespace soma::actors {

using messages::execution_unit;

class turn;

namespace of_this_thread {

// Looked up with each message and each call in place: the model saves a call into the loader, which a shared
// library needs otherwise.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local execution_unit* unit_in_use;
[[gnu::tls_model("initial-exec")]] extern constinit thread_local turn* turn_in_use;

}  // namespace of_this_thread

/// The unit on which this thread is running a handler at the moment, or null.
inline execution_unit* current_unit() noexcept { return of_this_thread::unit_in_use; }

/// The turn that this handler is part of, or null: then a worker of CAF, a thread of an engine's own or a
/// test runs the actor.
inline turn* current_turn() noexcept { return of_this_thread::turn_in_use; }

/// Makes a unit the current one of this thread, for the time of a scope.
class unit_scope {
public:
  /// The handler is part of the turn, if the unit is one that is running.
  explicit unit_scope(execution_unit* unit) noexcept;
  /// The handlers are part of this turn.
  explicit unit_scope(turn& now) noexcept;
  ~unit_scope();
  unit_scope(const unit_scope&) = delete;
  unit_scope& operator=(const unit_scope&) = delete;

private:
  execution_unit* outer_unit_;
  turn* outer_turn_;
};

}  // namespace soma::actors
