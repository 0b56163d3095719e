// The pools without stream order: what each promises, and each against a list of live blocks in random
// programs.

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/buffer_reuser.hpp"
#include "memory/tiered_pool.hpp"

namespace {

using namespace soma::memory;
using testing::HasSubstr;

constexpr address base{0x10000};

address at(std::uint64_t offset) { return base + offset; }

fault_code code_of(const result<range>& failed) { return failed.error().code; }

// -- fixed size ---------------------------------------------------------------------------------------------

TEST(FixedSizePool, GivesOutAsManyBlocksAsFit) {
  fixed_size_pool pool({base, 1000}, 300);
  EXPECT_EQ(pool.block_count(), 3U);
  EXPECT_EQ(pool.allocate(300), (range{at(0), 300}));
  EXPECT_EQ(pool.allocate(1), (range{at(300), 300}));
  EXPECT_EQ(pool.allocate(2), (range{at(600), 300}));
  const auto full = pool.allocate(1);
  EXPECT_EQ(code_of(full), fault_code::out_of_memory);
  EXPECT_THAT(full.error().text, HasSubstr("all of its 3 blocks of 300 bytes are live"));
  const auto now = pool.figures();
  EXPECT_EQ(now.reserved, 900U);
  EXPECT_EQ(now.used, 900U);
  EXPECT_EQ(now.requested, 303U);
  EXPECT_EQ(now.largest_free, 0U);
  EXPECT_EQ(now.refusals, 1U);
}

TEST(FixedSizePool, TheBlockFreedLastIsGivenOutFirst) {
  fixed_size_pool pool({base, 1000}, 100);
  for (int count = 0; count < 3; ++count) {
    ASSERT_TRUE(pool.allocate(100));
  }
  ASSERT_TRUE(pool.free(at(0)));
  ASSERT_TRUE(pool.free(at(200)));
  EXPECT_EQ(pool.allocate(5)->begin, at(200));
  EXPECT_EQ(pool.allocate(5)->begin, at(0));
  EXPECT_EQ(pool.allocate(5)->begin, at(300)) << "one that was never used";
  EXPECT_EQ(pool.figures().reused, 2U);
}

TEST(FixedSizePool, RefusesWhatIsNoLiveBlock) {
  fixed_size_pool pool({base, 1000}, 100);
  ASSERT_TRUE(pool.allocate(100));
  for (const auto wrong : {at(1), at(100), at(1000), address{1}, address::null}) {
    const auto freed = pool.free(wrong);
    ASSERT_FALSE(freed);
    EXPECT_EQ(freed.error().code, fault_code::unknown_address);
  }
  EXPECT_TRUE(pool.free(at(0)));
  EXPECT_FALSE(pool.free(at(0))) << "a second free";
  EXPECT_EQ(pool.figures().frees, 1U);
  EXPECT_EQ(pool.figures().live_blocks, 0U);
}

TEST(FixedSizePool, RefusesOtherSizes) {
  fixed_size_pool pool({base, 1000}, 100);
  EXPECT_EQ(code_of(pool.allocate(0)), fault_code::invalid_argument);
  EXPECT_EQ(code_of(pool.allocate(101)), fault_code::invalid_argument);
  EXPECT_EQ(pool.figures().refusals, 2U);
  EXPECT_FALSE(pool.retain(at(0))) << "it counts no users";
}

// -- variable size ------------------------------------------------------------------------------------------

TEST(VariableSizePool, TakesTheSmallestPieceThatFitsAndSplitsIt) {
  variable_size_pool pool({base, 1000}, 10);
  const auto first = pool.allocate(300);
  const auto second = pool.allocate(95);
  const auto third = pool.allocate(100);
  ASSERT_TRUE(pool.allocate(100));
  EXPECT_EQ(second->bytes, 100U) << "rounded up to the unit";
  ASSERT_TRUE(pool.free(first->begin));
  ASSERT_TRUE(pool.free(third->begin));
  EXPECT_EQ(pool.allocate(40)->begin, third->begin);
  EXPECT_EQ(pool.allocate(60)->begin, third->begin + 40) << "what was left of the piece";
  EXPECT_EQ(pool.allocate(200)->begin, first->begin);
}

TEST(VariableSizePool, AFreedBlockMergesWithBothNeighbours) {
  variable_size_pool pool({base, 300}, 10);
  for (int count = 0; count < 3; ++count) {
    ASSERT_TRUE(pool.allocate(100));
  }
  ASSERT_TRUE(pool.free(at(0)));
  ASSERT_TRUE(pool.free(at(200)));
  EXPECT_EQ(pool.figures().largest_free, 100U);
  EXPECT_EQ(code_of(pool.allocate(200)), fault_code::out_of_memory) << "the two are no neighbours";
  ASSERT_TRUE(pool.free(at(100)));
  EXPECT_EQ(pool.figures().largest_free, 300U);
  EXPECT_EQ(pool.allocate(300)->begin, at(0));
}

TEST(VariableSizePool, ARefusalSaysWhatThereIs) {
  variable_size_pool pool({base, 1024}, 512);
  ASSERT_TRUE(pool.allocate(1));
  const auto refused = pool.allocate(1000);
  EXPECT_EQ(code_of(refused), fault_code::out_of_memory);
  EXPECT_THAT(refused.error().text, HasSubstr("used 512 bytes"));
  EXPECT_THAT(refused.error().text, HasSubstr("the largest free piece has 512 bytes"));
  for (const auto never : {std::uint64_t{0}, std::uint64_t{1025}, ~std::uint64_t{0}}) {
    EXPECT_EQ(code_of(pool.allocate(never)), fault_code::invalid_argument) << never;
  }
  EXPECT_FALSE(pool.free(at(512)));
  EXPECT_FALSE(pool.free(at(1)));
}

// -- tiers --------------------------------------------------------------------------------------------------

TEST(TieredPool, ARequestGoesToTheSmallestSizeThatFitsAndFallsThrough) {
  tiered_pool pool({base, 10'000}, {{.block_bytes = 100, .blocks = 2}, {.block_bytes = 500, .blocks = 1}},
                   50);
  EXPECT_EQ(pool.allocate(100)->begin, at(0));
  EXPECT_EQ(pool.allocate(101)->begin, at(200));
  EXPECT_EQ(pool.allocate(20)->begin, at(100));
  EXPECT_EQ(pool.allocate(20)->begin, at(700)) << "both tiers are full";
  EXPECT_EQ(pool.allocate(3000)->begin, at(750)) << "fits no tier";
  const auto tiers = pool.tiers();
  ASSERT_EQ(tiers.size(), 3U);
  EXPECT_EQ(tiers[0].fell_through, 1U);
  EXPECT_EQ(tiers[0].figures.allocations, 2U);
  EXPECT_EQ(tiers[1].fell_through, 0U);
  EXPECT_EQ(tiers[2].block_bytes, 0U);
  EXPECT_EQ(tiers[2].figures.live_blocks, 2U);
  const auto now = pool.figures();
  EXPECT_EQ(now.reserved, 10'000U);
  EXPECT_EQ(now.used, 2 * 100U + 500 + 50 + 3000);
  EXPECT_EQ(now.requested, 100U + 101 + 20 + 20 + 3000);
  for (const auto block : {at(0), at(100), at(200), at(700), at(750)}) {
    EXPECT_TRUE(pool.free(block));
    EXPECT_FALSE(pool.free(block));
  }
  EXPECT_EQ(pool.figures().used, 0U);
  EXPECT_EQ(pool.figures().requested, 0U);
}

TEST(TieredPool, RefusesWhatNoTierHas) {
  tiered_pool pool({base, 1000}, {{.block_bytes = 100, .blocks = 1}}, 50);
  EXPECT_EQ(code_of(pool.allocate(0)), fault_code::invalid_argument);
  EXPECT_EQ(code_of(pool.allocate(901)), fault_code::invalid_argument);
  ASSERT_TRUE(pool.allocate(900));
  EXPECT_EQ(code_of(pool.allocate(200)), fault_code::out_of_memory);
  EXPECT_FALSE(pool.free(address::null));
  EXPECT_EQ(pool.figures().refusals, 3U);
}

// -- buffers ------------------------------------------------------------------------------------------------

buffer_reuser reuser(std::uint64_t bytes) {
  return buffer_reuser(std::make_unique<variable_size_pool>(range{base, bytes}, 10));
}

TEST(BufferReuser, ABufferWithoutUsersGoesToARequestThatItIsLargeEnoughFor) {
  auto pool = reuser(1000);
  const auto small = pool.allocate(100)->begin;
  const auto large = pool.allocate(150)->begin;
  ASSERT_TRUE(pool.free(small));
  ASSERT_TRUE(pool.free(large));
  EXPECT_EQ(pool.allocate(120)->begin, large) << "the small one is too small";
  EXPECT_EQ(pool.allocate(80)->begin, small);
  EXPECT_EQ(pool.figures().reused, 2U);
  EXPECT_EQ(pool.figures().used, 250U);
  EXPECT_EQ(pool.figures().requested, 200U);
}

TEST(BufferReuser, ABufferIsNotWastedOnARequestOfLessThanHalf) {
  auto pool = reuser(1000);
  const auto large = pool.allocate(500)->begin;
  ASSERT_TRUE(pool.free(large));
  EXPECT_EQ(pool.allocate(200)->begin, at(500));
  EXPECT_EQ(pool.allocate(250)->begin, large);
}

TEST(BufferReuser, ABufferIsFreeWhenItsLastUserHasFreedIt) {
  auto pool = reuser(1000);
  const auto buffer = pool.allocate(100)->begin;
  ASSERT_TRUE(pool.retain(buffer));
  ASSERT_TRUE(pool.free(buffer));
  EXPECT_NE(pool.allocate(100)->begin, buffer) << "somebody still uses it";
  ASSERT_TRUE(pool.free(buffer));
  EXPECT_FALSE(pool.free(buffer));
  EXPECT_FALSE(pool.retain(buffer));
  EXPECT_EQ(pool.allocate(100)->begin, buffer);
}

TEST(BufferReuser, BuffersWithoutUsersMakeRoom) {
  auto pool = reuser(300);
  for (const auto offset : {0, 100, 200}) {
    ASSERT_EQ(pool.allocate(100)->begin, at(static_cast<std::uint64_t>(offset)));
  }
  ASSERT_TRUE(pool.free(at(0)));
  ASSERT_TRUE(pool.free(at(100)));
  EXPECT_EQ(pool.allocate(200), (range{at(0), 200})) << "two of them, merged";
  EXPECT_EQ(code_of(pool.allocate(200)), fault_code::out_of_memory);
}

// -- all of them --------------------------------------------------------------------------------------------

// Random allocations and frees: no two live blocks overlap, all lie in the memory, the figures are the sums,
// and a refused request changes nothing.
void run_program(classic_pool& pool, std::uint64_t most_bytes, unsigned seed) {
  std::mt19937_64 random(seed);
  std::map<address, range> live;
  std::map<address, std::uint64_t> asked;
  for (int step = 0; step < 3000; ++step) {
    if (random() % 2 == 0 && !live.empty()) {
      auto victim = live.begin();
      std::advance(victim, static_cast<std::ptrdiff_t>(random() % live.size()));
      ASSERT_FALSE(pool.free(victim->first + 1));
      ASSERT_TRUE(pool.free(victim->first));
      asked.erase(victim->first);
      live.erase(victim);
    } else {
      const auto bytes = random() % most_bytes + 1;
      const auto before = pool.figures();
      const auto block = pool.allocate(bytes);
      if (!block) {
        ASSERT_EQ(pool.figures().used, before.used);
        continue;
      }
      ASSERT_GE(block->bytes, bytes);
      ASSERT_TRUE(block->begin >= pool.memory().begin && block->end() <= pool.memory().end());
      const auto next = live.lower_bound(block->begin);
      ASSERT_TRUE(next == live.end() || next->first >= block->end());
      ASSERT_TRUE(next == live.begin() || std::prev(next)->second.end() <= block->begin);
      live.emplace(block->begin, *block);
      asked.emplace(block->begin, bytes);
    }
    const auto now = pool.figures();
    std::uint64_t used = 0;
    std::uint64_t requested = 0;
    for (const auto& [begin, block] : live) {
      used += block.bytes;
      requested += asked[begin];
    }
    ASSERT_EQ(now.used, used);
    ASSERT_EQ(now.requested, requested);
    ASSERT_EQ(now.live_blocks, live.size());
    ASSERT_EQ(now.allocations - now.frees, live.size());
  }
  for (const auto& [begin, block] : live) {
    ASSERT_TRUE(pool.free(begin));
  }
  EXPECT_EQ(pool.figures().used, 0U);
}

TEST(ClassicPools, KeepTheirPromisesInRandomPrograms) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    fixed_size_pool fixed({base, 40'000}, 700);
    run_program(fixed, 800, seed);
    variable_size_pool variable({base, 40'000}, 16);
    run_program(variable, 3000, seed);
    EXPECT_EQ(variable.figures().largest_free, 40'000U) << "all has merged";
    tiered_pool tiered({base, 40'000},
                       {{.block_bytes = 64, .blocks = 20}, {.block_bytes = 512, .blocks = 10}}, 16);
    run_program(tiered, 2000, seed);
    buffer_reuser reused(std::make_unique<variable_size_pool>(range{base, 40'000}, 16));
    run_program(reused, 2000, seed);
  }
}

}  // namespace
