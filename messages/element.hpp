// One of soma's messages in a mailbox of CAF.
//
// CAF's own elements copy what they carry, find out what it is by comparing types, and drag templates of a
// thousand lines into each file that sends. An element of soma's says which of its receiver's messages it
// carries by a number, and is only moved. Part of what knows CAF's version, like caf.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <typeinfo>
#include <utility>

#include <caf/mailbox_element.hpp>
#include <caf/type_erased_tuple.hpp>

#include "messages/trace_id.hpp"

namespace soma::messages {

/// What the element of each type of message has in common. For CAF it is a tuple of one value, so that hooks
/// on the wire can look into any element in the same way.
class element : public caf::mailbox_element, public caf::type_erased_tuple {
public:
  /// The element as one of soma's, or null: CAF has messages of its own, such as exits.
  [[nodiscard]] static element* from(caf::mailbox_element& any) noexcept {
    return any.mid.is_answered() ? static_cast<element*>(&any) : nullptr;
  }

  /// Which of the receiver's messages this is: its number in the receiver's list.
  [[nodiscard]] std::size_t place() const noexcept { return place_; }

  /// The message; its type follows from the place.
  [[nodiscard]] void* message() noexcept { return message_; }

  [[nodiscard]] trace_id trace() const noexcept { return trace_; }

  // -- for CAF --
  caf::type_erased_tuple& content() override { return *this; }
  [[nodiscard]] const caf::type_erased_tuple& content() const override { return *this; }
  [[nodiscard]] std::size_t size() const noexcept override { return 1; }
  void* get_mutable(std::size_t /*at*/) override { return message_; }
  [[nodiscard]] const void* get(std::size_t /*at*/) const noexcept override { return message_; }
  [[nodiscard]] caf::rtti_pair type(std::size_t /*at*/) const noexcept override { return {0, &type_}; }
  [[nodiscard]] std::uint32_t type_token() const noexcept override;
  [[nodiscard]] std::string stringify(std::size_t at) const override;
  // Messages never leave the process, and are never copied.
  caf::message move_content_to_message() override;
  [[nodiscard]] caf::message copy_content_to_message() const override;
  [[nodiscard]] caf::type_erased_value_ptr copy(std::size_t at) const override;
  caf::error load(std::size_t at, caf::deserializer& source) override;
  caf::error save(std::size_t at, caf::serializer& sink) const override;
  using caf::type_erased_tuple::load;
  using caf::type_erased_tuple::save;
  using caf::type_erased_tuple::stringify;

protected:
  element(std::size_t place, void* message, const std::type_info& type, trace_id trace);

private:
  std::size_t place_;
  void* message_;
  const std::type_info& type_;
  trace_id trace_;
};

template <class Message>
class element_of final : public element {
public:
  template <class Value>
  element_of(std::size_t place, Value&& message, trace_id trace)
      : element(place, &message_, typeid(Message), trace), message_(std::forward<Value>(message)) {}

private:
  Message message_;
};

}  // namespace soma::messages
