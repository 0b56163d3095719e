// Writes JSON to a file, piece by piece. Works without the heap and without locks, so that a signal handler
// can use it. Errors of the system are kept until the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace soma::detail {

class trace_text {
public:
  explicit trace_text(int file) noexcept : file_(file) {}

  trace_text& raw(std::string_view text) noexcept;
  trace_text& number(std::uint64_t value) noexcept;
  /// Nanoseconds as microseconds with three decimals.
  trace_text& microseconds(std::uint64_t nanoseconds) noexcept;
  /// An address as a text.
  trace_text& address(std::uint64_t value) noexcept;
  /// What is inside of the quotes of a text. Bytes beyond ASCII become the characters with their numbers.
  trace_text& escaped(std::string_view text) noexcept;

  /// Writes what is left. Returns the system's error, or 0.
  int finish() noexcept;

private:
  void put(char one) noexcept;
  void flush() noexcept;

  int file_;
  int error_ = 0;
  std::size_t used_ = 0;
  std::array<char, 16384> buffer_;
};

}  // namespace soma::detail
