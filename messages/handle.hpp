// By what one sends to an actor: a counted reference, and the list of the messages that the actor takes.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <caf/abstract_actor.hpp>
#include <caf/actor_control_block.hpp>

namespace soma::messages {

/// All messages are notifications to CAF: answers travel by messages::answer, which needs no actor at the
/// asking end. Whatever has a handle is an actor made by actors::spawn.
template <class... Messages>
class handle {
public:
  handle() noexcept = default;
  handle(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): like a pointer
  explicit handle(caf::strong_actor_ptr actor) noexcept : actor_(std::move(actor)) {}

  explicit operator bool() const noexcept { return actor_ != nullptr; }

  /// Preconditions: not null.
  [[nodiscard]] caf::abstract_actor* actor() const noexcept { return actor_->get(); }
  [[nodiscard]] caf::actor_system& home_system() const noexcept { return *actor_->home_system; }

  [[nodiscard]] const caf::strong_actor_ptr& pointer() const noexcept { return actor_; }

  /// The number of a message in the list.
  template <class Message>
  static constexpr std::size_t place_of = [] {
    static_assert((std::is_same_v<Message, Messages> || ...), "this actor does not take such a message");
    constexpr std::array<bool, sizeof...(Messages)> same{std::is_same_v<Message, Messages>...};
    std::size_t place = 0;
    while (!same[place]) {
      ++place;
    }
    return place;
  }();

  friend bool operator==(const handle& one, const handle& other) noexcept {
    return one.actor_ == other.actor_;
  }

private:
  caf::strong_actor_ptr actor_;
};

}  // namespace soma::messages
