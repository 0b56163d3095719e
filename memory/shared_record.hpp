// What a process tells others about memory that it shares: a page in a memory file of its own.
//
// The one who shares makes the record and keeps it; who imports opens it by its name, and finds there which
// file the memory is in. A record says whether it is still good and which processes may import. It goes with
// the process that made it, so nothing is left behind whatever ends a process.
//
// Both sides use it at the same time: what can change is atomic, and is only added to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/memory_file.hpp"

namespace soma::memory {

/// How a record is found. The check is a random number that is in the record, too: file numbers are given
/// again and again, names are not.
struct shared_name {
  std::int32_t process = 0;
  std::int32_t file = 0;
  std::uint64_t check = 0;

  friend constexpr bool operator==(const shared_name&, const shared_name&) = default;
  friend constexpr auto operator<=>(const shared_name&, const shared_name&) = default;
};

/// As a text of 64 characters at most, and back.
std::string to_text(const shared_name& name);
std::optional<shared_name> shared_name_of(std::string_view text);

/// As a number that is not 0, with what there is room for of the check, and back. Nothing if the numbers of
/// process or file are too large.
std::optional<std::uint64_t> to_number(const shared_name& name);
shared_name shared_name_of(std::uint64_t number);

/// Whether a name, which may come from a number, is that of a record.
bool stands_for(const shared_name& name, const shared_name& of_record) noexcept;

/// The memory that is shared.
struct shared_memory {
  std::int32_t file = 0;  // its number in the sharing process
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t page_bytes = 0;
  std::uint32_t attribute = 0;
  std::uint64_t within = 0;  // where in its first page the shared part begins
};

class shared_record {
public:
  static result<std::unique_ptr<shared_record>> create(const shared_memory& what, bool anyone);

  /// Errors: unknown_address (no such record, or it was closed).
  static result<std::unique_ptr<shared_record>> open(const shared_name& name);

  ~shared_record();
  shared_record(const shared_record&) = delete;
  shared_record& operator=(const shared_record&) = delete;

  [[nodiscard]] const shared_name& name() const noexcept { return name_; }
  [[nodiscard]] const shared_memory& what() const noexcept;

  /// Errors: out_of_memory when too many processes were named.
  result<void> allow(const std::vector<std::int32_t>& processes);
  [[nodiscard]] bool allows(std::int32_t process) const noexcept;

  /// From now on nobody can open it.
  void close() noexcept;

private:
  struct page;
  shared_record(std::shared_ptr<memory_file> file, range where, shared_name name) noexcept;
  [[nodiscard]] page& contents() const noexcept;

  std::shared_ptr<memory_file> file_;
  range where_;
  shared_name name_;
};

}  // namespace soma::memory
