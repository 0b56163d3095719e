// How much: figures and high marks (D3, D7), the limit, trimming and the threshold (D5, D8), the largest
// block to be had, and what a refusal says (D20).

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/ordered_heap.hpp"
#include "memory/sizes.hpp"

namespace {

using namespace soma::memory;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr address base{64 * granule_bytes};
constexpr std::uint64_t half = granule_bytes / 2;
constexpr stream_id one{1};
constexpr stream_id two{2};
constexpr auto most = std::numeric_limits<std::uint64_t>::max();

constexpr range granules(std::uint64_t first, std::uint64_t count) {
  return {base + first * granule_bytes, count * granule_bytes};
}

position at(stream_id stream, std::uint64_t sequence) { return {stream, sequence_number{sequence}}; }

order_clock after(position task) {
  order_clock clock;
  clock.add(task);
  return clock;
}

request wish(const ordered_heap& heap, std::uint64_t asked, stream_id stream = one) {
  return {stream, {}, asked, heap.block_bytes(asked).value()};
}

/// As a pool does it without the device running short: reuse, or else grow up to the limit.
std::optional<range> try_allocate(ordered_heap& heap, std::uint64_t asked, stream_id stream = one) {
  const auto wanted = wish(heap, asked, stream);
  if (const auto found = heap.reuse(wanted)) {
    return found->block;
  }
  const auto place = heap.plan_growth(wanted);
  if (!place || heap.over_limit(place->new_bytes) > 0) {
    return std::nullopt;
  }
  return heap.grow(wanted, *place).block;
}

/// A heap of eight granules in a window of 64, in blocks of half granules.
class Amounts : public testing::Test {
protected:
  void TearDown() override { EXPECT_EQ(heap_.index().broken_invariant(), std::nullopt); }

  range allocate(std::uint64_t asked) { return try_allocate(heap_, asked).value(); }

  void free(range block, position freed_at = {}) { ASSERT_TRUE(heap_.give_back(block.begin, freed_at)); }

  ordered_heap heap_{granules(0, 64), 8 * granule_bytes, half};
};

// -- sizes -----------------------------------------------------------------------------------------------

TEST_F(Amounts, ASizeIsRoundedUpToTheMinimumBlock) {
  EXPECT_EQ(heap_.block_bytes(1), half);
  EXPECT_EQ(heap_.block_bytes(half), half);
  EXPECT_EQ(heap_.block_bytes(half + 1), granule_bytes);
}

TEST_F(Amounts, SizesThatCannotBeAreRefused) {
  for (const auto asked : {std::uint64_t{0}, most, most - half + 2}) {
    const auto rounded = heap_.block_bytes(asked);
    ASSERT_FALSE(rounded);
    EXPECT_EQ(rounded.error().code, fault_code::invalid_argument);
    EXPECT_FALSE(rounded.error().text.empty());
  }
  EXPECT_EQ(heap_.block_bytes(most - half + 1), most - half + 1);
}

// -- figures ---------------------------------------------------------------------------------------------

TEST_F(Amounts, TheFiguresOfANewHeapAreZero) {
  const auto now = heap_.figures();
  EXPECT_EQ(now.limit, 8 * granule_bytes);
  EXPECT_EQ(now.reserved + now.used + now.requested + now.live_blocks, 0U);
  EXPECT_EQ(now.reserved_high + now.used_high + now.requested_high, 0U);
  EXPECT_EQ(now.backing_requests + now.backing_returns, 0U);
}

TEST_F(Amounts, UsedCountsRoundedBlocksAndRequestedWhatWasAskedFor) {
  const auto block = allocate(100);
  allocate(granule_bytes);
  auto now = heap_.figures();
  EXPECT_EQ(now.used, half + granule_bytes);
  EXPECT_EQ(now.requested, 100 + granule_bytes);
  EXPECT_EQ(now.reserved, 2 * granule_bytes);
  EXPECT_EQ(now.live_blocks, 2U);
  EXPECT_EQ(heap_.give_back(block.begin, at(one, 3)), half);
  now = heap_.figures();
  EXPECT_EQ(now.used, granule_bytes) << "used falls at the free (D10)";
  EXPECT_EQ(now.requested, granule_bytes);
  EXPECT_EQ(now.reserved, 2 * granule_bytes);
  EXPECT_EQ(now.used_high, half + granule_bytes);
  EXPECT_EQ(now.requested_high, 100 + granule_bytes);
}

TEST_F(Amounts, EachGrantIsCountedUnderItsWayAndBackingUnderRequests) {
  heap_.set_reuse_switches({.event = true, .opportunistic = true, .internal = true});
  const auto count = [&](served how) { return heap_.figures().served_counts[static_cast<std::size_t>(how)]; };
  auto block = allocate(granule_bytes);
  free(block, at(one, 1));
  ASSERT_TRUE(heap_.reuse(wish(heap_, granule_bytes)));
  free(block, at(two, 1));
  auto ordered = wish(heap_, granule_bytes);
  ordered.ordered = after(at(two, 1));
  ASSERT_TRUE(heap_.reuse(ordered));
  free(block, at(two, 2));
  heap_.executed(at(two, 2));
  ASSERT_TRUE(heap_.reuse(wish(heap_, granule_bytes)));
  free(block, at(two, 3));
  ASSERT_TRUE(heap_.reuse_by_waiting(wish(heap_, granule_bytes)));
  for (const auto how :
       {served::same_stream, served::event, served::opportunistic, served::internal, served::new_memory}) {
    EXPECT_EQ(count(how), 1U);
  }
  EXPECT_EQ(heap_.figures().backing_requests, 1U);
  EXPECT_EQ(heap_.figures().backing_requested_bytes, granule_bytes);
}

TEST_F(Amounts, ReturnsAreCounted) {
  free(allocate(3 * granule_bytes));
  for (const auto part : heap_.plan_release(2 * granule_bytes, ordered_heap::releasable::seen)) {
    heap_.released(part);
  }
  EXPECT_EQ(heap_.figures().backing_returns, 1U);
  EXPECT_EQ(heap_.figures().backing_returned_bytes, 2 * granule_bytes);
  EXPECT_EQ(heap_.reserved(), granule_bytes);
}

TEST_F(Amounts, D3_AResetHighMarkReadsZeroUntilTheNextAllocation) {
  const auto large = allocate(4 * granule_bytes);
  const auto small = allocate(granule_bytes);
  free(large, at(one, 1));
  heap_.reset_used_high();
  EXPECT_EQ(heap_.figures().used_high, 0U);
  EXPECT_EQ(heap_.figures().reserved_high, 5 * granule_bytes) << "each mark is reset by itself";
  heap_.reset_reserved_high();
  free(small, at(one, 2));
  EXPECT_EQ(heap_.figures().used_high, 0U) << "a free does not lift it";
  EXPECT_EQ(heap_.figures().reserved_high, 0U);
  allocate(granule_bytes);
  EXPECT_EQ(heap_.figures().used_high, granule_bytes) << "the value of now, not the old mark";
  EXPECT_EQ(heap_.figures().reserved_high, 5 * granule_bytes);
  EXPECT_EQ(heap_.figures().requested_high, 5 * granule_bytes);
}

TEST_F(Amounts, D17_AWrongFreeChangesNothing) {
  const auto block = allocate(granule_bytes);
  const auto pending = allocate(granule_bytes);
  free(pending, at(one, 1));
  for (const auto wrong : {pending.begin, block.begin + half, block.begin + 1, address::null, base + 63}) {
    const auto answer = heap_.give_back(wrong, at(one, 2));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, fault_code::unknown_address);
  }
  EXPECT_EQ(heap_.figures().used, granule_bytes);
  EXPECT_EQ(heap_.figures().live_blocks, 1U);
}

// -- limit, threshold, trimming --------------------------------------------------------------------------

TEST_F(Amounts, TheLimitCountsEverythingReserved) {
  allocate(5 * granule_bytes);
  free(allocate(granule_bytes), at(two, 1));
  EXPECT_EQ(heap_.over_limit(2 * granule_bytes), 0U);
  EXPECT_EQ(heap_.over_limit(3 * granule_bytes), granule_bytes);
  EXPECT_EQ(heap_.over_limit(most), most - 2 * granule_bytes);
}

TEST_F(Amounts, D8_WhatLiesIdleAboveTheThresholdIsCountedInWholeGranulesRoundedUp) {
  allocate(half);  // leaves half a granule idle
  free(allocate(3 * granule_bytes), at(two, 1));
  ASSERT_EQ(heap_.index().idle_bytes(), 3 * granule_bytes + half);
  EXPECT_EQ(heap_.above_threshold(), 4 * granule_bytes);
  heap_.set_release_threshold(half);
  EXPECT_EQ(heap_.above_threshold(), 3 * granule_bytes);
  heap_.set_release_threshold(half - 1);
  EXPECT_EQ(heap_.above_threshold(), 4 * granule_bytes);
  heap_.set_release_threshold(3 * granule_bytes + half);
  EXPECT_EQ(heap_.above_threshold(), 0U);
  heap_.set_release_threshold(most);
  EXPECT_EQ(heap_.above_threshold(), 0U);
}

TEST_F(Amounts, D5_TrimmingGoesDownToWhatIsUsedOrWantedWhicheverIsMore) {
  const auto used = allocate(2 * granule_bytes);
  free(allocate(3 * granule_bytes), at(two, 1));
  EXPECT_EQ(heap_.above(0), 3 * granule_bytes);
  EXPECT_EQ(heap_.above(2 * granule_bytes), 3 * granule_bytes);
  EXPECT_EQ(heap_.above(2 * granule_bytes + 1), 2 * granule_bytes) << "kept bytes are rounded up";
  EXPECT_EQ(heap_.above(5 * granule_bytes), 0U);
  EXPECT_EQ(heap_.above(most), 0U);
  free(used, at(two, 2));
  EXPECT_EQ(heap_.above(0), 5 * granule_bytes);
}

TEST_F(Amounts, OnlyWhatWasSeenOrExecutedIsReleased) {
  const auto low = allocate(granule_bytes);
  const auto high = allocate(granule_bytes);
  const auto plan = [&](ordered_heap::releasable which) {
    return heap_.plan_release(8 * granule_bytes, which);
  };
  free(low, at(one, 1));
  free(high, at(two, 1));
  EXPECT_THAT(plan(ordered_heap::releasable::executed), IsEmpty());
  heap_.executed(at(one, 1));
  EXPECT_THAT(plan(ordered_heap::releasable::executed), ElementsAre(low));
  EXPECT_THAT(plan(ordered_heap::releasable::seen), IsEmpty());
  heap_.saw(after(at(two, 1)));
  EXPECT_THAT(plan(ordered_heap::releasable::seen), ElementsAre(high));
  EXPECT_THAT(plan(ordered_heap::releasable::executed), ElementsAre(granules(0, 2)));
}

// -- the largest block to be had, and refusals -----------------------------------------------------------

TEST_F(Amounts, TheLargestBlockIsBoundedByLimitAndDevice) {
  EXPECT_EQ(heap_.largest_available(one, {}, most), 8 * granule_bytes);
  EXPECT_EQ(heap_.largest_available(one, {}, 3 * granule_bytes + 1), 3 * granule_bytes);
  EXPECT_EQ(heap_.largest_available(one, {}, 0), 0U);
  allocate(half);
  EXPECT_EQ(heap_.largest_available(one, {}, 0), half) << "the rest of the granule";
  EXPECT_EQ(heap_.largest_available(one, {}, granule_bytes), granule_bytes + half);
}

TEST_F(Amounts, TheLargestBlockCountsIdleMemoryByWhoMayHaveIt) {
  free(allocate(8 * granule_bytes), at(two, 1));
  EXPECT_EQ(heap_.largest_available(two, {}, 0), 8 * granule_bytes);
  EXPECT_EQ(heap_.largest_available(one, {}, 0), 0U);
  EXPECT_EQ(heap_.largest_available(one, after(at(two, 1)), 0), 0U);
  heap_.set_reuse_switches({.event = true});
  EXPECT_EQ(heap_.largest_available(one, after(at(two, 1)), 0), 8 * granule_bytes);
}

TEST_F(Amounts, ExecutedMemoryCountsSinceItCanBeGivenUpAndTakenAnew) {
  free(allocate(8 * granule_bytes), at(two, 1));
  heap_.executed(at(two, 1));
  EXPECT_EQ(heap_.largest_available(one, {}, 0), 8 * granule_bytes);
}

// The own frees a and c, not executed yet, lie around b; b and d could be given up. If d moves behind c, it
// makes with a, b and c a block of seven halves.
TEST_F(Amounts, TheLargestBlockCountsWhatGivingUpAPartMakesPossible) {
  allocate(half);
  const auto a = allocate(half);
  const auto b = allocate(granule_bytes);
  const auto c = allocate(granule_bytes);
  const auto hole = allocate(granule_bytes);
  const auto d = allocate(granule_bytes);
  free(hole);
  ASSERT_THAT(heap_.plan_release(granule_bytes, ordered_heap::releasable::seen), ElementsAre(hole));
  heap_.released(hole);
  free(a, at(one, 1));
  free(b);
  free(c, at(one, 2));
  free(d);

  EXPECT_EQ(heap_.largest_available(one, {}, 0), 7 * half);

  const auto wanted = wish(heap_, 7 * half);
  ASSERT_FALSE(heap_.reuse(wanted));
  EXPECT_EQ(heap_.needed_after_release(wanted, ordered_heap::releasable::seen), 0U);
  const auto place = heap_.plan_growth(wanted, joining::reusable, 0);  // there is no room for more
  ASSERT_TRUE(place);
  EXPECT_THAT(place->held, ElementsAre(hole));
  EXPECT_THAT(place->moved, ElementsAre(d));
  EXPECT_EQ(place->new_bytes, 0U);
}

TEST_F(Amounts, D20_ARefusalNamesEverythingThatItDependsOn) {
  allocate(granule_bytes);
  free(allocate(2 * granule_bytes), at(two, 7));
  const auto text = heap_.describe_refusal(wish(heap_, 9 * granule_bytes), 4 * granule_bytes);
  EXPECT_THAT(text, AllOf(HasSubstr("wanted " + describe_bytes(9 * granule_bytes)),
                          HasSubstr("used " + describe_bytes(granule_bytes)),
                          HasSubstr("idle " + describe_bytes(2 * granule_bytes)),
                          HasSubstr("limit " + describe_bytes(8 * granule_bytes)),
                          HasSubstr("left on the device " + describe_bytes(4 * granule_bytes)),
                          HasSubstr("largest block to be had " + describe_bytes(4 * granule_bytes))));
  EXPECT_THAT(text, HasSubstr("frees are pending on stream 2 up to its task 7"));
}

TEST_F(Amounts, D20_ARefusalNamesEachStreamWithAPendingFreeAndNoOther) {
  const auto blocks = {allocate(granule_bytes), allocate(granule_bytes), allocate(granule_bytes)};
  std::uint64_t stream = 1;
  for (const auto block : blocks) {
    free(block, at(stream_id{stream++}, 5));
  }
  const auto refusal = [&] { return heap_.describe_refusal(wish(heap_, 9 * granule_bytes), 0); };
  EXPECT_THAT(refusal(), HasSubstr("on stream 2 up to its task 5, stream 3 up to its task 5"));
  EXPECT_THAT(refusal(), Not(HasSubstr("stream 1 "))) << "the own frees need no wait";
  heap_.executed(at(two, 5));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("stream 3 "), Not(HasSubstr("stream 2 "))));
  heap_.saw(after(at(stream_id{3}, 5)));
  EXPECT_THAT(refusal(), HasSubstr("no frees are pending"));
}

}  // namespace
