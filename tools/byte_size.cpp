#include "tools/byte_size.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>

namespace soma::tools {

namespace {

constexpr std::string_view suffixes = "KMGT";

/// The power of two that a suffix stands for; 64 if there is no such suffix.
unsigned shift_of(std::string_view suffix) {
  if (suffix.empty()) {
    return 0;
  }
  const char letter = suffix.front();
  const char upper = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  const std::size_t place = suffixes.find(upper);
  const std::string_view rest = suffix.substr(1);
  if (place == std::string_view::npos || (!rest.empty() && rest != "iB")) {
    return 64;
  }
  return 10 * (static_cast<unsigned>(place) + 1);
}

}  // namespace

tl::expected<std::uint64_t, std::string> parse_byte_size(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  const std::string quoted = "'" + std::string(text) + "'";
  if (status == std::errc::result_out_of_range) {
    return tl::unexpected(quoted + " is more than 2^64 - 1 bytes");
  }
  const unsigned shift = shift_of(text.substr(static_cast<std::size_t>(stop - text.data())));
  if (status != std::errc{} || shift == 64) {
    return tl::unexpected(quoted + " is not a size: give a whole number of bytes, or one with K, M, G or T");
  }
  if (number > (unlimited_bytes >> shift)) {
    return tl::unexpected(quoted + " is more than 2^64 - 1 bytes");
  }
  return number << shift;
}

std::string print_byte_size(std::uint64_t bytes) {
  if (bytes < 1024) {
    return std::to_string(bytes) + " B";
  }
  constexpr std::array<const char*, 6> units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // What would be printed as 1024.00 is the next unit's 1.
  while (value >= 1023.995 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole = value == std::floor(value);
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f %s", whole ? 0 : 2, value, units[unit]);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) noexcept {
  const std::uint64_t above = value % step;
  if (above == 0) {
    return value;
  }
  const std::uint64_t below = value - above;
  return below > unlimited_bytes - step ? below : below + step;
}

std::uint64_t add_saturated(std::uint64_t left, std::uint64_t right) noexcept {
  return left > unlimited_bytes - right ? unlimited_bytes : left + right;
}

}  // namespace soma::tools
