// Where in the program a call was made, for the reports of the race detector.
#pragma once

#include <cstdint>

namespace soma::memory {

/// The strings are literals of the program. A call through the C++ interface has file and line, one through
/// the C interface the address that the C function returns to.
struct place {
  const char* call = nullptr;  // the function of the interface, for example "pool::free_async"
  const char* file = nullptr;
  const void* code = nullptr;
  std::uint32_t line = 0;
};

/// Whether both are the same spot of the program. Compares the texts: a header has the same name in many
/// translation units.
[[nodiscard]] bool same_place(const place& one, const place& other) noexcept;

}  // namespace soma::memory
