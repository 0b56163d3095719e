// Handles of physical memory. They are numbers of the runtime, which checks them itself.
#pragma once

#include <cstdint>

#include "soma/address_space.hpp"

namespace soma::acl {

inline void* handle_of(soma::physical_handle memory) noexcept {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(memory));
}

inline soma::physical_handle physical_of(const void* handle) noexcept {
  return soma::physical_handle{reinterpret_cast<std::uintptr_t>(handle)};
}

}  // namespace soma::acl
