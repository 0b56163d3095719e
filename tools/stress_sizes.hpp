// The sizes of the blocks that a stress run asks for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "tools/stress_random.hpp"

namespace soma::tools {

class stress_sizes {
public:
  /// Reads a range "MIN..MAX" or a list "SIZE,SIZE,..."; each size as parse_byte_size reads it, and not 0.
  /// The error is the reason as a sentence.
  static tl::expected<stress_sizes, std::string> parse(std::string_view text);

  /// In a range each power of two is as likely as any other, in a list each entry.
  [[nodiscard]] std::uint64_t pick(stress_random& random) const;

  [[nodiscard]] std::uint64_t largest() const;

  /// As it was read.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
  std::string text_;
  bool is_range_ = false;
  std::vector<std::uint64_t> sizes_;  ///< never empty; a range's two ends
};

}  // namespace soma::tools
