#include "memory/backing.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "memory/sizes.hpp"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SOMA_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define SOMA_THREAD_SANITIZER
#endif

namespace soma::memory {

namespace {

tl::unexpected<fault> system_failure(std::string_view what, range part) {
  const std::string reason = std::strerror(errno);
  return failed(fault_code::system_failure,
                std::string(what) + " of " + describe_bytes(part.bytes) + " failed: " + reason);
}

void* pointer(address place) noexcept {
  return reinterpret_cast<void*>(number(place));  // NOLINT(performance-no-int-to-ptr): the one place of this
}

[[maybe_unused]] bool under_valgrind() noexcept {
  const char* preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::string_view(preloaded).find("vgpreload") != std::string_view::npos;
}

void* map_range(int file, std::uint64_t bytes) noexcept {
  return ::mmap(nullptr, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
}

}  // namespace

std::uint64_t backing::sensible_range() noexcept {
#ifdef SOMA_THREAD_SANITIZER
  return std::uint64_t{1} << 39;
#else
  return under_valgrind() ? std::uint64_t{1} << 35 : std::uint64_t{1} << 46;
#endif
}

result<std::unique_ptr<backing>> backing::reserve(std::uint64_t wanted, std::uint64_t least) {
  assert(wanted % granule_bytes == 0 && least % granule_bytes == 0);
  const int file = ::memfd_create("soma", MFD_CLOEXEC);
  if (file < 0) {
    return system_failure("creating a memory file", {});
  }
  for (auto bytes = wanted; bytes >= least && bytes > 0; bytes = round_down(bytes / 2, granule_bytes)) {
    const auto with_room_to_align = bytes + granule_bytes;
    if (::ftruncate(file, static_cast<off_t>(with_room_to_align)) != 0) {
      continue;
    }
    void* begin = map_range(file, with_room_to_align);
    if (begin == MAP_FAILED) {
      continue;
    }
    ::madvise(begin, with_room_to_align, MADV_DONTFORK);
    const range mapped{address{reinterpret_cast<std::uint64_t>(begin)}, with_room_to_align};
    const range addresses{address{round_up(number(mapped.begin), granule_bytes)}, bytes};
    return std::unique_ptr<backing>(new backing(file, mapped, addresses));
  }
  auto failure = system_failure("reserving addresses", {address::null, least});
  ::close(file);
  return failure;
}

backing::~backing() {
  ::munmap(pointer(mapped_.begin), mapped_.bytes);
  ::close(file_);
}

result<void> backing::hold(range part) {
  assert(part.bytes % granule_bytes == 0 && (part.begin - addresses_.begin) % granule_bytes == 0);
  if (::mprotect(pointer(part.begin), part.bytes, PROT_READ | PROT_WRITE) != 0) {
    return system_failure("mapping", part);
  }
  return {};
}

// NOLINTNEXTLINE(readability-make-member-function-const): it changes what the object stands for
result<void> backing::guard(range part) {
  if (::mprotect(pointer(part.begin), part.bytes, PROT_NONE) != 0) {
    return system_failure("guarding", part);
  }
  return {};
}

result<void> backing::unguard(range part) { return hold(part); }

// NOLINTNEXTLINE(readability-make-member-function-const): it changes what the object stands for
result<void> backing::release(range part) {
  assert(part.bytes % granule_bytes == 0 && (part.begin - addresses_.begin) % granule_bytes == 0);
  const auto offset = static_cast<off_t>(part.begin - mapped_.begin);
  // First out of reach, then out of memory: a stray write in between would bring pages back.
  if (::mprotect(pointer(part.begin), part.bytes, PROT_NONE) != 0) {
    return system_failure("unmapping", part);
  }
  if (::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
                  static_cast<off_t>(part.bytes)) != 0) {
    return system_failure("giving back", part);
  }
  return {};
}

}  // namespace soma::memory
