// Where actors run: on the thread that sends them something.
//
// A message to an idle actor is handled by the sender's own thread, at once; no worker is woken. Handlers
// never nest: what a handler wakes runs after it has returned. If another thread is running the actor, that
// thread takes the message along. Nothing is left behind: what a thread does not run itself it gives to CAF's
// workers. (The same idea as a combining lock: whoever holds it executes what others have queued.)
//
// Each thread has at most one unit in use at a time, found by current_unit(). This and the wire are the only
// state outside of actors in this folder that several functions share; it is thread-local.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "messages/caf.hpp"

namespace soma::actors {

using messages::execution_unit;

/// The unit on which this thread is running a handler at the moment, or null.
execution_unit* current_unit() noexcept;

/// Makes a unit the current one of this thread, for the time of a scope.
class unit_scope {
public:
  explicit unit_scope(execution_unit* unit) noexcept;
  ~unit_scope();
  unit_scope(const unit_scope&) = delete;
  unit_scope& operator=(const unit_scope&) = delete;

private:
  execution_unit* outer_;
};

/// A unit that runs what was woken on the thread that owns it. Never shared between threads.
class inline_unit final : public execution_unit {
public:
  explicit inline_unit(caf::actor_system& system) : execution_unit(&system) {}
  ~inline_unit() override;

  /// From CAF: an actor has become ready.
  void exec_later(caf::resumable* ready) override;

  [[nodiscard]] bool empty() const noexcept { return ready_.empty(); }

  /// Runs the actor that has waited longest, for a number of messages that is bounded. Precondition:
  /// !empty().
  void run_one();

  /// Runs until nothing is ready, but gives what is left after a while to the workers: other threads may keep
  /// an actor busy for ever.
  void run();

  /// Gives everything that is ready to CAF's workers.
  void hand_over();

private:
  std::deque<caf::resumable*> ready_;  // each holds one reference
};

/// Sends from a handler, or from any other thread: then what the message wakes runs here before post returns.
template <class Handle, class Message>
void post(const Handle& to, Message&& message) {
  if (auto* unit = current_unit()) {
    messages::enqueue(to, std::forward<Message>(message), unit);
    return;
  }
  inline_unit unit(to->home_system());
  messages::enqueue(to, std::forward<Message>(message), &unit);
  unit.run();
}

}  // namespace soma::actors
