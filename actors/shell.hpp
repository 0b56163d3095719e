// The shell: the one class through which a state struct becomes an actor of CAF.
//
// A state is a plain class with a member function handle(Message&) for each message of its protocol, a static
// `name`, and a type `handle_type` (its messages::handle). It is made in the shell's constructor with a
// self<handle_type> first, and dropped when the actor ends.
//
// What the shell adds: the wire (every message passes it), the current unit (what a handler sends runs
// after it, on the same thread), and the promise that an exception in a handler ends this actor only: its
// state and its mailbox are dropped, and with them every unanswered request is answered "actor gone".
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include "actors/execution.hpp"
#include "actors/wire.hpp"
#include "messages/answer.hpp"
#include "messages/caf.hpp"

namespace soma::actors {

/// What a state knows of its own actor.
template <class Handle>
class self {
public:
  explicit self(caf::local_actor* actor) noexcept : actor_(actor) {}

  /// For others to send to. A state must not keep it: it would keep itself alive.
  [[nodiscard]] Handle handle() const { return caf::actor_cast<Handle>(actor_); }

  [[nodiscard]] caf::actor_system& system() const { return actor_->home_system(); }

  /// Ends the actor after the handler that is running.
  void quit() const { static_cast<caf::scheduled_actor*>(actor_)->quit(); }

private:
  caf::local_actor* actor_;
};

template <class State, class Handle>
class shell_of;

template <class State, class... Signatures>
class shell_of<State, caf::typed_actor<Signatures...>> final
    : public caf::typed_event_based_actor<Signatures...> {
public:
  using base = caf::typed_event_based_actor<Signatures...>;
  using handle_type = caf::typed_actor<Signatures...>;
  using behavior_type = typename base::behavior_type;

  template <class... Arguments>
  explicit shell_of(caf::actor_config& config, Arguments&&... arguments)
      : base(config), state_(std::in_place, self<handle_type>(this), std::forward<Arguments>(arguments)...) {}

  [[nodiscard]] const char* name() const override { return State::name; }

  void enqueue(caf::mailbox_element_ptr element, execution_unit* unit) override {
    if (auto* hook = wire::hook(); hook != nullptr) [[unlikely]] {
      if (!hook->pass(*this, element)) {
        return;
      }
    }
    base::enqueue(std::move(element), unit);
  }

  caf::resumable::resume_result resume(execution_unit* unit, std::size_t messages) override {
    if (!this->getf(caf::abstract_actor::is_detached_flag)) {
      const unit_scope scope(unit);
      return base::resume(unit, messages);
    }
    // An engine's thread runs what its tasks woke itself, instead of waking a worker. It does so after each
    // message: the next one may block for ever, and must not hold up what the last one woke.
    inline_unit own(this->home_system());
    auto result = caf::resumable::resume_later;
    while (result == caf::resumable::resume_later) {
      {
        const unit_scope scope(&own);
        result = base::resume(&own, 1);
      }
      own.run();
    }
    return result;
  }

  void on_exit() override { state_.reset(); }

  /// For tests of a state inside its actor.
  [[nodiscard]] std::optional<State>& state() noexcept { return state_; }

protected:
  behavior_type make_behavior() override { return behavior_type{handler_of(Signatures{})...}; }

private:
  template <class Message>
  auto handler_of(caf::typed_mpi<caf::detail::type_list<Message>, caf::output_tuple<void>> /*signature*/) {
    return [this](Message& message) { handle(message); };
  }

  template <class Message>
  void handle(Message& message) noexcept {
    try {
      if (state_) {
        state_->handle(message);
      }
    } catch (...) {
      this->quit(caf::exit_reason::unhandled_exception);
    }
  }

  std::optional<State> state_;
};

template <class State>
using shell = shell_of<State, typename State::handle_type>;

/// Starts an actor. It does nothing before its first message.
template <class State, class... Arguments>
typename State::handle_type spawn(caf::actor_system& system, Arguments&&... arguments) {
  auto made = system.spawn<shell<State>, caf::lazy_init>(std::forward<Arguments>(arguments)...);
  messages::forget_logger();
  return made;
}

/// Starts an actor on a thread of its own, unless the wire's hook wants it without.
template <class State, class... Arguments>
typename State::handle_type spawn_detached(caf::actor_system& system, Arguments&&... arguments) {
  if (auto* hook = wire::hook(); hook != nullptr && hook->attaches_threads()) [[unlikely]] {
    return spawn<State>(system, std::forward<Arguments>(arguments)...);
  }
  auto made =
      system.spawn<shell<State>, caf::lazy_init + caf::detached>(std::forward<Arguments>(arguments)...);
  messages::forget_logger();
  return made;
}

/// An answer that comes back to an actor as a message with this ticket.
template <class T, class Handle>
messages::answer<T> answer_to(Handle asker, std::uint64_t ticket = 0) {
  return messages::answer<T>([asker = std::move(asker), ticket](messages::result<T> value) {
    post(asker, messages::answered<T>{ticket, std::move(value)});
  });
}

}  // namespace soma::actors
