#include "memory/backing.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "memory/pointer_to.hpp"
#include "memory/sizes.hpp"
#include "memory/system_hook.hpp"

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

[[maybe_unused]] bool under_valgrind() noexcept {
  const char* preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::string_view(preloaded).find("vgpreload") != std::string_view::npos;
}

// The requests to the system, each of which a hook may make fail.

int make_file() {
  return is_made_to_fail(system_request::memory_file) ? -1 : ::memfd_create("soma", MFD_CLOEXEC);
}

bool set_size(int file, std::uint64_t bytes) {
  return !is_made_to_fail(system_request::file_size) && ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
}

void* map_range(int file, std::uint64_t bytes) {
  return is_made_to_fail(system_request::addresses)
             ? MAP_FAILED
             : ::mmap(nullptr, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
}

bool make_accessible(range part) {
  return !is_made_to_fail(system_request::access) &&
         ::mprotect(pointer_to(part.begin), part.bytes, PROT_READ | PROT_WRITE) == 0;
}

bool make_inaccessible(range part) {
  return !is_made_to_fail(system_request::no_access) &&
         ::mprotect(pointer_to(part.begin), part.bytes, PROT_NONE) == 0;
}

bool punch_out(int file, std::uint64_t offset, std::uint64_t bytes) {
  return !is_made_to_fail(system_request::punch) &&
         ::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                     static_cast<off_t>(bytes)) == 0;
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
  const int file = make_file();
  if (file < 0) {
    return failed(fault_code::system_failure,
                  std::string("creating a memory file failed: ") + std::strerror(errno));
  }
  for (auto bytes = wanted; bytes >= least && bytes > 0; bytes = round_down(bytes / 2, granule_bytes)) {
    const auto with_room_to_align = bytes + granule_bytes;
    if (!set_size(file, with_room_to_align)) {
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
  ::munmap(pointer_to(mapped_.begin), mapped_.bytes);
  ::close(file_);
}

result<void> backing::hold(range part) {
  assert(part.bytes % granule_bytes == 0 && (part.begin - addresses_.begin) % granule_bytes == 0);
  if (!make_accessible(part)) {
    return system_failure("mapping", part);
  }
  return {};
}

result<void> backing::hold(const std::vector<range>& parts) {
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    if (auto held = hold(*part); !held) {
      std::for_each(parts.begin(), part, [this](range before) { static_cast<void>(release(before)); });
      return held;
    }
  }
  return {};
}

// NOLINTNEXTLINE(readability-make-member-function-const): it changes what the object stands for
result<void> backing::guard(range part) {
  if (::mprotect(pointer_to(part.begin), part.bytes, PROT_NONE) != 0) {
    return system_failure("guarding", part);
  }
  return {};
}

result<void> backing::unguard(range part) { return hold(part); }

// NOLINTNEXTLINE(readability-make-member-function-const): it changes what the object stands for
result<void> backing::release(range part) {
  assert(part.bytes % granule_bytes == 0 && (part.begin - addresses_.begin) % granule_bytes == 0);
  // First out of reach, then out of memory: a stray write in between would bring pages back.
  if (!make_inaccessible(part)) {
    return system_failure("unmapping", part);
  }
  if (!punch_out(file_, part.begin - mapped_.begin, part.bytes)) {
    auto failure = system_failure("giving back", part);
    // The part keeps its memory, so it must be as usable as before.
    ::mprotect(pointer_to(part.begin), part.bytes, PROT_READ | PROT_WRITE);
    return failure;
  }
  return {};
}

std::vector<range> backing::touched(range part) const {
  const auto place = [&](off_t offset) { return mapped_.begin + static_cast<std::uint64_t>(offset); };
  const auto end = static_cast<off_t>(part.end() - mapped_.begin);
  std::vector<range> found;
  auto begin = ::lseek(file_, static_cast<off_t>(part.begin - mapped_.begin), SEEK_DATA);
  while (begin >= 0 && begin < end) {
    const auto hole = std::min(::lseek(file_, begin, SEEK_HOLE), end);
    if (hole <= begin) {
      break;
    }
    found.push_back({place(begin), static_cast<std::uint64_t>(hole - begin)});
    begin = ::lseek(file_, hole, SEEK_DATA);
  }
  return found;
}

}  // namespace soma::memory
