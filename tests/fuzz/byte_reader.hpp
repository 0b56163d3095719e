// Takes values from the input of a fuzzer. Behind its end everything is 0, so that the same bytes always mean
// the same.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace fuzz {

class byte_reader {
public:
  explicit byte_reader(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  [[nodiscard]] bool empty() const { return left_.empty(); }

  template <class T>
  T take() {
    std::array<std::uint8_t, sizeof(T)> bytes{};
    const auto count = std::min(bytes.size(), left_.size());
    std::memcpy(bytes.data(), left_.data(), count);
    left_ = left_.subspan(count);
    T value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  std::uint8_t byte() { return take<std::uint8_t>(); }

  /// A number below `end`, which is at most 256.
  std::size_t below(std::size_t end) { return byte() % end; }

  /// A size: often one at the edges of what the library rounds to.
  std::size_t size() {
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    constexpr std::array edges{
        std::size_t{0},      std::size_t{1},       std::size_t{511},     std::size_t{512},
        std::size_t{513},    2 * mebibyte - 1,     2 * mebibyte,         2 * mebibyte + 1,
        4 * mebibyte,        16 * mebibyte,        31 * mebibyte,        32 * mebibyte,
        33 * mebibyte,       std::size_t{1} << 40, std::size_t{1} << 63, ~std::size_t{0} - 2 * mebibyte,
        ~std::size_t{0} - 1, ~std::size_t{0}};
    const auto which = byte() % (edges.size() + 6);
    if (which < edges.size()) {
      return edges.at(which);
    }
    return which % 2 == 0 ? take<std::uint16_t>() : take<std::uint32_t>() % (24 * mebibyte);
  }

private:
  std::span<const std::uint8_t> left_;
};

}  // namespace fuzz
