// The bytes of a pickle, taken piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace soma::tools {

class pickle_input {
public:
  explicit pickle_input(std::string_view bytes) : bytes_(bytes) {
    // nop
  }

  /// The place of the next byte.
  [[nodiscard]] std::size_t place() const noexcept { return next_; }
  [[nodiscard]] bool at_end() const noexcept { return next_ == bytes_.size(); }

  /// Precondition: not at the end.
  unsigned char take_code() { return static_cast<unsigned char>(bytes_[next_++]); }

  std::optional<std::string_view> take(std::uint64_t count) {
    if (count > bytes_.size() - next_) {
      return std::nullopt;
    }
    const std::string_view taken = bytes_.substr(next_, static_cast<std::size_t>(count));
    next_ += static_cast<std::size_t>(count);
    return taken;
  }

  std::optional<std::string_view> take_line() {
    const std::size_t end = bytes_.find('\n', next_);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string_view line = bytes_.substr(next_, end - next_);
    next_ = end + 1;
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    return line;
  }

  /// A little-endian number of 1 to 8 bytes.
  std::optional<std::uint64_t> take_number(std::size_t count) {
    const auto taken = take(count);
    if (!taken) {
      return std::nullopt;
    }
    std::uint64_t number = 0;
    for (std::size_t place = 0; place < count; ++place) {
      number |= std::uint64_t{static_cast<unsigned char>((*taken)[place])} << (8 * place);
    }
    return number;
  }

private:
  std::string_view bytes_;
  std::size_t next_ = 0;
};

}  // namespace soma::tools
