// Limits, minimum blocks below a granule, and how idle neighbours are split and put together.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;

class PoolOptions : public cpp_fixture {};

class SmallBlocks : public cpp_fixture {
protected:
  /// A pool with blocks of 512 bytes.
  soma::pool small_pool(soma::reuse_switches reuse = {}, std::uint64_t limit = 0) {
    return make_pool({.limit = limit, .minimum_block = 512, .reuse = reuse, .release_threshold = keep_all});
  }

  /// As many blocks as this, each behind the one before.
  std::vector<void*> row(soma::pool& pool, std::size_t count, std::size_t bytes) {
    std::vector<void*> blocks(count);
    for (auto& block : blocks) {
      block = must(pool.malloc_async(bytes, s1_));
    }
    for (std::size_t i = 1; i < count; ++i) {
      EXPECT_EQ(blocks[i], advance(blocks[i - 1], bytes)) << "a new pool gives out the lowest address first";
    }
    return blocks;
  }

  static void free_all(soma::pool& pool, const std::vector<void*>& blocks, soma::stream& on) {
    for (void* block : blocks) {
      EXPECT_TRUE(succeeded(pool.free_async(block, on)));
    }
  }
};

class TwoGranules : public cpp_fixture {
protected:
  TwoGranules() : cpp_fixture(soma::runtime_options{.device_memory = 4_M}) {}
};

class Largest : public cpp_fixture {
protected:
  Largest() : cpp_fixture(soma::runtime_options{.device_memory = 64_M}) {}

  /// What largest_available names can be had, and one minimum block more cannot.
  static void check(soma::pool& pool, soma::stream& stream, std::uint64_t minimum_block) {
    const auto largest = must(pool.largest_available(stream));
    EXPECT_TRUE(failed_with(pool.malloc_async(largest + minimum_block, stream), errc::out_of_memory));
    EXPECT_EQ(must(pool.largest_available(stream)), largest) << "a refusal changes nothing";
    if (largest > 0) {
      const auto block = pool.malloc_async(largest, stream);
      ASSERT_TRUE(succeeded(block));
      EXPECT_TRUE(succeeded(pool.free_async(*block, stream)));
    }
  }
};

TEST_F(PoolOptions, AreChecked) {
  const auto total = must(device_.memory()).total;
  EXPECT_TRUE(failed_with(device_.create_pool({.limit = total + 1}), errc::invalid_argument));
  EXPECT_TRUE(succeeded(device_.create_pool({.limit = total})));
  for (const std::uint64_t bytes : {0U, 1U, 256U, 513U, 768U, 4194304U}) {
    EXPECT_TRUE(failed_with(device_.create_pool({.minimum_block = bytes}), errc::invalid_argument)) << bytes;
  }
  for (std::uint64_t bytes = 512; bytes <= soma::granule_bytes; bytes *= 2) {
    EXPECT_TRUE(succeeded(device_.create_pool({.minimum_block = bytes}))) << bytes;
  }
}

TEST_F(TwoGranules, S26_LimitAgainstTheDevice) {
  auto pool = make_pool({.limit = soma::granule_bytes - 1});
  EXPECT_EQ(must(pool.statistics()).limit, soma::granule_bytes);
  void* block = must(pool.malloc_async(2_M, s1_));
  EXPECT_TRUE(failed_with(pool.malloc_async(1, s1_), errc::out_of_memory));
  EXPECT_TRUE(succeeded(pool.free_async(block, s1_)));
  EXPECT_TRUE(failed_with(device_.create_pool({.limit = 3 * soma::granule_bytes}), errc::invalid_argument));
  EXPECT_EQ(must(make_pool({}).statistics()).limit, 4_M);
}

TEST_F(TwoGranules, TheDeviceIsTheLimitOfAllPoolsTogether) {
  auto first = make_pool({});
  auto second = make_pool({});
  void* block = must(first.malloc_async(4_M, s1_));
  EXPECT_TRUE(failed_with(second.malloc_async(2_M, s1_), errc::out_of_memory));
  EXPECT_TRUE(failed_with(device_.malloc(2_M), errc::out_of_memory));
  EXPECT_TRUE(succeeded(first.free_async(block, s1_)));
  EXPECT_TRUE(succeeded(settle(s1_)));
  void* other = must(second.malloc_async(4_M, s1_));
  EXPECT_TRUE(succeeded(second.free_async(other, s1_)));
}

TEST_F(PoolOptions, S15_HugeSizes) {
  auto pool = make_pool({});
  const auto largest = ~std::size_t{0};
  EXPECT_TRUE(failed_with(pool.malloc_async(largest, s1_), errc::invalid_argument));
  EXPECT_TRUE(failed_with(pool.malloc_async(largest - 2_M + 1, s1_), errc::out_of_memory));
  EXPECT_TRUE(failed_with(pool.malloc_async(std::size_t{1} << 63, s1_), errc::out_of_memory));
  EXPECT_TRUE(failed_with(pool.malloc_async(0, s1_), errc::invalid_argument));
  EXPECT_EQ(must(pool.statistics()).used_high, 0U);
}

TEST_F(SmallBlocks, AreRoundedAlignedAndApart) {
  auto pool = small_pool();
  std::vector<void*> blocks;
  for (std::size_t bytes = 1; bytes <= 2048; bytes += 89) {
    void* block = must(pool.malloc_async(bytes, s1_));
    EXPECT_EQ((number(block) - number(pool.base())) % 512, 0U);
    EXPECT_EQ(must(pool.block(block)).bytes, (bytes + 511) / 512 * 512);
    for (void* other : blocks) {
      EXPECT_TRUE(apart(block, bytes, other, must(pool.block(other)).bytes));
    }
    blocks.push_back(block);
  }
  EXPECT_EQ(must(pool.statistics()).reserved, 2_M) << "all fit into one granule";
  free_all(pool, blocks, s1_);
}

TEST_F(SmallBlocks, NeighboursKeepTheirData) {
  auto pool = small_pool();
  const auto blocks = row(pool, 20, 512);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    must(s1_.fill(blocks[i], static_cast<std::uint8_t>(i + 1), 512));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_TRUE(holds(s1_, blocks[i], 512, static_cast<std::uint8_t>(i + 1)));
  }
  free_all(pool, blocks, s1_);
}

TEST_F(SmallBlocks, ALargeIdleBlockIsSplit) {
  auto pool = small_pool();
  void* large = must(pool.malloc_async(8192, s1_));
  gate held;
  hold(s1_, held);
  must(pool.free_async(large, s1_));
  std::vector<void*> parts;
  for (int i = 0; i < 16; ++i) {
    parts.push_back(must(pool.malloc_async(512, s1_)));
    EXPECT_TRUE(inside(parts.back(), 512, large, 8192));
  }
  std::sort(parts.begin(), parts.end());
  EXPECT_EQ(std::adjacent_find(parts.begin(), parts.end()), parts.end());
  EXPECT_EQ(must(pool.statistics()).backing_requests, 1U);
  free_all(pool, parts, s1_);
}

// Rounding up to the minimum block does not wrap here, rounding up to a granule would.
TEST_F(SmallBlocks, ARequestOfAlmostAllThatANumberCanHold) {
  constexpr auto most = ~std::size_t{0};
  EXPECT_TRUE(failed_with(device_.malloc(most - 511), errc::out_of_memory));
  EXPECT_TRUE(failed_with(device_.malloc_host(most - 511), errc::out_of_memory));
  auto pool = small_pool({}, soma::granule_bytes);
  EXPECT_TRUE(failed_with(pool.malloc_async(most - 511, s1_), errc::out_of_memory));
  void* block = must(pool.malloc_async(512, s1_));
  free_all(pool, {block}, s1_);
}

// Neighbours that were freed at different positions of one stream serve one larger request.
TEST_F(SmallBlocks, ASpanOfNeighboursFreedOneByOne) {
  auto pool = small_pool();
  const auto blocks = row(pool, 6, 1024);
  gate held;
  hold(s1_, held);
  for (const std::size_t i : {3U, 1U, 4U, 2U}) {
    call(s1_, witness());
    must(pool.free_async(blocks[i], s1_));
  }
  void* span = must(pool.malloc_async(4096, s1_));
  EXPECT_EQ(span, blocks[1]);
  free_all(pool, {span, blocks[0], blocks[5]}, s1_);
}

// A span may not take in a neighbour that the taker is not ordered behind.
TEST_F(SmallBlocks, ASpanEndsWhereTheOrderEnds) {
  auto pool = small_pool({.event = true}, soma::granule_bytes);
  const auto blocks = row(pool, 4, 1024);
  void* all_else = must(pool.malloc_async(soma::granule_bytes - 4096, s1_));
  gate held;
  hold(s1_, held);
  must(pool.free_async(blocks[0], s1_));
  must(pool.free_async(blocks[1], s1_));
  order(s1_, s2_);
  must(pool.free_async(blocks[2], s1_));
  EXPECT_EQ(must(pool.largest_available(s2_)), 2048U);
  EXPECT_TRUE(failed_with(pool.malloc_async(3072, s2_), errc::out_of_memory));
  void* span = must(pool.malloc_async(2048, s2_));
  EXPECT_EQ(span, blocks[0]);
  free_all(pool, {span}, s2_);
  free_all(pool, {blocks[3], all_else}, s1_);
}

// Neighbours freed on different streams, once the host has seen both frees.
TEST_F(SmallBlocks, ASpanOfTwoStreams) {
  auto pool = small_pool();
  const auto blocks = row(pool, 3, 1024);
  order(s1_, s2_);
  must(pool.free_async(blocks[0], s1_));
  must(pool.free_async(blocks[1], s2_));
  void* before = must(pool.malloc_async(2048, s3_));
  EXPECT_NE(before, blocks[0]);
  must(settle(s1_));
  must(settle(s2_));
  void* after = must(pool.malloc_async(2048, s3_));
  EXPECT_EQ(after, blocks[0]);
  free_all(pool, {before, after}, s3_);
  free_all(pool, {blocks[2]}, s1_);
}

TEST_F(SmallBlocks, AllComesBackAfterTheLastFree) {
  auto pool = small_pool();
  const auto blocks = row(pool, 1000, 1536);
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    must(pool.free_async(blocks[i], s1_));
  }
  for (std::size_t i = 1; i < blocks.size(); i += 2) {
    must(pool.free_async(blocks[i], s1_));
  }
  must(settle(s1_));
  EXPECT_EQ(must(pool.statistics()).idle, 2_M);
  must(pool.trim_to(0));
  EXPECT_EQ(must(pool.statistics()).reserved, 0U);
}

// A granule in which something is live stays.
TEST_F(SmallBlocks, OneSmallBlockKeepsItsGranule) {
  auto pool = small_pool();
  const auto blocks = row(pool, 3, 512);
  free_all(pool, {blocks[0], blocks[2]}, s1_);
  must(settle(s1_));
  must(pool.trim_to(0));
  const auto statistics = must(pool.statistics());
  EXPECT_EQ(statistics.used, 512U);
  EXPECT_EQ(statistics.reserved, 2_M);
  EXPECT_EQ(statistics.idle, 2_M - 512);
  free_all(pool, {blocks[1]}, s1_);
}

TEST_F(Largest, OfANewPool) {
  auto pool = make_pool({.limit = 16_M});
  EXPECT_EQ(must(pool.largest_available(s1_)), 16_M);
  check(pool, s1_, 2_M);
  auto small = make_pool({.limit = 16_M, .minimum_block = 512});
  EXPECT_EQ(must(small.largest_available(s1_)), 16_M);
  check(small, s1_, 512);
}

TEST_F(Largest, IsBoundByTheDevice) {
  void* plain = must(device_.malloc(48_M));
  auto pool = make_pool({});
  EXPECT_EQ(must(pool.largest_available(s1_)), 16_M);
  check(pool, s1_, 2_M);
  must(device_.free(plain));
}

TEST_F(Largest, OfAFullPool) {
  auto pool = make_pool({.limit = 4_M});
  void* block = must(pool.malloc_async(4_M, s1_));
  EXPECT_EQ(must(pool.largest_available(s1_)), 0U);
  check(pool, s1_, 2_M);
  must(pool.free_async(block, s1_));
}

TEST_F(Largest, IsEachStreamsOwn) {
  for (const std::uint64_t minimum_block : {std::uint64_t{512}, soma::granule_bytes}) {
    auto pool = make_pool({.limit = 32_M, .minimum_block = minimum_block, .release_threshold = keep_all});
    std::array<void*, 6> blocks{};
    for (auto& block : blocks) {
      block = must(pool.malloc_async(4_M, s1_));
    }
    gate held;
    hold(s1_, held);
    for (const std::size_t i : {1U, 2U, 4U}) {
      must(pool.free_async(blocks[i], s1_));
    }
    EXPECT_EQ(must(pool.largest_available(s2_)), 8_M) << "the memory that was never used";
    EXPECT_GE(must(pool.largest_available(s1_)), 8_M);
    check(pool, s2_, minimum_block);
    must(settle(s2_));
    check(pool, s1_, minimum_block);
    for (const std::size_t i : {0U, 3U, 5U}) {
      must(pool.free_async(blocks[i], s1_));
    }
  }
}

}  // namespace
