// Sizes and how they are rounded. All in bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace soma::memory {

/// Physical memory is taken and given back in granules.
inline constexpr std::uint64_t granule_bytes = std::uint64_t{2} << 20;

/// The smallest block that a heap can be asked to manage.
inline constexpr std::uint64_t smallest_block_bytes = 512;

constexpr std::uint64_t round_down(std::uint64_t bytes, std::uint64_t unit) noexcept {
  return bytes / unit * unit;
}

/// Precondition: the result can be represented (see round_up_checked).
constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

/// Nothing if rounding up would wrap.
constexpr std::optional<std::uint64_t> round_up_checked(std::uint64_t bytes, std::uint64_t unit) noexcept {
  if (bytes > ~std::uint64_t{0} - (unit - 1)) {
    return std::nullopt;
  }
  return round_up(bytes, unit);
}

/// "12345 bytes (12.06 KiB)", for messages.
std::string describe_bytes(std::uint64_t bytes);

}  // namespace soma::memory
