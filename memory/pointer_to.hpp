// For the calls into the system that make and change mappings: they take pointers.
#pragma once

#include "memory/identifiers.hpp"

namespace soma::memory {

inline void* pointer_to(address place) noexcept {
  return reinterpret_cast<void*>(number(place));  // NOLINT(performance-no-int-to-ptr): the one place of this
}

}  // namespace soma::memory
