// The shell: the one class through which a state struct becomes an actor of CAF.
//
// A state is a plain class with a member function handle(Message&) for each message of its protocol, a static
// `name`, and a type `handle_type` (its messages::handle). It is made in the shell's constructor with a
// self<handle_type> first, and dropped when the actor ends.
//
// A state may have label(), the number that texts call it by, and trace_figures(), two figures for traces.
//
// What the shell adds: the wire (every message passes it), the current unit (what a handler sends runs
// after it, on the same thread), and the promise that an exception in a handler ends this actor only: its
// state and its mailbox are dropped, and with them every unanswered request is answered "actor gone".
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "actors/post.hpp"
#include "actors/shell_base.hpp"
#include "actors/wire.hpp"
#include "messages/answer.hpp"
#include "messages/caf.hpp"

namespace soma::actors {

/// What a state knows of its own actor.
template <class Handle>
class self {
public:
  explicit self(caf::scheduled_actor* actor) noexcept : actor_(actor) {}

  /// For others to send to. A state must not keep it: it would keep itself alive.
  [[nodiscard]] Handle handle() const { return Handle(caf::strong_actor_ptr(actor_->ctrl())); }

  [[nodiscard]] caf::actor_system& system() const { return actor_->home_system(); }

  /// Ends the actor after the handler that is running.
  void quit() const { actor_->quit(); }

private:
  caf::scheduled_actor* actor_;
};

template <class State, class Handle>
class shell_of;

template <class State, class... Messages>
class shell_of<State, messages::handle<Messages...>> final : public shell_base {
public:
  using handle_of_state = messages::handle<Messages...>;

  template <class... Arguments>
  explicit shell_of(caf::actor_config& config, Arguments&&... arguments)
      : shell_base(config, kind_of_actor<handle_of_state>),
        state_(std::in_place, self<handle_of_state>(this), std::forward<Arguments>(arguments)...) {
    if constexpr (requires { state_->label(); }) {
      set_label(state_->label());
    }
  }

  [[nodiscard]] const char* name() const override { return State::name; }

  void on_exit() override { state_.reset(); }

  /// What became of a call in place. Not an optional bool: its two bytes are stored one by one and read as
  /// one, which costs a stall of 5 ns.
  enum class in_place : std::uint32_t { done, refused, ended };

  /// For in_place.hpp: calls function(state), which returns whether it has done what it was to do. An
  /// exception ends the actor. Precondition: taken in place.
  template <class Function>
  in_place call_in_place(Function& function) noexcept {
    try {
      return function(*state_) ? in_place::done : in_place::refused;
    } catch (...) {
      end_in_place();
      return in_place::ended;
    }
  }

protected:
  void deliver(std::size_t place, void* message) noexcept override {
    try {
      if (state_) {
        handlers[place](*state_, message);
      }
    } catch (...) {
      quit(messages::after_exception);
    }
  }

  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> figures() const noexcept override {
    if constexpr (requires { state_->trace_figures(); }) {
      if (state_) {
        return state_->trace_figures();
      }
    }
    return {};
  }

private:
  using handler = void (*)(State& state, void* message);

  template <class Message>
  static void handle(State& state, void* message) {
    state.handle(*static_cast<Message*>(message));
  }

  static constexpr std::array<handler, sizeof...(Messages)> handlers{&handle<Messages>...};

  std::optional<State> state_;
};

template <class State>
using shell = shell_of<State, typename State::handle_type>;

template <class State>
typename State::handle_type handle_of(const caf::actor& made) {
  return typename State::handle_type(caf::actor_cast<caf::strong_actor_ptr>(made));
}

/// Starts an actor. It does nothing before its first message.
template <class State, class... Arguments>
typename State::handle_type spawn(caf::actor_system& system, Arguments&&... arguments) {
  auto made = system.spawn<shell<State>, caf::lazy_init>(std::forward<Arguments>(arguments)...);
  messages::forget_logger();
  return handle_of<State>(made);
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
  return handle_of<State>(made);
}

/// An answer that comes back to an actor as a message with this ticket.
template <class T, class Handle>
messages::answer<T> answer_to(Handle asker, std::uint64_t ticket = 0) {
  return messages::answer<T>([asker = std::move(asker), ticket](messages::result<T>&& value) {
    post(asker, messages::answered<T>{ticket, std::move(value)});
  });
}

}  // namespace soma::actors
