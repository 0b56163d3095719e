// A pool that sizes itself by what it sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "soma/classic_pools.hpp"
#include "soma/error.hpp"
#include "soma/export.hpp"
#include "soma/tiered_pool.hpp"

namespace soma {

/// Blocks of any size, in multiples of 64 bytes, without any memory at first. Sizes that are asked for again
/// and again get pools of blocks of just that size, as many as were lately live at most; everything else gets
/// the smallest free piece that fits. Memory comes from the device in regions when nothing fits any more: the
/// more often that happened lately, the more at once. Pools of sizes that nobody asks for any more are
/// dissolved, and regions in which nothing lives go back to the device when less was needed for a while.
///
/// What it has seen counts less with time, which is a count of allocations and frees: the same calls always
/// lead to the same choices.
class SOMA_API adaptive_allocator : public memory_pool {
public:
  /// How an allocator is made.
  struct options {
    /// What the regions are that it takes from the device.
    pool_memory memory = pool_memory::device;
    /// After so many allocations and frees, what was seen counts half. At least 16.
    std::uint64_t half_life = 16384;
  };

  /// Errors: invalid_argument (a half-life below 16).
  static expected<adaptive_allocator> create(device& on, const options& settings);
  static expected<adaptive_allocator> create(device& on) { return create(on, options{}); }

  /// What it has chosen: the sizes that have pools, by rising size, and last everything else, as a tier of
  /// variable size. A tier's statistics.reserved / block_bytes is how many blocks it has now.
  [[nodiscard]] expected<std::vector<tier_statistics>> choices() const;

private:
  using memory_pool::memory_pool;
};

}  // namespace soma
