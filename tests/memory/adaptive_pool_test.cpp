// The adaptive pool and what it stands on: regions, and what is remembered of sizes.

#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "memory/adaptive_pool.hpp"
#include "memory/tiered_pool.hpp"

namespace {

using namespace soma::memory;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

// A device that gives ranges which are never neighbours, and knows what is out.
class pretended_device {
public:
  range give(std::uint64_t bytes) {
    const range given{address{next_}, bytes};
    next_ += bytes + granule_gap;
    out_.emplace(given.begin, bytes);
    return given;
  }
  void take_back(const std::vector<range>& parts) {
    for (const auto& part : parts) {
      const auto found = out_.find(part.begin);
      ASSERT_NE(found, out_.end());
      ASSERT_EQ(found->second, part.bytes) << "regions go back as a whole";
      out_.erase(found);
    }
  }
  [[nodiscard]] bool owns(range block) const {
    const auto behind = out_.upper_bound(block.begin);
    return behind != out_.begin() && block.end() <= std::prev(behind)->first + std::prev(behind)->second;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [begin, bytes] : out_) {
      sum += bytes;
    }
    return sum;
  }

private:
  static constexpr std::uint64_t granule_gap = 4096;
  std::uint64_t next_ = std::uint64_t{1} << 40;
  std::map<address, std::uint64_t> out_;
};

// What the pool's actor does.
range allocate(classic_pool& pool, pretended_device& device, std::uint64_t bytes) {
  const auto growth = pool.growth_for(bytes);
  if (growth.best == 0) {
    return pool.allocate(bytes).value();
  }
  device.take_back(pool.take_surplus());
  return pool.grow(device.give(growth.best), bytes);
}

void free(classic_pool& pool, pretended_device& device, address block) {
  ASSERT_TRUE(pool.free(block));
  device.take_back(pool.take_surplus());
}

// -- regions ------------------------------------------------------------------------------------------------

TEST(RegionHeap, PiecesOfNeighbouringRegionsDoNotMerge) {
  region_heap heap;
  heap.add({address{1000}, 100});
  heap.add({address{1100}, 100});
  EXPECT_FALSE(heap.take(101));
  const auto first = heap.take(100);
  const auto second = heap.take(100);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(heap.idle().empty());
  heap.put(second->where);
  heap.put(first->where);
  EXPECT_EQ(heap.largest_free(), 100U);
  EXPECT_EQ(heap.idle().size(), 2U);
  heap.remove({address{1000}, 100});
  EXPECT_EQ(heap.bytes(), 100U);
}

TEST(RegionHeap, KnowsWhatWasUsedBefore) {
  region_heap heap;
  heap.add({address{1000}, 100});
  const auto fresh = heap.take(40);
  EXPECT_FALSE(fresh->was_used);
  EXPECT_FALSE(heap.take(10)->was_used);
  heap.put(fresh->where);
  EXPECT_TRUE(heap.take(30)->was_used);
}

// -- what is remembered -------------------------------------------------------------------------------------

TEST(SizeHistory, WhatIsAHalfLifeAgoCountsHalf) {
  size_history history(100);
  history.allocated(64, 0);
  history.allocated(64, 0);
  EXPECT_DOUBLE_EQ(history.count(64, 0), 2);
  EXPECT_DOUBLE_EQ(history.count(64, 100), 1);
  EXPECT_DOUBLE_EQ(history.count(64, 200), 0.5);
  EXPECT_DOUBLE_EQ(history.count(65, 0), 0);
}

TEST(SizeHistory, DemandSinksToWhatIsLive) {
  size_history history(100);
  for (int count = 0; count < 9; ++count) {
    history.allocated(64, 0);
  }
  for (int count = 0; count < 8; ++count) {
    history.freed(64, 0);
  }
  EXPECT_EQ(history.demand(64, 0), 9U);
  EXPECT_EQ(history.demand(64, 100), 5U);
  EXPECT_EQ(history.demand(64, 10'000), 1U);
}

TEST(SizeHistory, ForgetsSizesThatNobodyAsksFor) {
  size_history history(100);
  history.allocated(64, 0);
  history.allocated(128, 0);
  history.freed(64, 0);
  history.forget(1000);
  EXPECT_EQ(history.sizes(), 1U) << "the other one has a live block";
}

// -- the pool -----------------------------------------------------------------------------------------------

TEST(AdaptivePool, HasNoMemoryBeforeItIsAsked) {
  adaptive_pool pool;
  EXPECT_EQ(pool.figures().reserved, 0U);
  EXPECT_EQ(pool.allocate(1).error().code, fault_code::out_of_memory);
  EXPECT_EQ(pool.allocate(0).error().code, fault_code::invalid_argument);
  EXPECT_EQ(pool.growth_for(0).best, 0U);
  EXPECT_EQ(pool.growth_for(~std::uint64_t{0}).best, 0U) << "nothing could serve it";
  EXPECT_EQ(pool.growth_for(100).best, 2 * mib);
  EXPECT_EQ(pool.growth_for(100).least, 128U);
  EXPECT_EQ(pool.figures().refusals, 2U);
}

TEST(AdaptivePool, ASizeThatIsAskedForAgainAndAgainGetsAPool) {
  pretended_device device;
  adaptive_pool pool;
  std::vector<address> blocks;
  for (int count = 0; count < 20; ++count) {
    blocks.push_back(allocate(pool, device, 1000).begin);
  }
  const auto tiers = pool.tiers();
  ASSERT_EQ(tiers.size(), 2U);
  EXPECT_EQ(tiers[0].block_bytes, 1024U);
  EXPECT_EQ(tiers[0].demand, 20U);
  EXPECT_EQ(tiers[0].figures.live_blocks + tiers[1].figures.live_blocks, 20U);
  EXPECT_GE(tiers[0].figures.live_blocks, 10U);
  EXPECT_EQ(tiers[0].figures.reserved + tiers[1].figures.reserved, pool.figures().reserved);
  for (const auto block : blocks) {
    EXPECT_FALSE(pool.free(block + 64));
    free(pool, device, block);
    EXPECT_FALSE(pool.free(block)) << "a second free";
  }
  EXPECT_EQ(pool.figures().used, 0U);
}

TEST(AdaptivePool, PoolsAndRegionsThatNobodyNeedsAnyMoreGo) {
  pretended_device device;
  adaptive_settings settings;
  settings.half_life = 64;
  adaptive_pool pool(settings);
  std::vector<address> blocks;
  for (int count = 0; count < 50; ++count) {
    blocks.push_back(allocate(pool, device, 100'000).begin);
  }
  const auto large = allocate(pool, device, 100 * mib).begin;
  const auto at_most = device.bytes();
  for (const auto block : blocks) {
    free(pool, device, block);
  }
  free(pool, device, large);
  for (int count = 0; count < 2000; ++count) {
    free(pool, device, allocate(pool, device, 64).begin);
  }
  EXPECT_EQ(pool.figures().reserved, device.bytes());
  EXPECT_EQ(pool.figures().reserved_high, at_most);
  EXPECT_LE(device.bytes(), 2 * mib);
  EXPECT_THAT(pool.tiers(), testing::SizeIs(2)) << "64 bytes, and everything else";
  EXPECT_EQ(pool.figures().backing_returned_bytes, at_most - device.bytes());
}

TEST(AdaptivePool, TakesMoreAtOnceTheMoreOftenItHasToAsk) {
  pretended_device device;
  adaptive_pool pool;
  std::uint64_t last = 0;
  for (int count = 0; count < 200; ++count) {
    const auto growth = pool.growth_for(20 * mib);
    if (growth.best > 0) {
      last = growth.best;
      ASSERT_LE(growth.best, std::max<std::uint64_t>(20 * mib, device.bytes() / 8 + 2 * mib));
    }
    static_cast<void>(allocate(pool, device, 20 * mib));
  }
  EXPECT_GT(last, 100 * mib);
}

TEST(AdaptivePool, GivesUpAllThatIsIdleWhenItHasTo) {
  pretended_device device;
  adaptive_pool pool;
  const auto kept = allocate(pool, device, mib).begin;
  const auto freed = allocate(pool, device, 10 * mib).begin;
  free(pool, device, freed);
  device.take_back(pool.take_idle());
  EXPECT_EQ(device.bytes(), 2 * mib);
  free(pool, device, kept);
  device.take_back(pool.take_everything());
  EXPECT_EQ(device.bytes(), 0U);
}

// The same promises as of all pools, with a device: blocks lie in what it gave, apart from each other.
void run_program(classic_pool& pool, std::uint64_t most_bytes) {
  pretended_device device;
  std::map<address, range> live;
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint16_t, std::uint16_t>>>(
      rc::gen::arbitrary<std::pair<std::uint16_t, std::uint16_t>>());
  for (const auto& [what, amount] : steps) {
    if (what % 2 == 0 && !live.empty()) {
      const auto victim = std::next(live.begin(), static_cast<std::ptrdiff_t>(amount % live.size()));
      RC_ASSERT(!pool.free(victim->first + 1));
      free(pool, device, victim->first);
      RC_ASSERT(!pool.free(victim->first));
      live.erase(victim);
    } else {
      // Few sizes, so that they come again and again, and some of any size.
      const auto bytes = what % 3 == 0 ? amount % most_bytes + 1 : (amount % 5 + 1) * 100U;
      const auto block = allocate(pool, device, bytes);
      RC_ASSERT(block.bytes >= bytes);
      RC_ASSERT(device.owns(block));
      const auto next = live.lower_bound(block.begin);
      RC_ASSERT((next == live.end() || next->first >= block.end()));
      RC_ASSERT((next == live.begin() || std::prev(next)->second.end() <= block.begin));
      live.emplace(block.begin, block);
    }
    RC_ASSERT(pool.figures().live_blocks == live.size());
    RC_ASSERT(pool.figures().reserved == device.bytes());
  }
  for (const auto& [begin, block] : live) {
    free(pool, device, begin);
  }
  RC_ASSERT(pool.figures().used == 0U);
  device.take_back(pool.take_everything());
  RC_ASSERT(device.bytes() == 0U);
}

RC_GTEST_PROP(AdaptivePool, KeepsItsPromisesInRandomPrograms, ()) {
  adaptive_settings settings;
  settings.half_life = static_cast<double>(*rc::gen::inRange(16, 200));
  settings.region_bytes = 4096;
  settings.least_count = 2;
  adaptive_pool pool(settings);
  run_program(pool, 5000);
}

// -- tiers over the device ----------------------------------------------------------------------------------

TEST(TieredPool, TakesFromTheDeviceWhatFitsNowhere) {
  pretended_device device;
  tiered_pool pool({address{0x10000}, 1000}, {{.block_bytes = 100, .blocks = 1}}, 50, true);
  EXPECT_EQ(pool.growth_for(100).best, 0U);
  EXPECT_EQ(pool.growth_for(2000).best, 2000U);
  const auto large = allocate(pool, device, 2000);
  EXPECT_EQ(device.bytes(), 2000U);
  ASSERT_EQ(pool.tiers().size(), 3U);
  EXPECT_EQ(pool.tiers()[2].figures.live_blocks, 1U);
  EXPECT_EQ(pool.tiers()[1].fell_through, 1U);
  EXPECT_EQ(pool.figures().reserved, 3000U);
  free(pool, device, large.begin);
  EXPECT_EQ(device.bytes(), 0U);
  EXPECT_FALSE(pool.free(large.begin));
  static_cast<void>(allocate(pool, device, 5000));
  device.take_back(pool.take_everything());
  EXPECT_EQ(device.bytes(), 0U);
}

}  // namespace
