// A pool without stream order over one range of memory: what is freed is free for all. Fixed-size,
// variable-size and tiered pools, and the reuser of buffers, are kinds of it.
//
// A pool only gives out addresses; it never touches the memory. For one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/fault.hpp"
#include "memory/identifiers.hpp"

namespace soma::memory {

/// A moment's figures of a pool. Bytes, unless they are counts.
struct classic_figures {
  std::uint64_t reserved = 0;  // the pool's whole memory
  std::uint64_t used = 0;      // live blocks, at their full size
  std::uint64_t used_high = 0;
  std::uint64_t requested = 0;  // live blocks, as asked for
  std::uint64_t requested_high = 0;
  std::uint64_t live_blocks = 0;  // a count
  std::uint64_t allocations = 0;  // a count
  std::uint64_t frees = 0;        // a count
  std::uint64_t refusals = 0;     // a count
  std::uint64_t reused = 0;       // a count: allocations that got memory which was in a block before
  std::uint64_t largest_free = 0;
};

/// A part of a pool that is made of several, with how often a request for which it was the first choice was
/// served by one behind it.
struct tier_figures {
  std::uint64_t block_bytes = 0;  // 0: blocks of any size
  std::uint64_t fell_through = 0;
  classic_figures figures;
};

class classic_pool {
public:
  classic_pool() = default;
  virtual ~classic_pool() = default;
  classic_pool(const classic_pool&) = delete;
  classic_pool& operator=(const classic_pool&) = delete;

  /// A block for this many bytes. Errors: invalid_argument (0 bytes, or more than any block can have),
  /// out_of_memory. Nothing but the count of refusals changes on an error.
  [[nodiscard]] virtual result<range> allocate(std::uint64_t asked) = 0;

  /// Errors: unknown_address (also for a second free and for an address inside of a block).
  [[nodiscard]] virtual result<void> free(address block) = 0;

  /// One more user of a block, which is free when all have freed it. Errors: unknown_address, and
  /// invalid_argument in a pool that does not count users.
  [[nodiscard]] virtual result<void> retain(address block);

  [[nodiscard]] virtual classic_figures figures() const = 0;

  /// None but in a pool that is made of several.
  [[nodiscard]] virtual std::vector<tier_figures> tiers() const { return {}; }

  [[nodiscard]] virtual range memory() const noexcept = 0;
};

/// The error for an address at which no live block begins.
[[nodiscard]] tl::unexpected<fault> no_live_block(const char* noun);

/// Counts for a pool, with its high marks.
class classic_counters {
public:
  void allocated(std::uint64_t bytes, std::uint64_t asked, bool reused) noexcept;
  void freed(std::uint64_t bytes, std::uint64_t asked) noexcept;
  void refused() noexcept { ++now_.refusals; }

  [[nodiscard]] classic_figures figures(std::uint64_t reserved, std::uint64_t largest_free) const noexcept;

private:
  classic_figures now_;
};

}  // namespace soma::memory
