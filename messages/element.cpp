#include "messages/element.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>
#include <caf/type_erased_value.hpp>

namespace soma::messages {

namespace {

// CAF never marks a message that is no request as answered, so that this tells soma's elements from CAF's own
// without a look at their types.
caf::message_id mark_of_soma() noexcept {
  caf::message_id id;
  id.mark_as_answered();
  return id;
}

// The token of a tuple of one value whose type has no number in CAF.
constexpr std::uint32_t token_of_one = std::uint32_t{0xFFFFFFFF} << 6;

}  // namespace

element::element(std::size_t place, void* message, const std::type_info& type, trace_id trace)
    : mailbox_element(nullptr, mark_of_soma(), {}), place_(place), message_(message), type_(type),
      trace_(trace) {}

std::uint32_t element::type_token() const noexcept { return token_of_one; }

std::string element::stringify(std::size_t /*at*/) const { return type_.name(); }

caf::message element::move_content_to_message() { return {}; }

caf::message element::copy_content_to_message() const { return {}; }

caf::type_erased_value_ptr element::copy(std::size_t /*at*/) const { return nullptr; }

caf::error element::load(std::size_t /*at*/, caf::deserializer& /*source*/) {
  return caf::sec::invalid_argument;
}

caf::error element::save(std::size_t /*at*/, caf::serializer& /*sink*/) const {
  return caf::sec::invalid_argument;
}

}  // namespace soma::messages
