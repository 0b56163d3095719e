// A stamp is a number that a block is filled with, so that any other writer shows.
//
// Each 16 bytes of a block hold the stamp and, mixed with it, their own place in the block: a block that was
// moved or that overlaps another one shows also where the stamps are the same. Of a block above 64 KiB
// sixteen pieces of 4 KiB are filled and checked: the first, the last, and one in each of fourteen equal
// sections between, at a place that depends on the stamp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace soma::tools {

/// Where a block does not hold what its stamp says.
struct stamp_difference {
  std::uint64_t offset = 0;       ///< in bytes, of the 8 bytes that differ
  std::uint64_t found_stamp = 0;  ///< what is there in the place of the stamp
};

/// How many bytes of such a block are filled and checked.
[[nodiscard]] std::uint64_t stamped_bytes(std::uint64_t bytes) noexcept;

void write_stamp(std::byte* block, std::uint64_t bytes, std::uint64_t stamp) noexcept;

/// The first difference, if any.
[[nodiscard]] std::optional<stamp_difference> check_stamp(const std::byte* block, std::uint64_t bytes,
                                                          std::uint64_t stamp) noexcept;

}  // namespace soma::tools
