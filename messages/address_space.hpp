// What the ADDRESS SPACE takes: what addresses mean that no heap has given out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory/identifiers.hpp"
#include "memory/shared_record.hpp"
#include "messages/actors.hpp"

namespace soma::messages {

using memory::address;
using memory::shared_name;

/// Physical memory that can be mapped; 0 stands for none.
enum class physical_id : std::uint64_t { none = 0 };

/// Where memory is, or from where it is used: the host, or a device.
struct memory_site {
  bool host = false;
  std::uint32_t device = 0;
  friend constexpr bool operator==(const memory_site&, const memory_site&) = default;
};

enum class memory_access : std::uint8_t { none, read, read_write };

/// What a range of addresses is.
enum class span_kind : std::uint8_t {
  reserved,    // addresses without memory
  mapped,      // physical memory
  managed,     // for the host and all devices
  imported,    // memory of another process
  registered,  // the program's own memory, which devices may use
};

struct span {
  memory::range where;
  span_kind kind = span_kind::reserved;
  memory_site site;  // of the memory
  std::uint64_t page_bytes = 0;
  bool read_only = false;
};

// -- addresses and physical memory --------------------------------------------------------------------------

/// Reserves addresses at a multiple of a granule; near `wanted` if that is not null and free.
struct reserve_addresses {
  std::uint64_t bytes = 0;
  address wanted = address::null;
  answer<address> reply;
};

/// Precondition of success: nothing is mapped there.
struct release_addresses {
  address begin = address::null;
  answer<done> reply;
};

struct physical_properties {
  memory_site site;
  std::uint64_t bytes = 0;
  std::uint64_t page_bytes = 0;
  std::uint32_t attribute = 0;  // the program's own, to be read again
};

/// Memory of a device counts for its budget.
struct create_physical {
  physical_properties wanted;
  device_actor device;  // null for memory of the host
  answer<physical_id> reply;
};

/// Gives one reference up. The memory goes with the last one, and when it is mapped nowhere.
struct release_physical {
  physical_id id = physical_id::none;
  answer<done> reply;
};

struct map_physical {
  memory::range where;
  physical_id id = physical_id::none;
  bool accessible = true;  // for the memory's own site
  answer<done> reply;
};

struct unmap_physical {
  address begin = address::null;
  answer<done> reply;
};

struct site_access {
  memory_site site;
  memory_access access = memory_access::none;
};

/// All of it or, on an error, nothing.
struct set_access {
  memory::range where;
  std::vector<site_access> changes;
  answer<done> reply;
};

struct read_access {
  address inside = address::null;
  memory_site site;
  answer<memory_access> reply;
};

/// The physical memory that is mapped here; adds a reference.
struct retain_physical {
  address inside = address::null;
  answer<physical_id> reply;
};

struct read_physical {
  physical_id id = physical_id::none;
  answer<physical_properties> reply;
};

// -- sharing with other processes ---------------------------------------------------------------------------

/// Gives physical memory a name that other processes import it by; `anyone`, or only the processes that
/// allow_import names. Errors: invalid_argument if it has one.
struct export_physical {
  physical_id id = physical_id::none;
  bool anyone = false;
  answer<shared_name> reply;
};

struct import_physical {
  shared_name name;
  memory_site site;
  answer<physical_id> reply;
};

/// The same for a range of memory that is in use: of a device's heap (the backing's file), or mapped.
struct export_range {
  memory::range what;
  memory_site site;
  int file = -1;  // -1: it is mapped physical memory
  std::uint64_t offset = 0;
  bool anyone = false;
  answer<shared_name> reply;
};

struct import_range {
  shared_name name;
  memory_site site;
  answer<address> reply;
};

struct allow_import {
  shared_name name;
  std::vector<std::int32_t> processes;
  answer<done> reply;
};

/// What was imported by this name goes, or what was exported can be imported no more.
struct close_shared {
  shared_name name;
  answer<done> reply;
};

/// The same for an import of which only the address is known.
struct close_import {
  address begin = address::null;
  answer<done> reply;
};

// -- memory of the host -------------------------------------------------------------------------------------

/// Errors: invalid_argument if a part of it is registered.
struct register_host {
  memory::range what;
  bool read_only = false;
  answer<done> reply;
};

struct unregister_host {
  address begin = address::null;
  answer<done> reply;
};

struct allocate_managed {
  std::uint64_t bytes = 0;
  memory_site site;
  answer<address> reply;
};

struct free_managed {
  address begin = address::null;
  answer<done> reply;
};

/// A place as programs name it in hints; the numbers are theirs.
struct hinted_place {
  std::int32_t kind = 0;
  std::int32_t id = 0;
  friend constexpr bool operator==(const hinted_place&, const hinted_place&) = default;
};

/// Hints about managed memory. They are kept to be read again, and change nothing.
struct managed_hints {
  bool read_mostly = false;
  std::optional<hinted_place> preferred;
  std::vector<hinted_place> accessed_by;
  std::optional<hinted_place> last_prefetch;
};

enum class managed_hint : std::uint8_t { read_mostly, preferred, accessed_by, prefetch };

/// For the whole of each allocation that the range touches. Errors: unknown_address (a part of the range is
/// no managed memory).
struct hint_managed {
  memory::range where;
  managed_hint which = managed_hint::read_mostly;
  bool set = true;
  hinted_place place;
  answer<done> reply;
};

/// What all of the range has in common.
struct read_hints {
  memory::range where;
  answer<managed_hints> reply;
};

// -- questions ----------------------------------------------------------------------------------------------

/// The span that the address is in; a mapping counts before the reserved addresses around it.
struct find_span {
  address inside = address::null;
  answer<span> reply;
};

struct span_count {
  std::uint64_t live = 0;  // spans and physical memory
};

struct count_spans {
  answer<span_count> reply;
};

/// From the device: its budget has room for physical memory, or not.
struct budget_taken {
  bool granted = false;
  std::string refusal;  // if not
};

/// The runtime ends.
struct stop_address_space {};

}  // namespace soma::messages
