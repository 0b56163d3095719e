// A pool of tiers: fixed-size pools by rising block size over a variable-size pool, in one range of memory.
//
// A request goes to the smallest block size that fits. If that tier is full, or there is none, it falls
// through to the next one, in the end to the variable-size pool.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "memory/fixed_size_pool.hpp"
#include "memory/variable_size_pool.hpp"

namespace soma::memory {

/// A fixed-size tier.
struct tier {
  std::uint64_t block_bytes = 0;
  std::uint64_t blocks = 0;
};

class tiered_pool final : public classic_pool {
public:
  /// Preconditions: tiers by rising block size, none empty; the memory holds them and `unit` bytes more; all
  /// sizes are multiples of the unit.
  tiered_pool(range memory, const std::vector<tier>& tiers, std::uint64_t unit);

  result<range> allocate(std::uint64_t asked) override;
  result<void> free(address block) override;
  [[nodiscard]] classic_figures figures() const override;
  [[nodiscard]] std::vector<tier_figures> tiers() const override;
  [[nodiscard]] range memory() const noexcept override { return memory_; }

private:
  struct level {
    std::unique_ptr<classic_pool> pool;
    std::uint64_t block_bytes = 0;  // 0 for the last one
    std::uint64_t fell_through = 0;
  };

  range memory_;
  std::vector<level> levels_;
  classic_counters counters_;
};

}  // namespace soma::memory
