// A pool of tiers: fixed-size pools by block size over a variable-size pool over the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "soma/classic_pools.hpp"
#include "soma/error.hpp"
#include "soma/export.hpp"

namespace soma {

/// A fixed-size part of a tiered pool.
struct tier {
  std::size_t block_bytes = 0;
  std::size_t blocks = 0;
};

/// What a tier's blocks are.
enum class tier_kind : std::uint8_t {
  fixed_size,     ///< all of one size
  variable_size,  ///< of any size, in multiples of 64 bytes
  device,         ///< each block is a piece of memory of its own
};

/// A moment's figures of one tier of a pool that has several.
struct tier_statistics {
  tier_kind kind = tier_kind::fixed_size;
  std::size_t block_bytes = 0;  ///< 0 but for tiers of a fixed size
  /// A count: requests for which this tier was the first choice, and that a later one served.
  std::uint64_t fell_through = 0;
  /// How many blocks of this size were lately live at most, after which an adaptive allocator sizes the tier.
  std::uint64_t demand = 0;
  classic_statistics statistics;
};

/// A request goes to the smallest block size that fits, and falls through to the next larger one if that is
/// full, then to the variable-size pool, and then, if that is wanted, to the device itself.
class SOMA_API tiered_pool : public memory_pool {
public:
  /// Of what a pool is made. Sizes are bytes.
  struct options {
    std::vector<tier> tiers;         ///< in any order; sizes are rounded up to 64 bytes
    std::size_t variable_bytes = 0;  ///< of the pool below them; at least 64
    bool over_device = true;         ///< what does not fit below either is allocated from the device
    memory_kind kind = {};           ///< of the tiers; what the device gives is only of the same `memory`
  };

  /// Errors: invalid_argument (a tier without blocks, two of one size, sizes whose sum wraps), and those of
  /// device::malloc.
  static expected<tiered_pool> create(device& on, const options& parts);

  /// Of each tier by rising block size, of the variable-size pool, and of the device, if it is a tier.
  [[nodiscard]] expected<std::vector<tier_statistics>> tiers() const;

private:
  using memory_pool::memory_pool;
};

}  // namespace soma
