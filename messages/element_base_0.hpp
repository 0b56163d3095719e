// What an element of soma's is to CAF 0.17: an element of its mailbox, and a tuple of one value.
#pragma once

#include <cstddef>
#include <string>
#include <typeinfo>

#include <caf/mailbox_element.hpp>
#include <caf/type_erased_tuple.hpp>

namespace soma::messages {

class element_base : public caf::mailbox_element, public caf::type_erased_tuple {
public:
  /// The message; its type follows from its place in the receiver's list, too.
  [[nodiscard]] void* message() noexcept { return message_; }
  [[nodiscard]] const std::type_info& message_type() const noexcept { return type_; }

  /// CAF never marks a message that is no request as answered, so that this tells soma's elements from CAF's
  /// own without a look at their types.
  [[nodiscard]] static bool is_of_soma(const caf::mailbox_element& any) noexcept {
    return any.mid.is_answered();
  }

  /// Precondition: it is one of soma's.
  [[nodiscard]] static element_base* carried_by(caf::mailbox_element& any) noexcept {
    return static_cast<element_base*>(&any);
  }

  /// A new element as a mailbox takes it, which owns it from here on.
  [[nodiscard]] static caf::mailbox_element_ptr in_mailbox(element_base* made) noexcept {
    return caf::mailbox_element_ptr(made);
  }

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
  element_base(void* message, const std::type_info& type) noexcept;

private:
  void* message_;
  const std::type_info& type_;
};

}  // namespace soma::messages
