// Memory files that are not a device's backing, and mapping files at addresses.
//
// A file is known by its number in this process; another process of the same user opens it by the number of
// this process and that of the file, as long as this process has it open.
#pragma once

#include <cstdint>
#include <memory>

#include "memory/fault.hpp"
#include "memory/identifiers.hpp"

namespace soma::memory {

class memory_file {
public:
  /// A new file of this size, all 0. It takes no memory before it is used.
  static result<std::shared_ptr<memory_file>> create(std::uint64_t bytes);

  /// File `number` of a process. Errors: unknown_address if there is none, or it may not be opened.
  static result<std::shared_ptr<memory_file>> open(std::int32_t process, int number);

  /// A file that something else keeps open.
  static std::shared_ptr<memory_file> borrow(int number);

  ~memory_file();
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  [[nodiscard]] int number() const noexcept { return number_; }

private:
  memory_file(int number, bool own) noexcept : number_(number), own_(own) {}

  int number_;
  bool own_;
};

/// How mapped memory can be used.
enum class protection : std::uint8_t { none, read, read_write };

/// Addresses without memory, at a multiple of a granule, near `wanted` if that is not null and free.
result<range> take_addresses(std::uint64_t bytes, address wanted = address::null);
void drop_addresses(range part) noexcept;

/// Puts a part of a file behind addresses that were taken. Offset and size are whole pages.
result<void> map_file(range where, const memory_file& file, std::uint64_t offset, protection access);

/// Puts nothing behind them again.
result<void> unmap_file(range where);

result<void> protect(range where, protection access);

/// The size of the system's pages.
std::uint64_t system_page_bytes() noexcept;

}  // namespace soma::memory
