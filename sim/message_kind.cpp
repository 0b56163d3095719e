#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <typeinfo>
#include <unordered_map>

#include "messages/all.hpp"
#include "sim/party.hpp"

namespace soma::sim {

namespace {

// "soma::messages::answered<soma::messages::done>" becomes "answered<done>".
std::string readable(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  std::string text = status == 0 ? demangled.get() : type.name();
  constexpr std::string_view prefix = "soma::messages::";
  for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
    text.erase(at, prefix.size());
  }
  return text;
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char one : text) {
    hash = (hash ^ static_cast<unsigned char>(one)) * 0x100000001b3U;
  }
  return hash;
}

template <class Message>
bool is(const std::type_info& type) {
  return type == typeid(Message);
}

}  // namespace

const message_kind& kind_of(caf::mailbox_element& element) {
  // Only one thread runs at a time.
  static std::unordered_map<const std::type_info*, std::unique_ptr<message_kind>> known;
  const auto* own = messages::element::from(element);
  const auto* type = own == nullptr ? nullptr : &own->message_type();
  auto& found = known[type];
  if (found == nullptr) {
    found = std::make_unique<message_kind>();
    found->name = type == nullptr ? "a message of CAF" : readable(*type);
    found->hash = hash_of(found->name);
    if (type != nullptr) {
      found->run_tasks = is<messages::run_tasks>(*type);
      found->engine_idle = is<messages::engine_idle>(*type);
      found->stop_engine = is<messages::stop_engine>(*type);
      found->memory = is<messages::free_plain>(*type) || is<messages::end_plain_free>(*type) ||
                      is<messages::malloc_plain>(*type) || is<messages::take_budget>(*type) ||
                      is<messages::unmap_physical>(*type) || is<messages::release_physical>(*type) ||
                      is<messages::set_access>(*type) || is<messages::close_import>(*type) ||
                      is<messages::free_managed>(*type);
    }
  }
  return *found;
}

}  // namespace soma::sim
