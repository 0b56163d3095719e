// Sizes in bytes as people write and read them.
//
// K, M, G and T are powers of 1024. Parsing accepts no fractions and no suffix that could mean powers of
// 1000.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace soma::tools {

/// Stands for "no limit" where a size is a limit.
inline constexpr std::uint64_t unlimited_bytes = std::numeric_limits<std::uint64_t>::max();

/// Reads "512", "64K", "2M", "4G" or "1T"; a suffix may be in lower case and followed by "iB". The error is
/// the reason as a sentence.
[[nodiscard]] tl::expected<std::uint64_t, std::string> parse_byte_size(std::string_view text);

/// For example "512 B", "4.50 KiB", "21.26 GiB": at most two decimals, and none where they would be zeros.
[[nodiscard]] std::string print_byte_size(std::uint64_t bytes);

/// `value` rounded up to a multiple of `step`; the highest multiple where that would not fit.
/// Precondition: step is not 0.
[[nodiscard]] std::uint64_t round_up(std::uint64_t value, std::uint64_t step) noexcept;

/// The sum, or the highest number where it would not fit.
[[nodiscard]] std::uint64_t add_saturated(std::uint64_t left, std::uint64_t right) noexcept;

}  // namespace soma::tools
