// A pool of tiers: fixed-size pools by rising block size over a variable-size pool, in one range of memory,
// and the device under them, if it is wanted.
//
// A request goes to the smallest block size that fits. If that tier is full, or there is none, it falls
// through to the next one, then to the variable-size pool, in the end to the device, which gives a piece of
// memory for this one block.
#pragma once

#include <cstdint>
#include <map>
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
  tiered_pool(range memory, const std::vector<tier>& tiers, std::uint64_t unit, bool over_device = false);

  result<range> allocate(std::uint64_t asked) override;
  result<void> free(address block) override;
  [[nodiscard]] classic_figures figures() const override;
  /// Of each tier; the last one is the device, if it is wanted.
  [[nodiscard]] std::vector<tier_figures> tiers() const override;
  [[nodiscard]] growth growth_for(std::uint64_t asked) const override;
  range grow(range memory, std::uint64_t asked) override;
  [[nodiscard]] std::vector<range> take_surplus() override;
  [[nodiscard]] std::vector<range> take_idle() override { return take_surplus(); }
  [[nodiscard]] std::vector<range> take_everything() override;
  [[nodiscard]] range memory() const noexcept override { return memory_; }

private:
  struct level {
    std::unique_ptr<classic_pool> pool;
    std::uint64_t block_bytes = 0;  // 0 for the last one
    std::uint64_t fell_through = 0;
  };

  struct device_block {
    std::uint64_t bytes = 0;
    std::uint64_t asked = 0;
  };

  [[nodiscard]] std::size_t first_level(std::uint64_t asked) const noexcept;
  result<void> free_on_device(address block);

  range memory_;
  bool over_device_;
  std::vector<level> levels_;
  std::map<address, device_block> on_device_;
  std::vector<range> surplus_;  // was freed, and goes back to the device
  classic_counters counters_;
  classic_counters device_counters_;
};

}  // namespace soma::memory
