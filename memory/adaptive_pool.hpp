// A pool that sizes itself by what it sees. It has no memory of its own at first:
//
//   - Regions come from the device when nothing fits any more. How much is taken at once follows from how
//   often
//     that happened lately: seldom, little more than is needed; often, up to an eighth of what the pool has.
//   - Sizes that are asked for again and again get pools of blocks of just that size, with as many blocks as
//     were lately live at most. They are made out of the regions, and dissolved again when nobody asks any
//     more.
//   - Everything else is served from the regions, by the smallest piece that fits.
//   - Regions in which nothing lives go back to the device when less was needed for a while.
//
// Time is a count of allocations and frees: the same calls always lead to the same choices.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "memory/classic_pool.hpp"
#include "memory/fixed_size_pool.hpp"
#include "memory/region_heap.hpp"
#include "memory/size_history.hpp"

namespace soma::memory {

struct adaptive_settings {
  std::uint64_t unit = 64;                // blocks are multiples of it
  std::uint64_t region_bytes = 2U << 20;  // regions are multiples of it
  double half_life = 16384;               // in operations
  double least_count = 8;                 // a size asked for so often gets a pool
  std::uint64_t most_pooled = 256 << 10;  // the largest size that gets one, in bytes
  std::uint64_t most_pool_bytes = 1 << 20;
};

class adaptive_pool final : public classic_pool {
public:
  explicit adaptive_pool(const adaptive_settings& settings = {});

  result<range> allocate(std::uint64_t asked) override;
  result<void> free(address block) override;
  [[nodiscard]] classic_figures figures() const override;

  /// The pools by rising block size, and then everything else as a tier of its own.
  [[nodiscard]] std::vector<tier_figures> tiers() const override;

  [[nodiscard]] growth growth_for(std::uint64_t asked) const override;
  range grow(range memory, std::uint64_t asked) override;
  [[nodiscard]] std::vector<range> take_surplus() override;
  [[nodiscard]] std::vector<range> take_idle() override;
  [[nodiscard]] std::vector<range> take_everything() override;
  [[nodiscard]] range memory() const noexcept override { return {}; }

private:
  struct live_block {
    std::uint64_t bytes = 0;
    std::uint64_t asked = 0;
  };
  struct sized_pool {
    sized_pool(const region_heap::piece& of, std::uint64_t bytes)
        : blocks(of.where, bytes), was_used(of.was_used) {}
    fixed_size_pool blocks;
    bool was_used;  // its memory was in blocks before
  };
  // The pools of a size, and those of them with a free block.
  struct size_class {
    std::vector<sized_pool*> with_room;
    std::uint64_t blocks = 0;
    std::uint64_t fell_through = 0;
  };
  using pool_map = std::map<address, std::unique_ptr<sized_pool>>;

  [[nodiscard]] sized_pool* pool_for(std::uint64_t bytes);
  sized_pool* make_pool(std::uint64_t bytes, size_class& of);
  range allocate_in(sized_pool& pool, std::uint64_t asked);
  result<void> free_in(sized_pool& pool, address block);
  void note_allocated(std::uint64_t bytes, std::uint64_t asked, bool reused);
  void note_freed(std::uint64_t bytes, std::uint64_t asked);
  void dissolve(pool_map::iterator pool);
  void pass_time();
  void look_over_pools();
  [[nodiscard]] std::uint64_t step() const noexcept;
  [[nodiscard]] sized_pool* pool_around(address block);

  adaptive_settings settings_;
  region_heap heap_;
  pool_map pools_;
  std::unordered_map<std::uint64_t, size_class> classes_;
  std::unordered_map<address, live_block> live_;  // that are in no pool
  size_history history_;
  fading_high needed_;       // bytes taken from the heap
  double lately_grown_ = 0;  // how often, where what is a half-life ago counts half
  operation_time grown_at_ = 0;
  operation_time now_ = 0;
  operation_time next_look_ = 0;
  classic_counters counters_;
  classic_counters other_counters_;  // of what is in no pool
};

}  // namespace soma::memory
