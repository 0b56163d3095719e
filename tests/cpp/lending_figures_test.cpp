// Blocks that a stream gives out again by itself: giving memory back, figures, and many blocks.

#include <cstdint>
#include <vector>

#include "support/lending_fixture.hpp"

namespace {

using soma::errc;
using soma::pool_attribute;
using namespace support;

class LendingFigures : public lending_fixture {};

// -- giving memory back -------------------------------------------------------------------------------------

TEST_F(LendingFigures, IsTrimmed) {
  free(malloc(granule_bytes, s1_), s1_);
  must(pool_.trim_to(0));
  EXPECT_EQ(now().reserved, 0U);
}

TEST_F(LendingFigures, IsTrimmedAsFarAsItIsExecuted) {
  auto* first = malloc(granule_bytes, s1_);
  auto* second = malloc(granule_bytes, s1_);
  free(first, s1_);
  free(second, s1_);
  malloc(granule_bytes, s1_);
  malloc(granule_bytes, s1_);
  free(second, s1_);
  const gate closed;
  hold(s1_, closed);
  free(first, s1_);
  must(pool_.trim_to(0));
  EXPECT_EQ(now().reserved, granule_bytes);
  closed.open();
  const witness done(closed);
  call(s1_, done);
  ASSERT_TRUE(done.wait_until_ran());
  must(pool_.trim_to(0));
  EXPECT_EQ(now().reserved, 0U);
}

TEST_F(LendingFigures, IsReleasedAtASynchronize) {
  must(pool_.set(pool_attribute::release_threshold, 0));
  free(malloc(granule_bytes, s1_), s1_);
  must(settle(s1_));
  EXPECT_EQ(now().reserved, 0U);
}

// What another stream has is idle, too, and counts against the threshold.
TEST_F(LendingFigures, CountsAgainstTheThreshold) {
  must(pool_.set(pool_attribute::release_threshold, granule_bytes));
  auto* lent = malloc(granule_bytes, s1_);
  auto* seen = malloc(granule_bytes, s2_);
  free(lent, s1_);
  free(seen, s2_);
  must(settle(s2_));
  EXPECT_EQ(now().reserved, granule_bytes);
}

TEST_F(LendingFigures, GoesWithADestroyedPool) {
  auto* lent = malloc(granule_bytes, s1_);
  auto* live = malloc(granule_bytes, s1_);
  free(lent, s1_);
  free(live, s1_);
  ASSERT_EQ(malloc(granule_bytes, s1_), live);
  must(pool_.destroy());
  EXPECT_TRUE(failed_with(pool_.malloc_async(granule_bytes, s1_), errc::invalid_handle));
  const auto total = must(device_.memory()).total;
  EXPECT_TRUE(eventually([&] { return must(device_.memory()).free == total - granule_bytes; }));
  must(device_.free_async(live, s1_));
  live_.erase(live);
  EXPECT_TRUE(eventually([&] { return unused(); }));
  pool_ = make_pool(small_blocks());
}

TEST_F(LendingFigures, IsReturnedByAStreamThatIsDestroyed) {
  auto* block = malloc(granule_bytes, s1_);
  free(block, s1_);
  ASSERT_EQ(malloc(granule_bytes, s1_), block);
  free(block, s1_);
  must(s1_.destroy());
  must(device_.synchronize_for(patience));
  EXPECT_EQ(malloc(granule_bytes, s2_), block);
  free(block, s2_);
}

TEST_F(LendingFigures, LeavesLiveBlocksToOthersWhenItsStreamIsDestroyed) {
  auto* block = malloc(granule_bytes, s1_);
  free(block, s1_);
  ASSERT_EQ(malloc(granule_bytes, s1_), block);
  must(s1_.destroy());
  free(block, s2_);
  EXPECT_EQ(now().used, 0U);
}

// The pool looks for the new block's place while the stream has served from its stock.
TEST_F(LendingFigures, CountsWhatWasServedOnce) {
  free(malloc(4096, s1_), s1_);
  malloc(4096, s1_);
  malloc(8192, s1_);
  EXPECT_EQ(now().served.same_stream, 1U);
}

// -- figures ------------------------------------------------------------------------------------------------

// The mark is lifted by a malloc that the pool does not hear of.
TEST_F(LendingFigures, KeepsHighMarksExact) {
  auto* first = malloc(512 * 10, s1_);
  free(first, s1_);
  auto* second = malloc(512 * 12, s1_);
  ASSERT_EQ(malloc(512 * 10, s1_), first);
  free(first, s1_);
  free(second, s1_);
  EXPECT_EQ(now().used_high, 512U * 22);
  EXPECT_EQ(now().requested_high, 512U * 22);
}

// What is lent was not used at the same time as the new block.
TEST_F(LendingFigures, DoesNotCountWhatIsInStockAsUsed) {
  free(malloc(512 * 10, s1_), s1_);
  free(malloc(512 * 12, s1_), s1_);
  free(malloc(512 * 14, s2_), s2_);
  EXPECT_EQ(now().used_high, 512U * 14);
}

TEST_F(LendingFigures, KeepsHighMarksExactWithSeveralStreams) {
  auto* first = malloc(512 * 10, s1_);
  free(first, s1_);
  auto* second = malloc(512 * 12, s2_);
  ASSERT_EQ(malloc(512 * 10, s1_), first);
  free(second, s2_);
  auto* third = malloc(512 * 13, s3_);
  free(first, s1_);
  free(third, s3_);
  EXPECT_EQ(now().used_high, 512U * 23);
}

TEST_F(LendingFigures, ReadsZeroAfterTheMarkWasReset) {
  auto* block = malloc(512 * 10, s1_);
  free(block, s1_);
  ASSERT_EQ(malloc(512 * 10, s1_), block);
  must(pool_.set(pool_attribute::used_high, 0));
  EXPECT_EQ(must(pool_.get(pool_attribute::used_high)), 0U);
  free(block, s1_);
  EXPECT_EQ(must(pool_.get(pool_attribute::used_high)), 0U);
  free(malloc(512 * 4, s1_), s1_);
  EXPECT_EQ(must(pool_.get(pool_attribute::used_high)), 512U * 4);
}

// The malloc that lifts the mark again is one that the pool does not hear of.
TEST_F(LendingFigures, LiftsTheMarkOfReservedAgain) {
  auto* block = malloc(granule_bytes, s1_);
  must(pool_.set(pool_attribute::reserved_high, 0));
  free(block, s1_);
  EXPECT_EQ(must(pool_.get(pool_attribute::reserved_high)), 0U);
  block = malloc(granule_bytes, s1_);
  free(block, s1_);
  ASSERT_EQ(malloc(granule_bytes, s1_), block);
  EXPECT_EQ(must(pool_.get(pool_attribute::reserved_high)), granule_bytes);
  free(block, s1_);
  must(pool_.set(pool_attribute::reserved_high, 0));
  block = malloc(granule_bytes, s1_);
  must(pool_.set(pool_attribute::reserved_high, 0));
  free(block, s1_);
  malloc(granule_bytes, s1_);
  must(pool_.set(pool_attribute::release_threshold, 0));
  EXPECT_EQ(must(pool_.get(pool_attribute::reserved_high)), granule_bytes);
}

// -- many ---------------------------------------------------------------------------------------------------

TEST_F(LendingFigures, GivesBackWhatIsTooMuch) {
  std::vector<void*> blocks(3000);
  for (auto& block : blocks) {
    block = malloc(512, s1_);
  }
  for (int round = 0; round < 3; ++round) {
    for (auto* block : blocks) {
      free(block, s1_);
    }
    for (auto& block : blocks) {
      block = malloc(512, s1_);
    }
  }
  EXPECT_EQ(now().used, 3000U * 512);
  EXPECT_EQ(now().served.same_stream, 9000U);
  EXPECT_EQ(now().used_high, 3000U * 512);
  for (auto* block : blocks) {
    free(block, s1_);
  }
}

TEST_F(LendingFigures, LendsOnlyAFewPoolsToOneStream) {
  std::vector<soma::pool> pools;
  std::vector<void*> blocks;
  for (int each = 0; each < 7; ++each) {
    pools.push_back(make_pool(small_blocks()));
  }
  for (int round = 0; round < 3; ++round) {
    for (auto& each : pools) {
      auto* block = must(each.malloc_async(4096, s1_));
      must(each.free_async(block, s1_));
      blocks.push_back(block);
    }
  }
  for (std::size_t each = 0; each < blocks.size(); ++each) {
    EXPECT_EQ(blocks[each], blocks[each % pools.size()]);
  }
}

}  // namespace
