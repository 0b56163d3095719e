// What a task does with memory, for the race detector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/identifiers.hpp"

namespace soma::memory {

/// A pointer among a kernel's arguments may be used in any way, or not at all.
enum class access_kind : std::uint8_t { reads, writes, pointer };

struct access {
  address begin = address::null;
  std::uint64_t bytes = 0;  // of no meaning for a pointer
  access_kind kind = access_kind::pointer;
};

/// The words of a kernel's arguments, each at a multiple of 8 bytes, as pointers that they might be.
[[nodiscard]] std::vector<access> pointers_among(const void* arguments, std::size_t bytes);

}  // namespace soma::memory
