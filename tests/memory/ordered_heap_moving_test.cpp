// Memory that moves: who may have it, how that is counted, what becomes of the addresses that it leaves, and
// how a grant is undone for which it moved.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/ordered_heap.hpp"
#include "memory/sizes.hpp"

namespace {

using namespace soma::memory;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr address base{64 * granule_bytes};
constexpr std::uint64_t half = granule_bytes / 2;
constexpr stream_id one{1};
constexpr stream_id two{2};
constexpr stream_id three{3};

constexpr range granules(std::uint64_t first, std::uint64_t count) {
  return {base + first * granule_bytes, count * granule_bytes};
}

position at(stream_id stream, std::uint64_t sequence) { return {stream, sequence_number{sequence}}; }

order_clock after(position task) {
  order_clock clock;
  clock.add(task);
  return clock;
}

/// A heap of blocks of half granules. Its granules 0 and 2 are idle, freed by the task 4 of stream 1; 1 is a
/// block.
class Moving : public testing::Test {
protected:
  Moving() {
    const range blocks[] = {grow(granule_bytes), grow(granule_bytes), grow(granule_bytes)};
    free(blocks[0].begin, at(one, 4));
    free(blocks[2].begin, at(one, 4));
  }
  void TearDown() override { EXPECT_EQ(heap_.index().broken_invariant(), std::nullopt); }

  static request wish(std::uint64_t bytes, stream_id stream, order_clock ordered = {}) {
    return {stream, std::move(ordered), bytes, bytes};
  }

  range grow(std::uint64_t bytes) {
    const auto wanted = wish(bytes, three);
    return heap_.grow(wanted, heap_.plan_growth(wanted).value()).block;
  }

  void free(address block, position by) { ASSERT_TRUE(heap_.give_back(block, by)); }

  /// Two granules, for which one moves.
  grant move(stream_id stream, order_clock ordered = {}) {
    const auto wanted = wish(2 * granule_bytes, stream, std::move(ordered));
    EXPECT_FALSE(heap_.reuse(wanted));
    const auto place = heap_.plan_move(wanted);
    if (!place) {
      throw std::runtime_error("nothing moves");
    }
    EXPECT_THAT(place->held, ElementsAre(granules(3, 1)));
    EXPECT_THAT(place->given_up, ElementsAre(granules(0, 1)));
    EXPECT_EQ(place->new_bytes, 0U);
    return heap_.grow(wanted, *place);
  }

  [[nodiscard]] bool may_move(const request& wanted) const { return heap_.plan_move(wanted).has_value(); }

  ordered_heap heap_{granules(0, 64), 8 * granule_bytes, half};
};

// -- who may have it -------------------------------------------------------------------------------------

TEST_F(Moving, WhatAStreamFreedMovesForIt) {
  const auto reserved = heap_.reserved();
  const auto granted = move(one);
  EXPECT_EQ(granted.block, granules(2, 2));
  EXPECT_EQ(granted.how, served::same_stream);
  EXPECT_EQ(granted.moved_granules, 1U);
  EXPECT_EQ(heap_.reserved(), reserved);
  const auto now = heap_.figures();
  EXPECT_EQ(now.granules_moved, 1U);
  EXPECT_EQ(now.served_counts[static_cast<std::size_t>(served::same_stream)], 1U);
  EXPECT_EQ(now.backing_requested_bytes - now.backing_returned_bytes, reserved);
}

TEST_F(Moving, ForOthersItMovesOnlyByTheOrderOrAfterTheFree) {
  const auto wanted = wish(2 * granule_bytes, two, after(at(one, 4)));
  EXPECT_FALSE(may_move(wanted)) << "the switch is off";
  heap_.set_reuse_switches({.event = true});
  EXPECT_TRUE(may_move(wanted));
  EXPECT_FALSE(may_move(wish(2 * granule_bytes, two, after(at(one, 3)))));
  heap_.set_reuse_switches({.opportunistic = true});
  EXPECT_FALSE(may_move(wanted)) << "not executed";
  heap_.executed(at(one, 4));
  EXPECT_TRUE(may_move(wanted));
  heap_.set_reuse_switches({});
  EXPECT_FALSE(may_move(wanted));
  heap_.saw(after(at(one, 4)));
  EXPECT_TRUE(may_move(wanted)) << "the host has seen it";
}

TEST_F(Moving, AGranuleStaysOfWhichATaskOfOthersMayStillUseAPart) {
  const auto parts = {grow(half), grow(half)};
  std::uint64_t stream = 1;
  for (const auto part : parts) {
    free(part.begin, at(stream_id{stream++}, 5));
  }
  // Idle: the granules 0 and 2 of stream 1, and 3 of both streams.
  EXPECT_FALSE(may_move(wish(3 * granule_bytes, one)));
  heap_.saw(after(at(two, 5)));
  EXPECT_TRUE(may_move(wish(3 * granule_bytes, one)));
}

TEST_F(Moving, HowItWasServedIsTheWidestStepThatWasNeeded) {
  heap_.set_reuse_switches({.event = true, .opportunistic = true});
  EXPECT_EQ(move(two, after(at(one, 4))).how, served::event);
}

TEST_F(Moving, InternalReuseWaitsForTheFreesOfWhatMoves) {
  heap_.set_reuse_switches({.internal = true});
  const auto wanted = wish(2 * granule_bytes, two);
  ASSERT_FALSE(may_move(wanted));
  ASSERT_FALSE(heap_.reuse_by_waiting(wanted));
  const auto place = heap_.plan_move(wanted, joining::all_idle);
  ASSERT_TRUE(place);
  const auto granted = heap_.grow(wanted, *place, joining::all_idle);
  EXPECT_EQ(granted.how, served::internal);
  EXPECT_THAT(granted.wait_for, ElementsAre(at(one, 4))) << "once, though two pieces wait for it";
}

TEST_F(Moving, WhatIsNotEnoughIsCompletedByNewMemory) {
  const auto wanted = wish(4 * granule_bytes, one);
  EXPECT_FALSE(may_move(wanted));
  const auto place = heap_.plan_growth(wanted);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->new_bytes, 2 * granule_bytes);
  EXPECT_THAT(place->given_up, ElementsAre(granules(0, 1)));
  EXPECT_EQ(heap_.grow(wanted, *place).how, served::new_memory);
}

// -- what is left ----------------------------------------------------------------------------------------

TEST_F(Moving, TheOldMemoryDepartsWhenTheFreeHasBeenExecuted) {
  move(one);
  EXPECT_THAT(heap_.departures(), IsEmpty()) << "a task may still write there";
  EXPECT_TRUE(heap_.departing().is_awaited());
  heap_.executed(at(one, 3));
  EXPECT_THAT(heap_.departures(), IsEmpty());
  heap_.executed(at(one, 4));
  EXPECT_THAT(heap_.departures(), ElementsAre(granules(0, 1)));
  heap_.departed(granules(0, 1));
  EXPECT_TRUE(heap_.departing().empty());
}

TEST_F(Moving, TheOldMemoryDepartsAtOnceIfTheFreeWasExecutedBefore) {
  heap_.executed(at(one, 4));
  move(one);
  EXPECT_THAT(heap_.departures(), ElementsAre(granules(0, 1)));
}

// D21: whether the free has been executed must make no difference.
TEST_F(Moving, TheOldAddressesAreForThoseOrderedBehindTheFree) {
  move(one);
  heap_.executed(at(one, 4));
  heap_.departed(granules(0, 1));
  EXPECT_EQ(heap_.plan_growth(wish(granule_bytes, two))->block, granules(4, 1));
  EXPECT_EQ(heap_.plan_growth(wish(granule_bytes, one))->block, granules(0, 1));
  heap_.saw(after(at(one, 4)));
  EXPECT_EQ(heap_.plan_growth(wish(granule_bytes, two))->block, granules(0, 1)) << "now they are everybody's";
}

TEST_F(Moving, AddressesThatAreTakenAgainKeepMemoryThatHasNotDeparted) {
  move(one);
  const auto wanted = wish(granule_bytes, one);
  const auto place = heap_.plan_growth(wanted);
  ASSERT_TRUE(place);
  EXPECT_THAT(place->held, ElementsAre(granules(0, 1)));
  EXPECT_THAT(heap_.without_memory(*place), IsEmpty()) << "the system need not be asked";
  heap_.grow(wanted, *place);
  heap_.executed(at(one, 4));
  EXPECT_THAT(heap_.departures(), IsEmpty());
  EXPECT_TRUE(heap_.departing().empty());
}

TEST_F(Moving, AnUndoneGrantLeavesTheMemoryWhereItWentAsNeverUsed) {
  const auto reserved = heap_.reserved();
  const auto granted = move(one);
  heap_.take_back(granted.parts);
  EXPECT_EQ(heap_.reserved(), reserved);
  EXPECT_EQ(heap_.index().idle_bytes(), 2 * granule_bytes);
  EXPECT_EQ(heap_.reuse(wish(granule_bytes, two))->block, granules(3, 1)) << "what moved is anybody's";
  EXPECT_FALSE(heap_.reuse(wish(granule_bytes, two))) << "what did not move is still stream 1's";
  EXPECT_EQ(heap_.reuse(wish(granule_bytes, one))->block, granules(2, 1));
}

TEST_F(Moving, TheLargestBlockCountsWhatCouldMove) {
  EXPECT_EQ(heap_.largest_available(one, {}, 0), 2 * granule_bytes);
  EXPECT_EQ(heap_.largest_available(two, {}, 0), 0U);
  EXPECT_EQ(heap_.largest_available(one, {}, granule_bytes), 3 * granule_bytes);
}

// -- blocks of whole granules ----------------------------------------------------------------------------

TEST(MovingGranules, IdleGranulesThatLieApartServeABlockTogether) {
  ordered_heap heap(granules(0, 64), 8 * granule_bytes, granule_bytes);
  const request single{one, {}, granule_bytes, granule_bytes};
  std::vector<address> blocks;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(heap.grow(single, heap.plan_growth(single).value()).block.begin);
  }
  ASSERT_TRUE(heap.give_back(blocks[0], at(one, 1)));
  ASSERT_TRUE(heap.give_back(blocks[2], at(one, 2)));
  const request wanted{one, {}, 2 * granule_bytes, 2 * granule_bytes};
  ASSERT_FALSE(heap.reuse(wanted));
  const auto place = heap.plan_move(wanted);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->block, granules(4, 2));
  EXPECT_THAT(place->held, ElementsAre(granules(4, 2)));
  EXPECT_THAT(place->given_up, ElementsAre(granules(0, 1), granules(2, 1)));
  EXPECT_EQ(heap.grow(wanted, *place).how, served::same_stream);
  EXPECT_EQ(heap.reserved(), 4 * granule_bytes);
}

}  // namespace
