// What pools ask of the operating system and give back: scenarios and faults whose result is the counters of
// backing requests. Unless a test says otherwise its pool has all switches off, as a default pool would have.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;

class Backing : public cpp_fixture {
protected:
  static std::uint64_t requests(const soma::pool& pool) { return must(pool.statistics()).backing_requests; }

  static std::uint64_t returns(const soma::pool& pool) { return must(pool.statistics()).backing_returns; }
};

class Device64M : public cpp_fixture {
protected:
  Device64M() : cpp_fixture(soma::runtime_options{.device_memory = 64_M}) {}
};

class Device256M : public cpp_fixture {
protected:
  Device256M() : cpp_fixture(soma::runtime_options{.device_memory = 256_M}) {}
};

TEST_F(Backing, S43_Split) {
  auto pool = make_pool({.release_threshold = keep_all});
  void* whole = must(pool.malloc_async(8_M, s1_));
  must(pool.free_async(whole, s1_));
  void* first = must(pool.malloc_async(4_M, s1_));
  void* second = must(pool.malloc_async(4_M, s1_));
  EXPECT_TRUE(inside(first, 4_M, whole, 8_M));
  EXPECT_TRUE(inside(second, 4_M, whole, 8_M));
  EXPECT_TRUE(apart(first, 4_M, second, 4_M));
  EXPECT_EQ(requests(pool), 1U);
  must(pool.free_async(first, s1_));
  must(pool.free_async(second, s1_));
}

TEST_F(Backing, S45_Coalesce) {
  auto pool = make_pool({.release_threshold = keep_all});
  std::array<void*, 3> blocks{};
  for (auto& block : blocks) {
    block = must(pool.malloc_async(4_M, s1_));
  }
  ASSERT_EQ(blocks[1], advance(blocks[0], 4_M));
  ASSERT_EQ(blocks[2], advance(blocks[1], 4_M));
  const auto before = requests(pool);
  for (const std::size_t i : {1U, 0U, 2U}) {
    must(pool.free_async(blocks[i], s1_));
  }
  void* whole = must(pool.malloc_async(12_M, s1_));
  EXPECT_EQ(whole, blocks[0]);
  EXPECT_EQ(requests(pool), before);
  must(pool.free_async(whole, s1_));
}

TEST_F(Backing, S50_RoundsOnOneStream) {
  auto pool = make_pool({.release_threshold = keep_all});
  for (std::uint8_t round = 0; round < 10; ++round) {
    void* block = must(pool.malloc_async(4_M, s1_));
    must(s1_.fill(block, round, 4_M));
    must(pool.free_async(block, s1_));
  }
  EXPECT_EQ(requests(pool), 1U);
}

TEST_F(Backing, S53_RoundsWithSynchronise) {
  auto pool = make_pool({.release_threshold = keep_all});
  for (std::uint8_t round = 0; round < 20; ++round) {
    std::array<void*, 3> blocks{};
    for (auto& block : blocks) {
      block = must(pool.malloc_async(8_M, s1_));
      must(s1_.fill(block, round, 4096));
    }
    for (void* block : blocks) {
      must(pool.free_async(block, s1_));
    }
    must(settle(s1_));
  }
  EXPECT_EQ(requests(pool), 3U);
  EXPECT_EQ(returns(pool), 0U);
}

TEST_F(Backing, B28_WithAndWithoutThreshold) {
  auto pool = make_pool({});
  const auto rounds = [&] {
    for (std::uint8_t round = 0; round < 100; ++round) {
      std::vector<std::uint8_t> copy(4096);
      void* block = must(pool.malloc_async(8_M, s1_));
      void* tail = advance(block, 8_M - copy.size());
      must(s1_.fill(tail, round, copy.size()));
      must(s1_.copy(copy.data(), tail, copy.size()));
      must(pool.free_async(block, s1_));
      must(settle(s1_));
      EXPECT_TRUE(all_bytes_are(copy.data(), copy.size(), round));
    }
  };
  rounds();
  EXPECT_EQ(requests(pool), 100U);
  EXPECT_EQ(returns(pool), 100U);
  must(pool.set(soma::pool_attribute::release_threshold, keep_all));
  rounds();
  EXPECT_EQ(requests(pool), 101U);
}

TEST_F(Backing, B30_TrimAFullPool) {
  auto pool = make_pool({.limit = 64_M, .release_threshold = keep_all});
  for (int i = 0; i < 100; ++i) {
    void* block = must(pool.malloc_async(64_M, s1_));
    must(pool.free_async(block, s1_));
    must(settle(s1_));
    must(pool.trim_to(0));
    EXPECT_EQ(must(pool.statistics()).reserved, 0U);
  }
}

TEST_F(Backing, B32_SizesThatAreRounded) {
  auto pool = make_pool({.release_threshold = keep_all});
  std::uint64_t requests_before = 0;
  for (const bool again : {false, true}) {
    std::array<void*, 16> blocks{};
    for (auto& block : blocks) {
      block = must(pool.malloc_async(2_M + 1, s1_));
    }
    const auto statistics = must(pool.statistics());
    EXPECT_EQ(statistics.used, 16 * 4_M);
    EXPECT_EQ(statistics.used_high, 16 * 4_M);
    EXPECT_EQ(statistics.requested, 16 * (2_M + 1));
    EXPECT_EQ(statistics.requested_high, 16 * (2_M + 1));
    if (again) {
      EXPECT_EQ(statistics.backing_requests, requests_before);
    }
    requests_before = statistics.backing_requests;
    for (void* block : blocks) {
      must(pool.free_async(block, s1_));
    }
    must(settle(s1_));
  }
}

TEST_F(Backing, B34_AReusedBlockHasItsOwnSizes) {
  auto pool = make_pool({.release_threshold = keep_all});
  void* first = must(pool.malloc_async(5_M, s1_));
  EXPECT_EQ(must(pool.block(first)).requested, 5_M);
  must(pool.free_async(first, s1_));
  EXPECT_TRUE(failed_with(pool.block(first), errc::unknown_address));
  void* second = must(pool.malloc_async(4_M + 1, s1_));
  EXPECT_EQ(second, first);
  const auto info = must(pool.block(second));
  EXPECT_EQ(info.address, second);
  EXPECT_EQ(info.bytes, 6_M);
  EXPECT_EQ(info.requested, 4_M + 1);
  must(pool.free_async(second, s1_));
}

TEST_F(Device256M, B38_CachedPiecesAreGivenBack) {
  auto pool = make_pool({.release_threshold = keep_all});
  for (std::size_t bytes = 2_M; bytes <= 32_M; bytes *= 2) {
    void* block = must(pool.malloc_async(bytes, s1_));
    must(pool.free_async(block, s1_));
  }
  must(settle(s1_));
  const auto large = pool.malloc_async(224_M, s1_);
  ASSERT_TRUE(succeeded(large));
  EXPECT_LE(must(pool.statistics()).reserved, 256_M);
  must(pool.free_async(*large, s1_));
}

TEST_F(Backing, B40_TrimOfNothing) {
  auto pool = make_pool({.release_threshold = keep_all});
  must(pool.trim_to(0));
  must(pool.trim_to(0));
  EXPECT_EQ(returns(pool), 0U);
  void* block = must(pool.malloc_async(4_M, s1_));
  must(pool.free_async(block, s1_));
  must(settle(s1_));
  must(pool.trim_to(0));
  must(pool.trim_to(0));
  const auto statistics = must(pool.statistics());
  EXPECT_EQ(statistics.backing_returns, statistics.backing_requests);
  EXPECT_EQ(statistics.backing_returned_bytes, statistics.backing_requested_bytes);
  EXPECT_EQ(statistics.backing_returned_bytes, 4_M);
  EXPECT_TRUE(succeeded(pool.destroy()));
}

TEST_F(Device64M, B53_CachesOfOtherPoolsAreGivenBack) {
  auto first = make_pool({.release_threshold = keep_all});
  auto second = make_pool({.release_threshold = keep_all});
  const auto fill_the_cache = [&] {
    void* block = must(first.malloc_async(48_M, s1_));
    must(first.free_async(block, s1_));
    must(settle(s1_));
    EXPECT_EQ(must(first.statistics()).reserved, 48_M);
  };
  fill_the_cache();
  const auto plain = device_.malloc(32_M);
  ASSERT_TRUE(succeeded(plain));
  must(device_.free(*plain));
  fill_the_cache();
  const auto block = second.malloc_async(32_M, s2_);
  ASSERT_TRUE(succeeded(block));
  must(second.free_async(*block, s2_));
}

// What is not complete yet is not given back: others are refused.
TEST_F(Device64M, CachesWithPendingFreesStay) {
  auto first = make_pool({.release_threshold = keep_all});
  auto second = make_pool({});
  void* block = must(first.malloc_async(48_M, s1_));
  gate held;
  hold(s1_, held);
  must(first.free_async(block, s1_));
  EXPECT_TRUE(failed_with(second.malloc_async(32_M, s2_), errc::out_of_memory));
  EXPECT_TRUE(failed_with(device_.malloc(32_M), errc::out_of_memory));
  EXPECT_EQ(must(first.statistics()).reserved, 48_M);
}

TEST_F(Backing, B97_AChainWhileTheStreamIsHeld) {
  auto pool = make_pool({.release_threshold = keep_all});
  gate held;
  hold(s1_, held);
  std::vector<void*> blocks;
  int count = 0;
  for (std::uint8_t i = 0; i < 100; ++i) {
    blocks.push_back(must(pool.malloc_async(2_M, s1_)));
    must(s1_.fill(blocks.back(), i, 4096));
    must(s1_.call([&count] { ++count; }));
    must(pool.free_async(blocks.back(), s1_));
  }
  EXPECT_EQ(std::count(blocks.begin(), blocks.end(), blocks.front()), 100);
  held.open();
  must(settle(s1_));
  EXPECT_EQ(count, 100);
  EXPECT_EQ(requests(pool), 1U);
}

TEST_F(Backing, S67_AllIsReturnedWithThePool) {
  for (int round = 0; round < 100; ++round) {
    auto pool = make_pool({.limit = 64_M, .release_threshold = keep_all});
    void* first = must(pool.malloc_async(8_M, s1_));
    void* second = must(pool.malloc_async(4_M, s2_));
    must(pool.free_async(first, s1_));
    must(pool.free_async(second, s2_));
    must(settle(s1_));
    must(settle(s2_));
    must(pool.trim_to(0));
    const auto statistics = must(pool.statistics());
    EXPECT_EQ(statistics.backing_returned_bytes, statistics.backing_requested_bytes);
    EXPECT_TRUE(unused());
  }
}

}  // namespace
