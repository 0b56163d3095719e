// What the functions about memory have in common: checks of arguments, where addresses are, how plain memory
// is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "soma/soma.hpp"

namespace soma::acl {

/// 100000 for 0 bytes; `argument` is the name of the size.
void require_bytes(std::uint64_t bytes, const char* argument = "size");

/// Where an address is; before there is a runtime, all memory is the program's own.
soma::memory_location locate(const void* address);

/// Whether tasks call it memory of a device. Managed memory counts as that, too.
constexpr bool is_on_device(soma::memory_location location) noexcept {
  return location == memory_location::device || location == memory_location::device_pool ||
         location == memory_location::mapped || location == memory_location::managed;
}

/// Whether copies in streams must not leave it to a task, since it may be gone by then.
constexpr bool is_pageable(soma::memory_location location) noexcept {
  return location == memory_location::unknown;
}

/// What this thread is about to do itself, for the race detector. A short kernel that it has launched ends
/// first.
void tell_host_access(std::initializer_list<soma::access> accesses, const soma::place& at);

/// Checks the kind of a copy in a stream against where its addresses are: 107000, or 207000 from host to
/// host.
void check_direction(int kind, soma::memory_location to, soma::memory_location from);

/// What is added to the sizes of plain memory, and which policies are honoured.
enum class rounding : std::uint8_t { padded, cached, exact };

/// Memory of the current device, by the rules of aclrtMalloc and its variants.
void* malloc_plain(const char* function, const soma::place& at, std::size_t size, int policy, rounding how);

/// Frees device memory of any kind that is freed at once, on whichever device knows it.
void free_plain(const char* argument, void* address, const soma::place& at);
void free_host_memory(const char* argument, void* address, const soma::place& at);

/// The smallest pages that the C interface promises.
inline constexpr std::size_t page_bytes = 4096;

/// A device of the machine, by its number; for locations. 107001 if there is none.
soma::memory_site site_argument(const char* argument, const aclrtMemLocation& location, aclError bad_type);

}  // namespace soma::acl
