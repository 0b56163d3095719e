// The plain pool's parts: first fit, no joining, kept chunks.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "memory/plain_pool.hpp"

namespace {

using namespace soma::memory;

constexpr auto chunk = plain_pool::chunk_bytes;

/// A pool that gets a chunk whenever it needs one, and whose chunks lie one behind the other.
class grown_pool {
public:
  address take(std::uint64_t bytes, bool read_only = false) {
    auto part = pool_.take(bytes, read_only);
    if (!part) {
      pool_.add_chunk(next_, read_only);
      next_ = next_ + chunk;
      part = pool_.take(bytes, read_only);
    }
    EXPECT_TRUE(part);
    return part.value_or(address::null);
  }

  std::vector<address> free(address part) {
    EXPECT_TRUE(pool_.begin_free(part));
    return pool_.end_free(part);
  }

  plain_pool& operator*() { return pool_; }
  plain_pool* operator->() { return &pool_; }

private:
  plain_pool pool_;
  address next_{chunk};
};

TEST(PlainPool, FillsAChunkBeforeTheNext) {
  grown_pool pool;
  for (int count = 0; count != 512; ++count) {
    EXPECT_EQ(pool.take(4096), address{chunk + 4096U * static_cast<unsigned>(count)});
  }
  EXPECT_EQ(pool->figures().chunks, 1U);
  EXPECT_EQ(pool->figures().used, chunk);
  pool.take(4096);
  EXPECT_EQ(pool->figures().chunks, 2U);
}

TEST(PlainPool, TakesNothingLargerThanAChunk) {
  EXPECT_EQ(plain_pool::part_bytes(0), std::nullopt);
  EXPECT_EQ(plain_pool::part_bytes(1), 64U);
  EXPECT_EQ(plain_pool::part_bytes(chunk), chunk);
  EXPECT_EQ(plain_pool::part_bytes(chunk + 1), std::nullopt);
  EXPECT_EQ(plain_pool::part_bytes(~std::uint64_t{0}), std::nullopt);
}

TEST(PlainPool, TakesTheFirstPartThatFitsAndJoinsNone) {
  grown_pool pool;
  const auto first = pool.take(1024);
  const auto second = pool.take(1024);
  pool.take(chunk - 2048);
  pool.free(second);
  pool.free(first);
  // The list is second, first: a part for 512 bytes comes from the second.
  EXPECT_EQ(pool.take(512), second);
  EXPECT_EQ(pool.take(512), second + 512);
  // First and second are neighbours, but 2048 bytes need a new chunk.
  pool.free(second);
  pool.free(second + 512);
  pool.take(2048);
  EXPECT_EQ(pool->figures().chunks, 2U);
  EXPECT_EQ(pool.take(1024), first);
}

TEST(PlainPool, KeepsReadOnlyMemoryApart) {
  grown_pool pool;
  pool.take(64, true);
  pool.take(64, false);
  EXPECT_EQ(pool->figures().chunks, 2U);
  pool.take(64, true);
  pool.take(64, false);
  EXPECT_EQ(pool->figures().chunks, 2U);
}

TEST(PlainPool, KeepsFiveFreeChunks) {
  grown_pool pool;
  std::vector<address> parts;
  for (int count = 0; count != 12; ++count) {
    parts.push_back(pool.take(chunk));
  }
  EXPECT_EQ(pool->figures().chunks, 12U);
  for (int count = 0; count != 5; ++count) {
    EXPECT_TRUE(pool.free(parts[static_cast<std::size_t>(count)]).empty());
  }
  EXPECT_EQ(pool->figures().chunks, 12U);
  EXPECT_EQ(pool.free(parts[5]), std::vector<address>{parts[0]}) << "the surplus, from the front";
  EXPECT_EQ(pool->figures().chunks, 11U);
  EXPECT_EQ(pool->figures().free_chunks, 5U);
  EXPECT_EQ(pool->figures().released, 1U);
}

TEST(PlainPool, FreesOnce) {
  grown_pool pool;
  const auto part = pool.take(100);
  EXPECT_FALSE(pool->begin_free(part + 64));
  EXPECT_TRUE(pool->begin_free(part));
  EXPECT_FALSE(pool->begin_free(part)) << "a free has begun";
  EXPECT_EQ(pool->figures().used, 128U) << "it is memory until the free ends";
  pool->end_free(part);
  EXPECT_EQ(pool->figures().used, 0U);
  EXPECT_FALSE(pool->begin_free(part));
  EXPECT_TRUE(pool->end_free(part).empty());
}

TEST(PlainPool, FindsThePartAroundAnAddress) {
  grown_pool pool;
  const auto part = pool.take(100);
  const auto found = pool->find(part + 99);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->where, (range{part, 128}));
  EXPECT_EQ(found->requested, 100U);
  EXPECT_FALSE(pool->find(part + 128));
  EXPECT_FALSE(pool->find(address{1}));
}

}  // namespace
