// Pools without stream order through the C++ interface: whose memory they have, what they refuse, threads,
// and the containers of the standard library in them.

#include <memory_resource>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/cpp_fixture.hpp"

namespace {

using soma::errc;
using soma::pool_memory;
using support::failed_with;
using support::must;
using testing::HasSubstr;

class ClassicPools : public testing::Test {
protected:
  static constexpr std::uint64_t memory = std::uint64_t{64} << 20;

  std::uint64_t taken() { return memory - must(device_.memory()).free; }

  soma::runtime runtime_ = must(soma::runtime::create({.device_memory = memory}));
  soma::device device_ = must(runtime_.get_device());
};

TEST_F(ClassicPools, AFixedSizePoolHasItsMemoryFromTheDeviceAndGivesItBack) {
  {
    auto pool = must(soma::fixed_size_pool::create(device_, 4 << 20, 1 << 20));
    EXPECT_EQ(taken(), std::uint64_t{4} << 20);
    EXPECT_EQ(pool.block_count(), 4U);
    EXPECT_EQ(runtime_.locate(pool.base()), soma::memory_location::device);
    std::set<void*> blocks;
    for (int count = 0; count < 4; ++count) {
      blocks.insert(must(pool.allocate(1000)));
    }
    EXPECT_EQ(blocks.size(), 4U);
    EXPECT_TRUE(failed_with(pool.allocate(1), errc::out_of_memory));
    EXPECT_TRUE(failed_with(pool.allocate((1 << 20) + 1), errc::invalid_argument));
    EXPECT_TRUE(failed_with(pool.free(static_cast<char*>(*blocks.begin()) + 1), errc::unknown_address));
    must(pool.free(*blocks.begin()));
    EXPECT_TRUE(failed_with(pool.free(*blocks.begin()), errc::unknown_address));
    const auto now = must(pool.statistics());
    EXPECT_EQ(now.live_blocks, 3U);
    EXPECT_EQ(now.requested, 3000U);
    EXPECT_EQ(now.idle, std::uint64_t{1} << 20);
    EXPECT_EQ(now.refusals, 2U);
  }
  EXPECT_EQ(taken(), 0U) << "also of live blocks";
}

TEST_F(ClassicPools, HostMemoryCostsTheDeviceNothing) {
  auto pool = must(soma::variable_size_pool::create(device_, 1 << 20, {pool_memory::host}));
  EXPECT_EQ(taken(), 0U);
  auto* const block = static_cast<char*>(must(pool.allocate(100)));
  EXPECT_EQ(runtime_.locate(block), soma::memory_location::host);
  block[0] = 'a';
  block[99] = 'z';
  EXPECT_TRUE(pool.owns(block));
  EXPECT_FALSE(pool.owns(&pool));
  must(pool.free(block));
}

TEST_F(ClassicPools, WhatCannotBeMadeIsRefusedWithTheReason) {
  const auto no_block = soma::fixed_size_pool::create(device_, 10, 11);
  EXPECT_TRUE(failed_with(no_block, errc::invalid_argument));
  EXPECT_THAT(no_block.error().message, HasSubstr("room for one block at least"));
  EXPECT_TRUE(failed_with(soma::fixed_size_pool::create(device_, 10, 0), errc::invalid_argument));
  EXPECT_TRUE(failed_with(soma::variable_size_pool::create(device_, 63), errc::invalid_argument));
  const auto too_large = soma::variable_size_pool::create(device_, memory * 2);
  EXPECT_TRUE(failed_with(too_large, errc::out_of_memory));
  EXPECT_THAT(too_large.error().message,
              HasSubstr("variable_size_pool::create: the pool's memory: device::malloc"));
  EXPECT_TRUE(failed_with(soma::tiered_pool::create(device_, {.tiers = {{0, 1}}, .variable_bytes = 64}),
                          errc::invalid_argument));
  EXPECT_TRUE(failed_with(soma::tiered_pool::create(device_, {.tiers = {{1, 0}}, .variable_bytes = 64}),
                          errc::invalid_argument));
  EXPECT_TRUE(failed_with(soma::tiered_pool::create(device_, {.tiers = {}, .variable_bytes = 0}),
                          errc::invalid_argument));
  EXPECT_TRUE(
      failed_with(soma::tiered_pool::create(device_, {.tiers = {{std::size_t{1} << 40, std::size_t{1} << 40}},
                                                      .variable_bytes = 64}),
                  errc::invalid_argument));
  const auto twice = soma::tiered_pool::create(device_, {.tiers = {{60, 1}, {64, 1}}, .variable_bytes = 64});
  EXPECT_TRUE(failed_with(twice, errc::invalid_argument));
  EXPECT_THAT(twice.error().message, HasSubstr("two tiers have blocks of 64 bytes"));
  EXPECT_EQ(taken(), 0U);
}

TEST_F(ClassicPools, ADestroyedPoolTakesNoCall) {
  auto pool = must(soma::fixed_size_pool::create(device_, 1000, 100));
  auto* const block = must(pool.allocate(1));
  must(pool.destroy());
  EXPECT_EQ(taken(), 0U);
  EXPECT_TRUE(failed_with(pool.destroy(), errc::invalid_handle));
  EXPECT_TRUE(failed_with(pool.allocate(1), errc::invalid_handle));
  EXPECT_TRUE(failed_with(pool.free(block), errc::invalid_handle));
  EXPECT_TRUE(failed_with(pool.statistics(), errc::invalid_handle));
}

TEST_F(ClassicPools, TasksMayNotAllocate) {
  auto pool = must(soma::fixed_size_pool::create(device_, 1000, 100));
  auto stream = must(device_.create_stream());
  soma::expected<void*> inside = nullptr;
  must(stream.call([&] { inside = pool.allocate(1); }));
  must(stream.synchronize());
  EXPECT_TRUE(failed_with(inside, errc::not_permitted));
}

TEST_F(ClassicPools, TiersAreFilledInTurnAndTheDeviceComesLast) {
  auto pool =
      must(soma::tiered_pool::create(device_, {.tiers = {{4096, 1}, {64, 2}}, .variable_bytes = 1024}));
  std::vector<void*> blocks;
  for (const std::size_t bytes : {60U, 60U, 60U, 60U, 60U, 2000U}) {
    blocks.push_back(must(pool.allocate(bytes)));
  }
  const auto tiers = must(pool.tiers());
  ASSERT_EQ(tiers.size(), 4U);
  EXPECT_EQ(tiers[0].kind, soma::tier_kind::fixed_size);
  EXPECT_EQ(tiers[2].kind, soma::tier_kind::variable_size);
  EXPECT_EQ(tiers[3].kind, soma::tier_kind::device);
  EXPECT_EQ(tiers[0].block_bytes, 64U);
  EXPECT_EQ(tiers[0].statistics.live_blocks, 2U);
  EXPECT_EQ(tiers[0].fell_through, 3U);
  EXPECT_EQ(tiers[1].statistics.live_blocks, 1U) << "one of 60 bytes";
  EXPECT_EQ(tiers[2].statistics.live_blocks, 2U);
  EXPECT_EQ(tiers[3].statistics.live_blocks, 1U) << "2000 bytes fit nowhere else any more";
  EXPECT_EQ(tiers[3].statistics.reserved, 2000U);
  EXPECT_TRUE(failed_with(pool.allocate(0), errc::invalid_argument));
  EXPECT_TRUE(failed_with(pool.free(&pool), errc::unknown_address));
  for (auto* const block : blocks) {
    must(pool.free(block));
    EXPECT_TRUE(failed_with(pool.free(block), errc::unknown_address));
  }
  const auto now = must(pool.statistics());
  EXPECT_EQ(now.used, 0U);
  EXPECT_EQ(now.backing_requests, 2U) << "the pool's own memory, and the device's block";
  EXPECT_EQ(now.backing_returns, 1U);
  EXPECT_EQ(now.reserved_high, now.reserved + 2000);
}

TEST_F(ClassicPools, ATieredPoolThatIsNotOverTheDeviceRefuses) {
  auto pool =
      must(soma::tiered_pool::create(device_, {.tiers = {}, .variable_bytes = 1024, .over_device = false}));
  EXPECT_TRUE(failed_with(pool.allocate(2000), errc::invalid_argument));
  must(pool.allocate(1000));
  EXPECT_TRUE(failed_with(pool.allocate(100), errc::out_of_memory));
}

TEST_F(ClassicPools, WhatTheDeviceGaveGoesBackWithTheTieredPool) {
  {
    auto pool = must(soma::tiered_pool::create(device_, {.tiers = {}, .variable_bytes = 64}));
    must(pool.allocate(10 << 20));
    EXPECT_GE(taken(), std::uint64_t{10} << 20);
  }
  EXPECT_EQ(taken(), 0U);
}

TEST_F(ClassicPools, TheFastAllocatorPicksTheSmallestSizeThatFits) {
  std::vector<soma::fixed_size_pool> pools;
  pools.push_back(must(soma::fixed_size_pool::create(device_, 4096, 1024)));
  pools.push_back(must(soma::fixed_size_pool::create(device_, 128, 64)));
  soma::fast_allocator allocator(std::move(pools));
  auto* const first = must(allocator.allocate(64));
  EXPECT_TRUE(allocator.pools()[0].owns(first));
  auto* const second = must(allocator.allocate(65));
  EXPECT_TRUE(allocator.pools()[1].owns(second));
  must(allocator.allocate(1));
  auto* const third = must(allocator.allocate(1));
  EXPECT_TRUE(allocator.pools()[1].owns(third)) << "the smaller ones are full";
  must(allocator.allocate(1024));
  must(allocator.allocate(1024));
  EXPECT_TRUE(failed_with(allocator.allocate(1), errc::out_of_memory));
  EXPECT_TRUE(failed_with(allocator.allocate(1025), errc::invalid_argument));
  EXPECT_TRUE(failed_with(allocator.allocate(0), errc::invalid_argument));
  EXPECT_TRUE(failed_with(allocator.free(&allocator), errc::unknown_address));
  must(allocator.free(first));
  EXPECT_EQ(must(allocator.allocate(2)), first);

  soma::fast_allocator over({}, must(soma::variable_size_pool::create(device_, 4096)));
  auto* const any = must(over.allocate(777));
  EXPECT_TRUE(over.last()->owns(any));
  must(over.free(any));
}

TEST_F(ClassicPools, ABufferIsKeptByItsCopiesAndThenReused) {
  auto reuser = must(soma::buffer_reuser::create(device_, 1 << 20));
  auto first = must(reuser.acquire(1000));
  void* const data = first.data();
  {
    const auto copy = first;
    first = {};
    EXPECT_EQ(copy.data(), data);
    EXPECT_NE(must(reuser.acquire(1000)).data(), data);
  }
  const auto again = must(reuser.acquire(900));
  EXPECT_EQ(again.data(), data);
  EXPECT_EQ(again.bytes(), 900U);
  EXPECT_GE(must(reuser.statistics()).reused, 1U);
  EXPECT_EQ(must(reuser.statistics()).live_blocks, 1U);
}

TEST_F(ClassicPools, ABufferMayGoOnADeviceThreadAndAfterItsPool) {
  auto reuser = must(soma::buffer_reuser::create(device_, 1 << 20));
  auto stream = must(device_.create_stream());
  auto buffer = must(reuser.acquire(10));
  must(stream.call([kept = buffer] {}));
  must(stream.synchronize());
  must(reuser.destroy());
  EXPECT_EQ(taken(), 0U);
  auto copy = buffer;
  buffer = {};
  EXPECT_TRUE(copy);
}

TEST_F(ClassicPools, ThreadsShareAPool) {
  auto pool = must(soma::variable_size_pool::create(device_, 8 << 20));
  constexpr int threads = 4;
  constexpr int rounds = 500;
  std::vector<std::thread> all;
  for (int number = 0; number < threads; ++number) {
    all.emplace_back([&pool, number] {
      for (int round = 0; round < rounds; ++round) {
        auto* const block =
            static_cast<int*>(must(pool.allocate(sizeof(int) * static_cast<std::size_t>(round + 1))));
        block[round] = number;
        ASSERT_EQ(block[round], number);
        must(pool.free(block));
      }
    });
  }
  for (auto& one : all) {
    one.join();
  }
  const auto now = must(pool.statistics());
  EXPECT_EQ(now.allocations, static_cast<std::uint64_t>(threads) * rounds);
  EXPECT_EQ(now.used, 0U);
  EXPECT_EQ(now.largest_free, now.reserved);
  EXPECT_EQ(now.fragmentation(), 0.0);
}

TEST_F(ClassicPools, AWishForMemoryIsGrantedOrRefusedWithAReason) {
  auto pool =
      must(soma::variable_size_pool::create(device_, 8 << 20, {.huge_pages = true, .numa_node = 1000}));
  const auto kind = must(pool.kind());
  EXPECT_FALSE(kind.numa_node);
  EXPECT_THAT(kind.refused, HasSubstr("NUMA node 1000"));
  EXPECT_EQ(kind.huge_pages, kind.refused.find("no huge pages") == std::string::npos) << kind.refused;
  auto* const block = static_cast<char*>(must(pool.allocate(4 << 20)));
  block[0] = 1;
  EXPECT_GE(must(pool.kind()).resident, 4096U) << "the pool works all the same";
  const auto plain = must(soma::variable_size_pool::create(device_, 4096));
  EXPECT_EQ(must(plain.kind()).refused, "");
}

TEST_F(ClassicPools, TheAdaptiveAllocatorTakesWhatItNeedsAndShowsItsChoices) {
  {
    auto pool = must(soma::adaptive_allocator::create(device_, {.half_life = 100}));
    EXPECT_EQ(taken(), 0U);
    std::vector<void*> blocks;
    for (int count = 0; count < 30; ++count) {
      blocks.push_back(must(pool.allocate(1000)));
    }
    const auto choices = must(pool.choices());
    ASSERT_EQ(choices.size(), 2U);
    EXPECT_EQ(choices[0].kind, soma::tier_kind::fixed_size);
    EXPECT_EQ(choices[0].block_bytes, 1024U);
    EXPECT_GE(choices[0].demand, 29U);
    EXPECT_EQ(choices[1].kind, soma::tier_kind::variable_size);
    auto* const large = must(pool.allocate(20 << 20));
    EXPECT_GE(taken(), std::uint64_t{22} << 20);
    must(pool.free(large));
    for (auto* const block : blocks) {
      must(pool.free(block));
      EXPECT_TRUE(failed_with(pool.free(block), errc::unknown_address));
    }
    for (int count = 0; count < 2000; ++count) {
      must(pool.free(must(pool.allocate(64))));
    }
    EXPECT_LE(taken(), std::uint64_t{2} << 20) << "it was not needed for a while";
    EXPECT_EQ(must(pool.statistics()).reserved, taken());
    EXPECT_EQ(must(pool.kind()).resident, 0U) << "it was made with no memory";
  }
  EXPECT_EQ(taken(), 0U);
  EXPECT_TRUE(
      failed_with(soma::adaptive_allocator::create(device_, {.half_life = 1}), errc::invalid_argument));
}

TEST_F(ClassicPools, TheAdaptiveAllocatorRefusesWhatTheDeviceHasNot) {
  auto pool = must(soma::adaptive_allocator::create(device_));
  auto* const most = must(pool.allocate(memory - (4 << 20)));
  must(pool.allocate(1 << 20));
  const auto refused = pool.allocate(8 << 20);
  EXPECT_TRUE(failed_with(refused, errc::out_of_memory));
  EXPECT_THAT(refused.error().message, HasSubstr("and the device gives no more"));
  EXPECT_EQ(must(pool.statistics()).refusals, 1U);
  must(pool.free(most));
  must(pool.allocate(8 << 20));
}

TEST_F(ClassicPools, IdleRegionsMakeRoomForALargerOne) {
  auto pool = must(soma::adaptive_allocator::create(device_));
  must(pool.free(must(pool.allocate(memory / 2))));
  EXPECT_GE(taken(), memory / 2) << "kept for the next one";
  must(pool.allocate(memory - (2 << 20)));
}

TEST_F(ClassicPools, ThreadsShareAnAdaptiveAllocator) {
  {
    auto pool = must(soma::adaptive_allocator::create(device_, {.half_life = 64}));
    std::vector<std::thread> all;
    for (int number = 0; number < 4; ++number) {
      all.emplace_back([&pool, number] {
        for (std::size_t round = 0; round < 300; ++round) {
          const auto bytes = round % 50 == 0 ? std::size_t{3} << 20 : 64 * (round % 7 + 1);
          auto* const block = static_cast<unsigned char*>(must(pool.allocate(bytes)));
          block[bytes - 1] = static_cast<unsigned char>(number);
          ASSERT_EQ(block[bytes - 1], number);
          must(pool.free(block));
        }
      });
    }
    for (auto& one : all) {
      one.join();
    }
    const auto now = must(pool.statistics());
    EXPECT_EQ(now.allocations, 1200U);
    EXPECT_EQ(now.used, 0U);
    EXPECT_EQ(now.reserved, taken());
  }
  EXPECT_EQ(taken(), 0U);
}

}  // namespace
