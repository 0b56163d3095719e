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
  std::uint64_t reserved_high = 0;
  std::uint64_t used = 0;  // live blocks, at their full size
  std::uint64_t used_high = 0;
  std::uint64_t requested = 0;  // live blocks, as asked for
  std::uint64_t requested_high = 0;
  std::uint64_t live_blocks = 0;  // a count
  std::uint64_t allocations = 0;  // a count
  std::uint64_t frees = 0;        // a count
  std::uint64_t refusals = 0;     // a count
  std::uint64_t reused = 0;       // a count: allocations that got memory which was in a block before
  std::uint64_t largest_free = 0;
  std::uint64_t backing_requests = 0;  // a count: memory taken from the device
  std::uint64_t backing_returns = 0;   // a count: memory given back to it
  std::uint64_t backing_requested_bytes = 0;
  std::uint64_t backing_returned_bytes = 0;
};

/// A part of a pool that is made of several, with how often a request for which it was the first choice was
/// served by one behind it.
struct tier_figures {
  std::uint64_t block_bytes = 0;  // 0: blocks of any size
  std::uint64_t fell_through = 0;
  std::uint64_t demand =
      0;  // what the tier was sized for: how many blocks were lately live at most; 0: not known
  classic_figures figures;
};

/// Memory that a pool asks the device for: as much as it would like, and the least that is of use.
struct growth {
  std::uint64_t best = 0;  // 0: no more memory is of use
  std::uint64_t least = 0;
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

  // What follows is for pools that take memory from the device while they are used; others never do.

  /// What allocate(asked) needs from the device before it can serve. Nothing if it needs nothing, and if no
  /// memory could make it serve.
  [[nodiscard]] virtual growth growth_for(std::uint64_t /*asked*/) const { return {}; }

  /// Takes memory, and gives a block for this many bytes out of it. Precondition: growth_for(asked) said that
  /// it is needed, and the memory has the least at least.
  virtual range grow(range memory, std::uint64_t asked);

  /// The memory to be given back to the device now: what the pool does not need any more. It is out of the
  /// pool when the call returns.
  [[nodiscard]] virtual std::vector<range> take_surplus() { return {}; }

  /// The same for all memory from the device in which no block lives; and for all there is.
  [[nodiscard]] virtual std::vector<range> take_idle() { return {}; }
  [[nodiscard]] virtual std::vector<range> take_everything() { return {}; }

  /// None but in a pool that is made of several.
  [[nodiscard]] virtual std::vector<tier_figures> tiers() const { return {}; }

  /// The memory that the pool was made with; null if it was made without any.
  [[nodiscard]] virtual range memory() const noexcept = 0;
};

/// The figures of two pools together. High marks are added up, too: an upper bound.
[[nodiscard]] classic_figures sum_of(const classic_figures& one, const classic_figures& other) noexcept;

/// The error for an address at which no live block begins.
[[nodiscard]] tl::unexpected<fault> no_live_block(const char* noun);

/// Counts for a pool, with its high marks.
class classic_counters {
public:
  void allocated(std::uint64_t bytes, std::uint64_t asked, bool reused) noexcept;
  void freed(std::uint64_t bytes, std::uint64_t asked) noexcept;
  void refused() noexcept { ++now_.refusals; }

  /// Memory of the device's, besides what the pool was made with.
  void taken(std::uint64_t bytes) noexcept;
  void returned(std::uint64_t bytes) noexcept;

  /// `own` is the memory that the pool was made with.
  [[nodiscard]] classic_figures figures(std::uint64_t own, std::uint64_t largest_free) const noexcept;

private:
  classic_figures now_;
};

}  // namespace soma::memory
