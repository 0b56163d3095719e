#include "api/cpp/trace_text.hpp"

#include <unistd.h>

#include <cerrno>

namespace soma::detail {

void trace_text::flush() noexcept {
  std::size_t written = 0;
  while (written < used_ && error_ == 0) {
    const auto now = ::write(file_, buffer_.data() + written, used_ - written);
    if (now >= 0) {
      written += static_cast<std::size_t>(now);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  used_ = 0;
}

void trace_text::put(char one) noexcept {
  if (used_ == buffer_.size()) {
    flush();
  }
  buffer_[used_++] = one;
}

trace_text& trace_text::raw(std::string_view text) noexcept {
  for (const char one : text) {
    put(one);
  }
  return *this;
}

trace_text& trace_text::number(std::uint64_t value) noexcept {
  char digits[20];
  std::size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (count > 0) {
    put(digits[--count]);
  }
  return *this;
}

trace_text& trace_text::microseconds(std::uint64_t nanoseconds) noexcept {
  number(nanoseconds / 1000);
  put('.');
  for (std::uint64_t place = 100; place > 0; place /= 10) {
    put(static_cast<char>('0' + nanoseconds / place % 10));
  }
  return *this;
}

trace_text& trace_text::address(std::uint64_t value) noexcept {
  raw("\"0x");
  bool begun = false;
  for (int shift = 60; shift >= 0; shift -= 4) {
    const auto digit = value >> static_cast<unsigned>(shift) & 0xFU;
    begun = begun || digit != 0 || shift == 0;
    if (begun) {
      put("0123456789abcdef"[digit]);
    }
  }
  put('"');
  return *this;
}

trace_text& trace_text::escaped(std::string_view text) noexcept {
  for (const char one : text) {
    const auto byte = static_cast<unsigned char>(one);
    if (byte < 0x20 || byte >= 0x7F) {
      raw("\\u00");
      put("0123456789abcdef"[byte >> 4U]);
      put("0123456789abcdef"[byte & 0xFU]);
    } else {
      if (one == '"' || one == '\\') {
        put('\\');
      }
      put(one);
    }
  }
  return *this;
}

int trace_text::finish() noexcept {
  flush();
  return error_;
}

}  // namespace soma::detail
