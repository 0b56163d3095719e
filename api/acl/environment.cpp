#include "api/acl/environment.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "api/acl/call.hpp"

namespace soma::acl {
namespace {

/// The power of two that a suffix stands for.
std::optional<unsigned> suffix_shift(std::string_view suffix) {
  if (suffix.empty())
    return 0;
  const std::size_t which = std::string_view("KMGTkmgt").find(suffix[0]);
  if (suffix.size() != 1 || which == std::string_view::npos)
    return std::nullopt;
  return 10 * (static_cast<unsigned>(which % 4) + 1);
}

/// A number above 0, with or without a suffix.
std::optional<std::uint64_t> read_number(std::string_view text, bool suffix_allowed) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number == 0)
    return std::nullopt;
  const auto shift = suffix_shift({rest, static_cast<std::size_t>(end - rest)});
  if (!shift || (*shift != 0 && !suffix_allowed))
    return std::nullopt;
  if (number > std::numeric_limits<std::uint64_t>::max() >> *shift)
    return std::nullopt;
  return number << *shift;
}

}  // namespace

soma::runtime_options read_environment() {
  soma::runtime_options options;
  if (const char* const text = std::getenv("SOMA_DEVICE_MEMORY"); text != nullptr) {
    const auto bytes = read_number(text, true);
    if (!bytes)
      refuse(
          ACL_ERROR_INVALID_PARAM,
          std::string("the environment variable SOMA_DEVICE_MEMORY is \"") + text +
              "\": it must be a number of bytes above 0, with or without one of the suffixes K, M, G, T, for "
              "example 8G; correct it or unset it");
    options.device_memory = *bytes;
  }
  if (const char* const text = std::getenv("SOMA_DEVICES"); text != nullptr) {
    const auto count = read_number(text, false);
    if (!count || *count > std::uint64_t{std::numeric_limits<std::int32_t>::max()})
      refuse(ACL_ERROR_INVALID_PARAM, std::string("the environment variable SOMA_DEVICES is \"") + text +
                                          "\": it must be a number above 0; correct it or unset it");
    options.devices = static_cast<std::uint32_t>(*count);
  }
  if (const char* const text = std::getenv("SOMA_PLAIN_POOL"); text != nullptr) {
    if (std::string_view(text) != "0" && std::string_view(text) != "1")
      refuse(ACL_ERROR_INVALID_PARAM, std::string("the environment variable SOMA_PLAIN_POOL is \"") + text +
                                          "\": it must be 0 or 1; correct it or unset it");
    options.plain_pool = std::string_view(text) == "1";
  }
  return options;
}

std::chrono::milliseconds read_short_kernel_limit() {
  constexpr std::chrono::milliseconds usual{100};
  constexpr std::uint64_t longest = 3'600'000;
  const char* const text = std::getenv("SOMA_SHORT_KERNEL_MS");
  if (text == nullptr)
    return usual;
  const auto limit = std::string_view(text) == "0" ? 0 : read_number(text, false);
  if (!limit || *limit > longest)
    refuse(ACL_ERROR_INVALID_PARAM,
           std::string("the environment variable SOMA_SHORT_KERNEL_MS is \"") + text +
               "\": it must be a number of milliseconds up to an hour, or 0 to wait for no "
               "kernel; correct it or unset it");
  return std::chrono::milliseconds{*limit};
}

}  // namespace soma::acl
