// What an element of soma's is to CAF 1.0 and 1.1. There an element of a mailbox cannot be derived from, and
// what it carries needs a number in a table of types that is one for the process. A program's own types would
// get in the way of a number of soma's, so that soma's messages travel in the one type of CAF's that holds
// anything: an action, which is never run.
#pragma once

#include <atomic>
#include <cstddef>
#include <typeinfo>

#include <caf/action.hpp>
#include <caf/mailbox_element.hpp>

namespace soma::messages {

class element_base : public caf::action::impl {
public:
  /// The message; its type follows from its place in the receiver's list, too.
  [[nodiscard]] void* message() noexcept { return message_; }
  [[nodiscard]] const std::type_info& message_type() const noexcept { return type_; }

  /// CAF never marks a message that is no request as answered before it handles it.
  [[nodiscard]] static bool is_of_soma(const caf::mailbox_element& any) noexcept {
    return any.mid.is_answered();
  }

  /// Precondition: it is one of soma's.
  [[nodiscard]] static element_base* carried_by(caf::mailbox_element& any) noexcept {
    return static_cast<element_base*>(any.payload.get_as<caf::action>(0).ptr());
  }

  /// A new element as a mailbox takes it, which owns it from here on.
  [[nodiscard]] static caf::mailbox_element_ptr in_mailbox(element_base* made);

  // -- for CAF --
  void dispose() final {}
  [[nodiscard]] bool disposed() const noexcept final { return false; }
  [[nodiscard]] caf::action::state current_state() const noexcept final {
    return caf::action::state::scheduled;
  }
  resume_result resume(caf::scheduler* /*unit*/, std::size_t /*most*/) final { return done; }
  void ref_disposable() const noexcept final { users_.fetch_add(1, std::memory_order_relaxed); }
  void deref_disposable() const noexcept final {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

protected:
  element_base(void* message, const std::type_info& type) noexcept : message_(message), type_(type) {}

private:
  void* message_;
  const std::type_info& type_;
  mutable std::atomic<std::size_t> users_{1};
};

}  // namespace soma::messages
