// One of soma's messages in a mailbox of CAF.
//
// CAF's own elements copy what they carry, find out what it is by comparing types, and drag templates of a
// thousand lines into each file that sends. An element of soma's says which of its receiver's messages it
// carries by a number, and is only moved. Part of what knows CAF's version, like caf.hpp.
#pragma once

#include <cstddef>
#include <typeinfo>
#include <utility>

#include "messages/caf_line.hpp"
#include "messages/trace_id.hpp"
#if SOMA_CAF_LEGACY
#include "messages/element_base_0.hpp"
#else
#include "messages/element_base_1.hpp"
#endif

namespace soma::messages {

/// What the element of each type of message has in common.
class element : public element_base {
public:
  /// The element as one of soma's, or null: CAF has messages of its own, such as exits.
  [[nodiscard]] static element* from(caf::mailbox_element& any) noexcept {
    return is_of_soma(any) ? static_cast<element*>(carried_by(any)) : nullptr;
  }

  /// Which of the receiver's messages this is: its number in the receiver's list.
  [[nodiscard]] std::size_t place() const noexcept { return place_; }

  [[nodiscard]] trace_id trace() const noexcept { return trace_; }

protected:
  element(std::size_t place, void* message, const std::type_info& type, trace_id trace) noexcept
      : element_base(message, type), place_(place), trace_(trace) {}

private:
  std::size_t place_;
  trace_id trace_;
};

template <class Message>
class element_of final : public element {
public:
  template <class Value>
  element_of(std::size_t place, Value&& message, trace_id trace)
      : element(place, &message_, typeid(Message), trace), message_(std::forward<Value>(message)) {}

  template <class Value>
  static caf::mailbox_element_ptr make(std::size_t place, Value&& message, trace_id trace) {
    return in_mailbox(new element_of(place, std::forward<Value>(message), trace));
  }

private:
  Message message_;
};

/// The message that an element carries, if it is one of soma's and of this type; else null. For hooks on the
/// wire.
template <class Message>
Message* carried(caf::mailbox_element& any) noexcept {
  auto* own = element::from(any);
  return own != nullptr && own->message_type() == typeid(Message) ? static_cast<Message*>(own->message())
                                                                  : nullptr;
}

}  // namespace soma::messages
