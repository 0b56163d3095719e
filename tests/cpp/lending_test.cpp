// Blocks that a stream freed and gives out again without asking its pool: nobody can tell, but by the time it
// takes and by which of several equal blocks comes first. One test for each occasion at which the pool has to
// know.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using soma::errc;
using soma::granule_bytes;
using soma::pool_attribute;
using namespace support;

constexpr std::uint64_t keep_everything = ~std::uint64_t{0};

class Lending : public cpp_fixture {
protected:
  void TearDown() override {
    for (auto* block : std::set<void*>(live_)) {
      must(device_.free_async(block, s3_));
    }
    static_cast<void>(pool_.destroy());
    cpp_fixture::TearDown();
  }

  void* malloc(std::uint64_t bytes, soma::stream& on) {
    auto* block = must(pool_.malloc_async(bytes, on));
    live_.insert(block);
    return block;
  }
  void free(void* block, soma::stream& on) {
    must(pool_.free_async(block, on));
    live_.erase(block);
  }
  auto now() { return must(pool_.statistics()); }

  /// A pool with other options. The one before has no live block.
  void make_pool_with(const soma::pool_options& options) {
    must(pool_.destroy());
    pool_ = make_pool(options);
  }

  static soma::pool_options small_blocks() {
    soma::pool_options options;
    options.limit = 4 * granule_bytes;
    options.minimum_block = 512;
    options.release_threshold = keep_everything;
    return options;
  }

  soma::pool pool_ = make_pool(small_blocks());
  std::set<void*> live_;
};

TEST_F(Lending, ServesTheBlockThatWasFreedLast) {
  auto* first = malloc(4096, s1_);
  auto* second = malloc(4096, s1_);
  free(second, s1_);
  free(first, s1_);
  EXPECT_EQ(malloc(4096, s1_), first);
  EXPECT_EQ(malloc(4096, s1_), second);
  const auto figures = now();
  EXPECT_EQ(figures.served.same_stream, 2U);
  EXPECT_EQ(figures.used, 8192U);
  EXPECT_EQ(figures.live_blocks, 2U);
  free(first, s1_);
  free(second, s1_);
}

TEST_F(Lending, CountsUsedFromTheCallOfFree) {
  auto* block = malloc(4000, s1_);
  free(block, s1_);
  EXPECT_EQ(now().used, 0U);
  EXPECT_EQ(now().requested, 0U);
  EXPECT_EQ(now().live_blocks, 0U);
  EXPECT_EQ(now().idle, granule_bytes);
}

TEST_F(Lending, KeepsBlocksOfDifferentRequestsApart) {
  auto* block = malloc(4000, s1_);
  free(block, s1_);
  auto* other = malloc(4096, s1_);  // as large, but another size was asked for
  EXPECT_EQ(other, block);
  EXPECT_EQ(must(pool_.block(other)).requested, 4096U);
  free(other, s1_);
}

// D11: the smallest that fits of all that the stream freed, wherever it is kept.
TEST_F(Lending, SplitsTheSmallestBlockThatFits) {
  auto* large = malloc(8192, s1_);
  auto* small = malloc(4096, s1_);
  free(small, s1_);
  free(large, s1_);
  EXPECT_EQ(malloc(2048, s1_), small);
  EXPECT_EQ(malloc(5000, s1_), large);
  free(small, s1_);
  free(large, s1_);
}

TEST_F(Lending, JoinsNeighboursThatNoSingleBlockCanReplace) {
  auto* first = malloc(4096, s1_);
  auto* second = malloc(4096, s1_);
  auto* third = malloc(4096, s1_);
  free(second, s1_);
  free(first, s1_);
  EXPECT_EQ(malloc(8192, s1_), first);
  EXPECT_EQ(now().served.same_stream, 1U);
  free(first, s1_);
  free(third, s1_);
}

// -- wrong frees --------------------------------------------------------------------------------------------

TEST_F(Lending, RefusesASecondFreeWithTheSameText) {
  auto* block = malloc(4096, s1_);
  free(block, s1_);
  const auto lent = pool_.free_async(block, s1_);
  EXPECT_TRUE(failed_with(lent, errc::unknown_address));
  static_cast<void>(now());  // brings it back
  const auto known = pool_.free_async(block, s1_);
  EXPECT_TRUE(failed_with(known, errc::unknown_address));
  EXPECT_EQ(lent.error().message, known.error().message);
}

TEST_F(Lending, RefusesASecondFreeByAnotherStream) {
  auto* block = malloc(4096, s1_);
  free(block, s1_);
  EXPECT_TRUE(failed_with(pool_.free_async(block, s2_), errc::unknown_address));
  EXPECT_EQ(now().used, 0U);
}

TEST_F(Lending, RefusesASecondFreeAtOnce) {
  auto* block = malloc(4096, s1_);
  free(block, s1_);
  EXPECT_TRUE(failed_with(device_.free(block), errc::unknown_address));
  EXPECT_EQ(malloc(4096, s1_), block);
  free(block, s1_);
}

TEST_F(Lending, LetsAnotherStreamFreeABlockThatIsLent) {
  auto* block = malloc(4096, s1_);
  free(block, s1_);
  ASSERT_EQ(malloc(4096, s1_), block);
  free(block, s2_);
  EXPECT_TRUE(failed_with(pool_.free_async(block, s1_), errc::unknown_address));
  EXPECT_NE(malloc(4096, s1_), block);  // it is the other stream's
  EXPECT_EQ(malloc(4096, s2_), block);
  EXPECT_EQ(now().live_blocks, 2U);
}

TEST_F(Lending, LetsTheHostFreeABlockThatIsLent) {
  auto* block = malloc(4096, s1_);
  free(block, s1_);
  ASSERT_EQ(malloc(4096, s1_), block);
  must(device_.free(block));
  live_.erase(block);
  EXPECT_EQ(now().used, 0U);
  EXPECT_TRUE(failed_with(pool_.free_async(block, s1_), errc::unknown_address));
}

TEST_F(Lending, DoesNotKnowABlockThatIsFree) {
  auto* block = malloc(4096, s1_);
  free(block, s1_);
  EXPECT_TRUE(failed_with(pool_.block(block), errc::unknown_address));
  ASSERT_EQ(malloc(4096, s1_), block);
  EXPECT_EQ(must(pool_.block(block)).bytes, 4096U);
  free(block, s1_);
}

// -- other streams ------------------------------------------------------------------------------------------

TEST_F(Lending, GoesToAStreamThatIsOrderedBehind) {
  must(pool_.set_reuse({.event = true}));
  auto* block = malloc(4096, s1_);
  free(block, s1_);
  order(s1_, s2_);
  EXPECT_EQ(malloc(4096, s2_), block);
  EXPECT_EQ(now().served.event, 1U);
  free(block, s2_);
}

// The free comes behind the record: the block is not for the other stream.
TEST_F(Lending, DoesNotGoToAStreamThatIsOrderedBehindAnEarlierTask) {
  must(pool_.set_reuse({.event = true}));
  auto* block = malloc(4096, s1_);
  free(block, s1_);
  ASSERT_EQ(malloc(4096, s1_), block);
  order(s1_, s2_);
  free(block, s1_);
  EXPECT_NE(malloc(4096, s2_), block);
}

TEST_F(Lending, GoesToAnyStreamOnceTheHostHasSeenTheFree) {
  auto* block = malloc(4096, s1_);
  free(block, s1_);
  must(settle(s1_));
  EXPECT_EQ(malloc(4096, s2_), block);
  EXPECT_EQ(now().served.event, 1U);
  free(block, s2_);
}

TEST_F(Lending, GoesOpportunisticallyOnceItIsExecuted) {
  must(pool_.set_reuse({.opportunistic = true}));
  auto* block = malloc(granule_bytes, s1_);
  free(block, s1_);
  EXPECT_EQ(malloc(granule_bytes, s2_), block);
  EXPECT_EQ(now().served.opportunistic, 1U);
  free(block, s2_);
}

TEST_F(Lending, DoesNotGoOpportunisticallyBeforeItIsExecuted) {
  must(pool_.set_reuse({.opportunistic = true}));
  auto* block = malloc(granule_bytes, s1_);
  free(block, s1_);
  ASSERT_EQ(malloc(granule_bytes, s1_), block);
  const gate closed;
  hold(s1_, closed);
  free(block, s1_);
  auto* other = malloc(granule_bytes, s2_);
  EXPECT_NE(other, block);
  closed.open();
  const witness done(closed);
  call(s1_, done);
  ASSERT_TRUE(done.wait_until_ran());
  EXPECT_EQ(malloc(granule_bytes, s2_), block);
  free(block, s2_);
  free(other, s2_);
}

TEST_F(Lending, GoesWithAWaitWhenThePoolCannotGrow) {
  auto options = small_blocks();
  options.limit = granule_bytes;
  options.reuse.internal = true;
  make_pool_with(options);
  auto* block = malloc(granule_bytes, s1_);
  free(block, s1_);
  EXPECT_EQ(malloc(granule_bytes, s2_), block);
  EXPECT_EQ(now().served.internal, 1U);
  free(block, s2_);
}

TEST_F(Lending, IsGivenUpBeforeARefusal) {
  auto options = small_blocks();
  options.limit = granule_bytes;
  make_pool_with(options);
  auto* block = malloc(granule_bytes, s1_);
  free(block, s1_);
  auto* other = malloc(granule_bytes, s2_);  // by new memory in the place of the idle one
  EXPECT_NE(other, nullptr);
  free(other, s2_);
}

TEST_F(Lending, IsNamedInARefusal) {
  auto options = small_blocks();
  options.limit = granule_bytes;
  make_pool_with(options);
  auto* block = malloc(granule_bytes, s1_);
  free(block, s1_);
  ASSERT_EQ(malloc(granule_bytes, s1_), block);
  const gate closed;
  hold(s1_, closed);
  free(block, s1_);
  const auto refused = pool_.malloc_async(granule_bytes, s2_);
  ASSERT_TRUE(failed_with(refused, errc::out_of_memory));
  EXPECT_NE(refused.error().message.find("used 0 bytes"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("stream " + std::to_string(s1_.id()) + " up to"), std::string::npos)
      << refused.error().message;
  closed.open();
}

TEST_F(Lending, CountsAsAvailable) {
  auto options = small_blocks();
  options.limit = granule_bytes;
  make_pool_with(options);
  auto* block = malloc(granule_bytes, s1_);
  free(block, s1_);
  EXPECT_EQ(must(pool_.largest_available(s1_)), granule_bytes);
}

// Another pool's memory, which the device asks for.
TEST_F(Lending, IsGivenUpForAnotherPool) {
  auto options = small_blocks();
  options.limit = 0;
  auto large = make_pool(options);
  const auto all = must(device_.memory()).total;
  auto* block = must(large.malloc_async(all, s1_));
  must(large.free_async(block, s1_));
  ASSERT_EQ(must(large.malloc_async(all, s1_)), block);
  must(large.free_async(block, s1_));
  free(malloc(4096, s2_), s2_);
}

// -- giving memory back -------------------------------------------------------------------------------------

TEST_F(Lending, IsTrimmed) {
  free(malloc(granule_bytes, s1_), s1_);
  must(pool_.trim_to(0));
  EXPECT_EQ(now().reserved, 0U);
}

TEST_F(Lending, IsTrimmedAsFarAsItIsExecuted) {
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

TEST_F(Lending, IsReleasedAtASynchronize) {
  must(pool_.set(pool_attribute::release_threshold, 0));
  free(malloc(granule_bytes, s1_), s1_);
  must(settle(s1_));
  EXPECT_EQ(now().reserved, 0U);
}

// What another stream has is idle, too, and counts against the threshold.
TEST_F(Lending, CountsAgainstTheThreshold) {
  must(pool_.set(pool_attribute::release_threshold, granule_bytes));
  auto* lent = malloc(granule_bytes, s1_);
  auto* seen = malloc(granule_bytes, s2_);
  free(lent, s1_);
  free(seen, s2_);
  must(settle(s2_));
  EXPECT_EQ(now().reserved, granule_bytes);
}

TEST_F(Lending, GoesWithADestroyedPool) {
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

TEST_F(Lending, IsReturnedByAStreamThatIsDestroyed) {
  auto* block = malloc(granule_bytes, s1_);
  free(block, s1_);
  ASSERT_EQ(malloc(granule_bytes, s1_), block);
  free(block, s1_);
  must(s1_.destroy());
  must(device_.synchronize_for(patience));
  EXPECT_EQ(malloc(granule_bytes, s2_), block);
  free(block, s2_);
}

TEST_F(Lending, LeavesLiveBlocksToOthersWhenItsStreamIsDestroyed) {
  auto* block = malloc(granule_bytes, s1_);
  free(block, s1_);
  ASSERT_EQ(malloc(granule_bytes, s1_), block);
  must(s1_.destroy());
  free(block, s2_);
  EXPECT_EQ(now().used, 0U);
}

// The pool looks for the new block's place while the stream has served from its stock.
TEST_F(Lending, CountsWhatWasServedOnce) {
  free(malloc(4096, s1_), s1_);
  malloc(4096, s1_);
  malloc(8192, s1_);
  EXPECT_EQ(now().served.same_stream, 1U);
}

// -- figures ------------------------------------------------------------------------------------------------

// The mark is lifted by a malloc that the pool does not hear of.
TEST_F(Lending, KeepsHighMarksExact) {
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
TEST_F(Lending, DoesNotCountWhatIsInStockAsUsed) {
  free(malloc(512 * 10, s1_), s1_);
  free(malloc(512 * 12, s1_), s1_);
  free(malloc(512 * 14, s2_), s2_);
  EXPECT_EQ(now().used_high, 512U * 14);
}

TEST_F(Lending, KeepsHighMarksExactWithSeveralStreams) {
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

TEST_F(Lending, ReadsZeroAfterTheMarkWasReset) {
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
TEST_F(Lending, LiftsTheMarkOfReservedAgain) {
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

TEST_F(Lending, GivesBackWhatIsTooMuch) {
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

TEST_F(Lending, LendsOnlyAFewPoolsToOneStream) {
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
