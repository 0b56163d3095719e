// A pool's figures, attributes and switches, how allocations are counted, and the text of a refusal.

#include <cstdint>
#include <string>

#include <gmock/gmock.h>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;
using soma::pool_attribute;
using testing::AllOf;
using testing::HasSubstr;

class Statistics : public cpp_fixture {
protected:
  static soma::served_counts served(const soma::pool& pool) { return must(pool.statistics()).served; }

  static std::uint64_t get(const soma::pool& pool, pool_attribute attribute) {
    return must(pool.get(attribute));
  }
};

TEST_F(Statistics, OfANewPool) {
  const auto pool = make_pool({.limit = 16_M});
  const auto statistics = must(pool.statistics());
  EXPECT_EQ(statistics.limit, 16_M);
  for (const auto value :
       {statistics.reserved, statistics.reserved_high, statistics.used, statistics.used_high, statistics.idle,
        statistics.requested, statistics.requested_high, statistics.live_blocks, statistics.backing_requests,
        statistics.backing_returns, statistics.served.new_memory}) {
    EXPECT_EQ(value, 0U);
  }
  for (const auto attribute :
       {pool_attribute::reuse_event, pool_attribute::reuse_opportunistic, pool_attribute::reuse_internal,
        pool_attribute::release_threshold, pool_attribute::reserved, pool_attribute::reserved_high,
        pool_attribute::used, pool_attribute::used_high}) {
    EXPECT_EQ(get(pool, attribute), 0U);
  }
}

TEST_F(Statistics, OverALife) {
  auto pool = make_pool({.minimum_block = 512, .release_threshold = keep_all});
  void* first = must(pool.malloc_async(1000, s1_));
  void* second = must(pool.malloc_async(3_M, s1_));
  auto statistics = must(pool.statistics());
  EXPECT_EQ(statistics.used, 1024 + 3_M);
  EXPECT_EQ(statistics.requested, 1000 + 3_M);
  EXPECT_EQ(statistics.live_blocks, 2U);
  EXPECT_EQ(statistics.reserved, 4_M);
  EXPECT_EQ(statistics.reserved, statistics.used + statistics.idle);
  must(pool.free_async(second, s1_));
  statistics = must(pool.statistics());
  EXPECT_EQ(statistics.used, 1024U);
  EXPECT_EQ(statistics.requested, 1000U);
  EXPECT_EQ(statistics.live_blocks, 1U);
  EXPECT_EQ(statistics.idle, 4_M - 1024);
  EXPECT_EQ(statistics.used_high, 1024 + 3_M);
  EXPECT_EQ(statistics.requested_high, 1000 + 3_M);
  EXPECT_EQ(statistics.backing_requested_bytes - statistics.backing_returned_bytes, statistics.reserved);
  must(pool.free_async(first, s1_));
  EXPECT_EQ(must(pool.statistics()).live_blocks, 0U);
}

TEST_F(Statistics, EachWayOfServingIsCounted) {
  auto pool = make_pool({.limit = 8_M, .release_threshold = keep_all});
  const auto take_and_free = [&](soma::stream& on) {
    must(pool.free_async(must(pool.malloc_async(8_M, on)), on));
  };
  take_and_free(s1_);
  EXPECT_EQ(served(pool).new_memory, 1U);
  take_and_free(s1_);
  EXPECT_EQ(served(pool).same_stream, 1U);
  must(pool.set_reuse({.event = true}));
  gate held;
  hold(s1_, held);
  take_and_free(s1_);
  order(s1_, s2_);
  take_and_free(s2_);
  EXPECT_EQ(served(pool).event, 1U);
  must(pool.set_reuse({.internal = true}));
  take_and_free(s3_);
  EXPECT_EQ(served(pool).internal, 1U);
  held.open();
  const witness passed;
  call(s3_, passed);
  ASSERT_TRUE(passed.wait_until_ran());
  must(pool.set_reuse({.opportunistic = true}));
  take_and_free(s1_);
  const auto counts = served(pool);
  EXPECT_EQ(counts.new_memory, 1U);
  EXPECT_EQ(counts.same_stream, 2U);
  EXPECT_EQ(counts.event, 1U);
  EXPECT_EQ(counts.internal, 1U);
  EXPECT_EQ(counts.opportunistic, 1U);
  EXPECT_EQ(must(pool.statistics()).backing_requests, 1U);
}

TEST_F(Statistics, SeenByTheHostCountsAsEvent) {
  auto pool = make_pool({.limit = 8_M, .release_threshold = keep_all});
  must(pool.free_async(must(pool.malloc_async(8_M, s1_)), s1_));
  must(settle(s1_));
  must(pool.free_async(must(pool.malloc_async(8_M, s2_)), s2_));
  EXPECT_EQ(served(pool).event, 1U);
}

TEST_F(Statistics, AttributesThatCanBeWritten) {
  auto pool = make_pool({});
  for (const auto attribute :
       {pool_attribute::reuse_event, pool_attribute::reuse_opportunistic, pool_attribute::reuse_internal}) {
    must(pool.set(attribute, 5));
    EXPECT_EQ(get(pool, attribute), 1U);
    must(pool.set(attribute, 0));
    EXPECT_EQ(get(pool, attribute), 0U);
  }
  must(pool.set(pool_attribute::release_threshold, keep_all));
  EXPECT_EQ(get(pool, pool_attribute::release_threshold), keep_all);
  for (const auto attribute : {pool_attribute::reserved_high, pool_attribute::used_high}) {
    EXPECT_TRUE(failed_with(pool.set(attribute, 1), errc::invalid_argument));
    EXPECT_TRUE(succeeded(pool.set(attribute, 0)));
  }
  for (const auto attribute : {pool_attribute::reserved, pool_attribute::used}) {
    EXPECT_TRUE(failed_with(pool.set(attribute, 0), errc::invalid_argument));
  }
}

TEST_F(Statistics, SwitchesTogether) {
  auto pool = make_pool({.reuse = {.event = true, .internal = true}});
  EXPECT_EQ(get(pool, pool_attribute::reuse_event), 1U);
  EXPECT_EQ(get(pool, pool_attribute::reuse_opportunistic), 0U);
  EXPECT_EQ(get(pool, pool_attribute::reuse_internal), 1U);
  must(pool.set_reuse({.opportunistic = true}));
  EXPECT_EQ(get(pool, pool_attribute::reuse_event), 0U);
  EXPECT_EQ(get(pool, pool_attribute::reuse_opportunistic), 1U);
  EXPECT_EQ(get(pool, pool_attribute::reuse_internal), 0U);
}

TEST_F(Statistics, D03_HighMarksAfterReset) {
  auto pool = make_pool({.release_threshold = keep_all});
  void* block = must(pool.malloc_async(2_M, s1_));
  must(pool.free_async(must(pool.malloc_async(8_M, s1_)), s1_));
  must(pool.set(pool_attribute::used_high, 0));
  must(pool.set(pool_attribute::reserved_high, 0));
  EXPECT_EQ(get(pool, pool_attribute::used_high), 0U);
  EXPECT_EQ(get(pool, pool_attribute::reserved_high), 0U);
  void* next = must(pool.malloc_async(4_M, s1_));
  EXPECT_EQ(get(pool, pool_attribute::used_high), 6_M);
  EXPECT_EQ(get(pool, pool_attribute::reserved_high), 10_M);
  must(pool.free_async(block, s1_));
  must(pool.free_async(next, s1_));
}

TEST_F(Statistics, D05_TrimAboveTheLimit) {
  auto pool = make_pool({.limit = 8_M});
  EXPECT_TRUE(succeeded(pool.trim_to(8_M)));
  EXPECT_TRUE(failed_with(pool.trim_to(8_M + 1), errc::invalid_argument));
}

// B89: each address goes to its own block; the end of one is the start of the next.
TEST_F(Statistics, B89_AdjacentBlocks) {
  auto pool = make_pool({.release_threshold = keep_all});
  void* low = must(pool.malloc_async(4_M, s1_));
  void* high = must(pool.malloc_async(4_M, s1_));
  ASSERT_EQ(high, advance(low, 4_M));
  EXPECT_EQ(must(pool.block(high)).address, high);
  EXPECT_TRUE(failed_with(pool.block(advance(low, 4_M - 1)), errc::unknown_address));
  EXPECT_TRUE(failed_with(pool.free_async(advance(low, 4_M - 1), s1_), errc::unknown_address));
  must(pool.free_async(high, s1_));
  EXPECT_TRUE(failed_with(pool.block(high), errc::unknown_address));
  EXPECT_TRUE(failed_with(pool.free_async(high, s1_), errc::unknown_address));
  EXPECT_EQ(must(pool.block(low)).address, low);
  must(pool.free_async(low, s1_));
  EXPECT_EQ(must(pool.statistics()).used, 0U);
}

TEST_F(Statistics, D17_AddressesThatNobodyGaveOut) {
  auto pool = make_pool({});
  auto other = make_pool({});
  void* block = must(other.malloc_async(4_M, s1_));
  int own = 0;
  EXPECT_TRUE(failed_with(pool.free_async(nullptr, s1_), errc::invalid_argument));
  EXPECT_TRUE(failed_with(pool.free_async(&own, s1_), errc::unknown_address));
  EXPECT_TRUE(failed_with(pool.free_async(pool.base(), s1_), errc::unknown_address));
  EXPECT_TRUE(failed_with(pool.free_async(block, s1_), errc::invalid_argument)) << "a block of another pool";
  EXPECT_TRUE(failed_with(device_.free_async(&own, s1_), errc::unknown_address));
  EXPECT_TRUE(failed_with(device_.free_async(advance(block, 2_M), s1_), errc::unknown_address));
  // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the device's free is not the one of the C library
  EXPECT_TRUE(failed_with(device_.free(&own), errc::unknown_address));
  EXPECT_EQ(must(other.statistics()).used, 4_M);
  EXPECT_TRUE(succeeded(device_.free_async(block, s1_)));
  EXPECT_EQ(must(other.statistics()).used, 0U);
}

TEST_F(Statistics, D13_ADestroyedPoolsBlocks) {
  auto pool = make_pool({.release_threshold = keep_all});
  void* first = must(pool.malloc_async(4_M, s1_));
  void* second = must(pool.malloc_async(2_M, s1_));
  must(pool.destroy());
  must(s1_.fill(first, 9, 4_M));
  EXPECT_TRUE(holds(s1_, first, 4_M, 9));
  EXPECT_TRUE(succeeded(device_.free_async(first, s1_)));
  EXPECT_TRUE(failed_with(device_.free_async(first, s1_), errc::unknown_address));
  EXPECT_TRUE(succeeded(device_.free(second)));
  must(settle(s1_));
  EXPECT_TRUE(unused());
}

TEST_F(Statistics, D20_TheTextOfARefusal) {
  auto pool = make_pool({.limit = 64_M, .release_threshold = keep_all});
  void* live = must(pool.malloc_async(16_M, s1_));
  void* pending = must(pool.malloc_async(48_M, s1_));
  gate held;
  hold(s1_, held);
  must(pool.free_async(pending, s1_));
  const auto refused = pool.malloc_async(32_M, s2_);
  ASSERT_TRUE(failed_with(refused, errc::out_of_memory));
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("wanted"), HasSubstr("used"), HasSubstr("idle"), HasSubstr("limit"),
                    HasSubstr("largest"), HasSubstr("stream"), HasSubstr(std::to_string(s1_.id()))));
  const auto statistics = must(pool.statistics());
  EXPECT_EQ(statistics.used, 16_M);
  EXPECT_EQ(statistics.used_high, 64_M);
  EXPECT_EQ(statistics.requested, 16_M);
  EXPECT_EQ(statistics.live_blocks, 1U);
  EXPECT_EQ(statistics.backing_requests, 2U);
  must(pool.free_async(live, s1_));
}

}  // namespace
