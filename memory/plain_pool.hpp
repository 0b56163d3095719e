// Small allocations of plain memory out of chunks, as CANN's runtime keeps them for itself: the first chunk
// and in it the first free part that fits. Freed parts go to the end of their chunk's list and are never
// joined with their neighbours, so a chunk serves best what is of one size.
//
// P1  A chunk's parts, free and live, together are the chunk.
// P2  used is the sum of the live parts.
// P3  After a free there are at most `kept_chunks` chunks without a live part.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "memory/fault.hpp"
#include "memory/identifiers.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

/// A moment's figures. Bytes, unless they are counts.
struct plain_pool_figures {
  std::uint64_t chunks = 0;       ///< a count
  std::uint64_t free_chunks = 0;  ///< a count: without a live part
  std::uint64_t used = 0;
  std::uint64_t reserved = 0;
  std::uint64_t live_parts = 0;  ///< a count
  std::uint64_t served = 0;      ///< a count: allocations so far
  std::uint64_t bypassed = 0;    ///< a count: requests that were too large, and went to the device
  std::uint64_t released = 0;    ///< a count: chunks given back to the device
};

class plain_pool {
public:
  static constexpr std::uint64_t chunk_bytes = granule_bytes;
  static constexpr std::uint64_t kept_chunks = 5;

  /// Parts are multiples of this, which is also what addresses are multiples of.
  static constexpr std::uint64_t part_unit = 64;

  /// The size of a part for so many bytes; nothing if it does not fit into a chunk.
  [[nodiscard]] static std::optional<std::uint64_t> part_bytes(std::uint64_t asked);

  /// A part of a chunk that is read-only or not, as wanted; nothing if a chunk must be added.
  std::optional<address> take(std::uint64_t asked, bool read_only);

  /// A chunk of memory joins.
  void add_chunk(address begin, bool read_only);

  /// As for plain_heap: a free in two steps. Errors: unknown_address.
  result<void> begin_free(address part);

  /// Returns the chunks to be given back. Does nothing if no free of the part has begun.
  std::vector<address> end_free(address part);

  struct live_part {
    range where;
    std::uint64_t requested = 0;
  };

  /// The live part that the address is in.
  [[nodiscard]] std::optional<live_part> find(address inside) const;

  void count_bypass() noexcept { ++bypassed_; }
  [[nodiscard]] plain_pool_figures figures() const;

private:
  struct chunk {
    address begin = address::null;
    bool read_only = false;
    std::uint64_t used = 0;
    std::list<range> free_parts;
    std::map<address, live_part> live;
  };

  [[nodiscard]] const chunk* chunk_of(address inside) const;

  std::list<chunk> chunks_;               // in the order in which they joined
  std::map<address, chunk*> by_address_;  // the same
  std::set<address> announced_;           // frees that have begun
  std::uint64_t served_ = 0;
  std::uint64_t bypassed_ = 0;
  std::uint64_t released_ = 0;
};

}  // namespace soma::memory
