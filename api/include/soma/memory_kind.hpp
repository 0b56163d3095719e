// What the memory of a pool is made of: what can be wished for, and what came of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace soma {

/// What a pool's memory is.
enum class pool_memory : std::uint8_t {
  device,  ///< as device::malloc: counts against the device's budget
  host,    ///< as device::malloc_host
};

/// What a pool's memory is to be made of.
struct memory_kind {
  pool_memory memory = pool_memory::device;
  /// Pages of 2 MiB, where the system gives shared memory any (/sys/kernel/mm/transparent_hugepage).
  bool huge_pages = false;
  /// Pages of this NUMA node, as long as it has some.
  std::optional<std::uint32_t> numa_node = std::nullopt;
};

/// What came of a memory_kind.
struct memory_kind_report {
  bool huge_pages = false;  ///< the system uses them where it can
  bool numa_node = false;   ///< the system takes the node's memory where it can
  std::string refused;      ///< what was asked for and not granted, why, and what can be done; or empty

  // At this moment, in bytes. Memory has no pages before it is touched; what the system does not tell is 0.
  std::uint64_t resident = 0;  ///< in pages of any size
  std::uint64_t huge = 0;      ///< in huge pages
  std::uint64_t on_node = 0;   ///< on the node that was asked for
};

}  // namespace soma
