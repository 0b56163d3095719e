// Numbers as they are stored, and as they are calculated with.
#pragma once

#include <bit>
#include <cstdint>

#include "acl/acl_base.h"

namespace soma::acl {

template <class T>
struct plain_number {
  using stored = T;
  static T load(T bits) noexcept { return bits; }
  static T store(T number) noexcept { return number; }
};

/// Half precision, by the conversions of the interface.
struct half_number {
  using stored = std::uint16_t;
  static constexpr float too_large =
      65520.0F;  // the least that is nearer to infinity than to the largest number
  static constexpr stored largest = 0x7BFF;
  static constexpr stored infinity = 0x7C00;
  static float load(stored bits) noexcept { return aclFloat16ToFloat(bits); }
  static stored store(float number) noexcept { return aclFloatToFloat16(number); }
};

/// The upper half of a float. Ties go to the even number.
struct brain_number {
  using stored = std::uint16_t;
  static constexpr float too_large = 0x1.FFp+127F;
  static constexpr stored largest = 0x7F7F;
  static constexpr stored infinity = 0x7F80;
  static float load(stored bits) noexcept { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  static stored store(float number) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    if (number != number)
      return static_cast<stored>((bits >> 16) | 0x40U);
    return static_cast<stored>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
  }
};

}  // namespace soma::acl
