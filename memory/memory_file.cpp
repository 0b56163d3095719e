#include "memory/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "memory/pointer_to.hpp"
#include "memory/sizes.hpp"
#include "memory/system_hook.hpp"

namespace soma::memory {

namespace {

/// How the system calls the files of backings and of this class.
constexpr std::string_view own_files = "/memfd:soma";

tl::unexpected<fault> refused(std::string_view what, std::uint64_t bytes) {
  const std::string reason = std::strerror(errno);
  return failed(fault_code::system_failure,
                std::string(what) + " of " + describe_bytes(bytes) + " failed: " + reason);
}

int flags_of(protection access) noexcept {
  switch (access) {
  case protection::none:
    return PROT_NONE;
  case protection::read:
    return PROT_READ;
  default:
    return PROT_READ | PROT_WRITE;
  }
}

void* map(void* wanted, std::uint64_t bytes, int access, int flags, int file, std::uint64_t offset) {
  return is_made_to_fail(system_request::addresses)
             ? MAP_FAILED
             : ::mmap(wanted, bytes, access, flags, file, static_cast<off_t>(offset));
}

}  // namespace

result<std::shared_ptr<memory_file>> memory_file::create(std::uint64_t bytes) {
  const int number =
      is_made_to_fail(system_request::memory_file) ? -1 : ::memfd_create("soma-physical", MFD_CLOEXEC);
  if (number < 0) {
    return refused("a memory file", bytes);
  }
  std::shared_ptr<memory_file> made(new memory_file(number, true));
  if (is_made_to_fail(system_request::file_size) || ::ftruncate(number, static_cast<off_t>(bytes)) != 0) {
    return refused("a memory file", bytes);
  }
  return made;
}

// Nothing but a memory file of this library is opened, whatever number a key may have.
result<std::shared_ptr<memory_file>> memory_file::open(std::int32_t process, int number) {
  const auto path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(number);
  std::array<char, 64> target{};
  const bool is_memory = ::readlink(path.c_str(), target.data(), target.size() - 1) > 0 &&
                         std::string_view(target.data()).substr(0, own_files.size()) == own_files;
  const int opened = is_memory ? ::open(path.c_str(), O_RDWR | O_CLOEXEC) : -1;
  if (opened < 0) {
    return failed(fault_code::unknown_address,
                  "process " + std::to_string(process) +
                      " shares no such memory: it has ended, or closed it, or belongs to another user");
  }
  return std::shared_ptr<memory_file>(new memory_file(opened, true));
}

std::shared_ptr<memory_file> memory_file::borrow(int number) {
  return std::shared_ptr<memory_file>(new memory_file(number, false));
}

memory_file::~memory_file() {
  if (own_) {
    ::close(number_);
  }
}

result<range> take_addresses(std::uint64_t bytes, address wanted) {
  constexpr int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  const auto mine = [bytes](void* begin) {
    ::madvise(begin, bytes, MADV_DONTFORK);
    return range{address{reinterpret_cast<std::uint64_t>(begin)}, bytes};
  };
  if (wanted != address::null && number(wanted) % granule_bytes == 0) {
    void* const there = map(pointer_to(wanted), bytes, PROT_NONE, how | MAP_FIXED_NOREPLACE, -1, 0);
    if (there == pointer_to(wanted)) {
      return mine(there);
    }
    if (there != MAP_FAILED) {
      ::munmap(there, bytes);
    }
  }
  const auto with_room_to_align = bytes + granule_bytes;
  void* const begin =
      with_room_to_align < bytes ? MAP_FAILED : map(nullptr, with_room_to_align, PROT_NONE, how, -1, 0);
  if (begin == MAP_FAILED) {
    return refused("reserving addresses", bytes);
  }
  const auto first = reinterpret_cast<std::uint64_t>(begin);
  const auto aligned = round_up(first, granule_bytes);
  if (aligned > first) {
    ::munmap(begin, aligned - first);
  }
  if (const auto behind = first + with_room_to_align - (aligned + bytes); behind > 0) {
    ::munmap(pointer_to(address{aligned + bytes}), behind);
  }
  return mine(pointer_to(address{aligned}));
}

void drop_addresses(range part) noexcept { ::munmap(pointer_to(part.begin), part.bytes); }

result<void> map_file(range where, const memory_file& file, std::uint64_t offset, protection access) {
  if (map(pointer_to(where.begin), where.bytes, flags_of(access), MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
          file.number(), offset) == MAP_FAILED) {
    return refused("mapping", where.bytes);
  }
  ::madvise(pointer_to(where.begin), where.bytes, MADV_DONTFORK);
  return {};
}

result<void> unmap_file(range where) {
  if (map(pointer_to(where.begin), where.bytes, PROT_NONE,
          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED) {
    return refused("unmapping", where.bytes);
  }
  ::madvise(pointer_to(where.begin), where.bytes, MADV_DONTFORK);
  return {};
}

result<void> protect(range where, protection access) {
  if (is_made_to_fail(system_request::access) ||
      ::mprotect(pointer_to(where.begin), where.bytes, flags_of(access)) != 0) {
    return refused("changing the access", where.bytes);
  }
  return {};
}

std::uint64_t system_page_bytes() noexcept {
  static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace soma::memory
