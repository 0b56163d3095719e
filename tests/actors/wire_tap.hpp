// A hook on the wire for tests: counts messages, holds some back, or loses them.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "actors/wire.hpp"
#include "messages/all.hpp"

namespace actor_tests {

/// On the wire as long as it exists. For one thread.
class wire_tap final : public soma::actors::wire_hook {
public:
  /// What to do with a message: true to let it pass.
  using rule = std::function<bool(caf::abstract_actor& to, const caf::mailbox_element& element)>;

  enum class fate { hold, lose };

  explicit wire_tap(rule passes, fate otherwise = fate::hold)
      : passes_(std::move(passes)), otherwise_(otherwise) {
    soma::actors::wire::install(this);
  }

  ~wire_tap() override {
    soma::actors::wire::install(nullptr);
    held_.clear();
  }

  wire_tap(const wire_tap&) = delete;
  wire_tap& operator=(const wire_tap&) = delete;

  bool pass(caf::abstract_actor& to, caf::mailbox_element_ptr& element) override {
    ++seen_;
    if (delivering_ || passes_(to, *element)) {
      return true;
    }
    ++stopped_;
    auto taken = std::move(element);
    if (otherwise_ == fate::hold) {
      held_.emplace_back(caf::actor_cast<caf::strong_actor_ptr>(&to), std::move(taken));
    }
    return false;
  }

  /// Delivers what was held back.
  void deliver() {
    delivering_ = true;
    for (auto& [to, element] : std::exchange(held_, {})) {
      to->enqueue(std::move(element), nullptr);
    }
    delivering_ = false;
  }

  [[nodiscard]] int seen() const { return seen_; }
  [[nodiscard]] int stopped() const { return stopped_; }

private:
  rule passes_;
  fate otherwise_;
  std::deque<std::pair<caf::strong_actor_ptr, caf::mailbox_element_ptr>> held_;
  bool delivering_ = false;
  int seen_ = 0;
  int stopped_ = 0;
};

template <class Message>
bool carries(const caf::mailbox_element& element) {
  // It is only looked at.
  return soma::messages::carried<Message>(const_cast<caf::mailbox_element&>(element)) != nullptr;
}

/// A rule that stops messages of one kind.
template <class Message>
bool all_but(caf::abstract_actor& /*to*/, const caf::mailbox_element& element) {
  return !carries<Message>(element);
}

}  // namespace actor_tests
