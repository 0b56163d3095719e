// Addresses that a program arranges itself: reserved ranges, physical memory that is mapped into them,
// managed and registered memory, and memory that is shared with other processes.
//
// A runtime has one; objects of this class are handles to it. Every call may be made from any thread, but not
// from kernels and host functions (not_permitted), except those that only ask. Sizes are bytes. What comes
// from here is not known to the race detector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "soma/error.hpp"
#include "soma/export.hpp"

namespace soma {

class pool;

/// Where memory is, or from where it is used: the host, or a device by its index.
struct memory_site {
  bool host = false;
  std::uint32_t device = 0;
  friend constexpr bool operator==(const memory_site&, const memory_site&) = default;
};

/// How memory may be used.
enum class memory_access : std::uint8_t { none, read, read_write };

/// Physical memory; the number is never given twice in a runtime.
enum class physical_handle : std::uint64_t { none = 0 };

/// How physical memory is made.
struct physical_properties {
  memory_site site;
  std::uint64_t bytes = 0;  ///< rounded up to whole pages
  std::uint64_t page_bytes = std::uint64_t{2} << 20;
  std::uint32_t attribute = 0;  ///< the program's own, to be read again
};

/// What memory is shared by. Text and number stand for the same; the text has at most 64 characters.
struct share_key {
  std::string text;
  std::uint64_t number = 0;
};

/// What a range of addresses holds.
enum class span_kind : std::uint8_t {
  reserved,    ///< addresses without memory
  mapped,      ///< physical memory
  managed,     ///< for the host and all devices
  imported,    ///< memory of another process
  registered,  ///< the program's own memory, which devices may use
};

/// A range of addresses that the address space knows.
struct span_info {
  void* begin = nullptr;
  std::uint64_t bytes = 0;
  span_kind kind = span_kind::reserved;
  memory_site site;  ///< of the memory
  std::uint64_t page_bytes = 0;
  bool read_only = false;
};

/// A place in a hint; the numbers are the program's own.
struct hinted_place {
  std::int32_t kind = 0;
  std::int32_t id = 0;
};

/// What a program can say of its managed memory.
enum class managed_hint : std::uint8_t { read_mostly, preferred, accessed_by, prefetch };

/// What a program has said of its managed memory. Kept to be read again; nothing follows from it.
struct managed_hints {
  bool read_mostly = false;
  std::optional<hinted_place> preferred;
  std::vector<hinted_place> accessed_by;
  std::optional<hinted_place> last_prefetch;
};

namespace detail {
class runtime_end;
}

/// A handle to a runtime's address space.
class SOMA_API address_space {
public:
  /// The implementation's; of no use outside of the library.
  explicit address_space(std::shared_ptr<detail::runtime_end> end) noexcept;

  // -- addresses and physical memory ---

  /// Reserves addresses at a multiple of a granule: at `wanted` if it is one and free, else anywhere.
  /// Errors: invalid_argument (0 bytes, or too many to round up), system_failure.
  expected<void*> reserve(std::size_t bytes, void* wanted = nullptr);

  /// Errors: unknown_address (none begin here), invalid_argument (something is mapped there).
  expected<void> release(void* begin);

  /// Memory of a device counts for its budget. Errors: invalid_argument, out_of_memory, no_such_device.
  expected<physical_handle> create(const physical_properties& wanted);

  /// Gives up one reference; the memory goes when there is no other, and it is mapped nowhere.
  /// Errors: unknown_address (no such physical memory).
  expected<void> release(physical_handle memory);

  /// Maps all of it. Its own site may use it at once, unless `accessible` is false.
  /// Errors: unknown_address (the handle), invalid_argument (size, alignment, the range).
  expected<void> map(void* begin, std::size_t bytes, physical_handle memory, bool accessible = true);

  /// Errors: unknown_address (no mapping begins here).
  expected<void> unmap(void* begin);

  /// Who may use memory, and how.
  struct site_access {
    memory_site site;
    memory_access access = memory_access::none;
  };

  /// Changes who may use a mapping; all of the changes or, on an error, none.
  expected<void> set_access(void* begin, std::size_t bytes, std::span<const site_access> changes);
  [[nodiscard]] expected<memory_access> access_of(const void* inside, memory_site site) const;

  /// What is mapped here, with a reference more.
  expected<physical_handle> retain(const void* inside);
  [[nodiscard]] expected<physical_properties> properties_of(physical_handle memory) const;

  // -- other processes ---
  // What is imported is the same memory, at an address of this process. It stays good when the one who shares
  // has ended. Errors of imports: unknown_address (nothing is shared by this key any more), not_allowed,
  // invalid_argument (it is this process's own).

  /// `anyone` may import, or only the processes that allow() names. Errors: invalid_argument (it was shared
  /// before).
  expected<share_key> share(physical_handle memory, bool anyone);

  /// A range within one block of a device's malloc, or within one mapping. Memory of pools is shared by its
  /// pool.
  expected<share_key> share(const void* begin, std::size_t bytes, bool anyone);

  /// All of a pool's addresses, at which its blocks come and go.
  expected<share_key> share(const pool& from, bool anyone);

  /// Adds processes, by their numbers, that may import. Errors: unknown_address (this process shares
  /// nothing by the key).
  expected<void> allow(std::string_view key, std::span<const std::int32_t> processes);
  expected<void> allow(std::uint64_t key, std::span<const std::int32_t> processes);

  /// What another process shares: as physical memory, to be mapped, or as a range at an address of this
  /// process. Errors: as said above.
  expected<physical_handle> import_physical(std::uint64_t key, memory_site site);
  expected<physical_handle> import_physical(std::string_view key, memory_site site);
  expected<void*> import_range(std::string_view key, memory_site site);

  /// What was imported by the key goes; or what is shared by it can be imported no more.
  expected<void> close(std::string_view key);

  /// The same for imported memory that begins here.
  expected<void> close_import(void* begin);

  // -- memory of the host, and managed memory ---

  /// Copies in streams need not wait for memory that is registered. Errors: already_done.
  expected<void> register_host(void* begin, std::size_t bytes, bool read_only = false);
  expected<void> unregister_host(void* begin);

  /// Memory that the host and all devices use at the same address. It counts for no budget.
  expected<void*> malloc_managed(std::size_t bytes, memory_site site);
  expected<void> free_managed(void* begin);

  /// Hints are kept for each allocation as a whole, and change nothing. Errors: unknown_address.
  expected<void> hint(const void* begin, std::size_t bytes, managed_hint which, bool set,
                      hinted_place place = {});
  [[nodiscard]] expected<managed_hints> hints(const void* begin, std::size_t bytes) const;

  // -- questions ---

  /// Errors: unknown_address (nothing is known of it here).
  [[nodiscard]] expected<span_info> find(const void* inside) const;

  /// Whether nothing of it is in use.
  [[nodiscard]] expected<bool> empty() const;

private:
  std::shared_ptr<detail::runtime_end> end_;
};

}  // namespace soma
