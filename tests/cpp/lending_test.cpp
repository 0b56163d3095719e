// Blocks that a stream freed and gives out again without asking its pool: nobody can tell, but by the time it
// takes and by which of several equal blocks comes first. One test for each occasion at which the pool has to
// know; those of figures and of giving memory back are in lending_figures_test.cpp.

#include <cstdint>
#include <string>

#include "support/lending_fixture.hpp"

namespace {

using soma::errc;
using namespace support;

class Lending : public lending_fixture {};

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

}  // namespace
