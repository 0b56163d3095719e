#include "messages/element.hpp"

#include <caf/message.hpp>
#if SOMA_CAF_LEGACY
#include <caf/error.hpp>
#include <caf/sec.hpp>
#include <caf/type_erased_value.hpp>
#endif

namespace soma::messages {

namespace {

caf::message_id mark_of_soma() noexcept {
  caf::message_id id;
  id.mark_as_answered();
  return id;
}

}  // namespace

#if SOMA_CAF_LEGACY

namespace {

// The token of a tuple of one value whose type has no number in CAF.
constexpr std::uint32_t token_of_one = std::uint32_t{0xFFFFFFFF} << 6;

}  // namespace

element_base::element_base(void* message, const std::type_info& type) noexcept
    : mailbox_element(nullptr, mark_of_soma(), {}), message_(message), type_(type) {}

std::uint32_t element_base::type_token() const noexcept { return token_of_one; }

std::string element_base::stringify(std::size_t /*at*/) const { return type_.name(); }

caf::message element_base::move_content_to_message() { return {}; }

caf::message element_base::copy_content_to_message() const { return {}; }

caf::type_erased_value_ptr element_base::copy(std::size_t /*at*/) const { return nullptr; }

caf::error element_base::load(std::size_t /*at*/, caf::deserializer& /*source*/) {
  return caf::sec::invalid_argument;
}

caf::error element_base::save(std::size_t /*at*/, caf::serializer& /*sink*/) const {
  return caf::sec::invalid_argument;
}

#else

caf::mailbox_element_ptr element_base::in_mailbox(element_base* made) {
  caf::action::impl_ptr owned(made, false);
  return caf::make_mailbox_element(nullptr, mark_of_soma(), caf::make_message(caf::action(std::move(owned))));
}

#endif

}  // namespace soma::messages
