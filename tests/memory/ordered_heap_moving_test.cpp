// Memory that moves: who may have it, how that is counted, what becomes of the addresses that it leaves, and
// how a grant is undone for which it moved.

#include <cstdint>
#include <utility>

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
    heap_.set_reuse_switches({.event = true, .internal = true});
    const range blocks[] = {grow(granule_bytes), grow(granule_bytes), grow(granule_bytes)};
    free(blocks[0].begin, at(one, 4));
    free(blocks[2].begin, at(one, 4));
  }
  void TearDown() override {
    EXPECT_EQ(heap_.index().broken_invariant(), std::nullopt);
    const auto now = heap_.figures();
    EXPECT_EQ(now.backing_requested_bytes - now.backing_returned_bytes, now.reserved);
  }

  static request wish(std::uint64_t bytes, stream_id stream, order_clock ordered = {}) {
    return {stream, std::move(ordered), bytes, bytes};
  }

  range grow(std::uint64_t bytes) {
    const auto wanted = wish(bytes, three);
    return heap_.grow(wanted, heap_.plan_growth(wanted).value()).block;
  }

  void free(address block, position by) { ASSERT_TRUE(heap_.give_back(block, by)); }

  /// Two granules, for which the granule 0 moves.
  grant move(stream_id stream, order_clock ordered = {}, joining with = joining::reusable) {
    const auto wanted = wish(2 * granule_bytes, stream, std::move(ordered));
    EXPECT_FALSE(heap_.reuse(wanted));
    const auto place = heap_.plan_growth(wanted, with).value();
    EXPECT_EQ(place.block, granules(2, 2));
    EXPECT_THAT(place.held, ElementsAre(granules(3, 1)));
    EXPECT_THAT(place.moved, ElementsAre(granules(0, 1)));
    EXPECT_EQ(place.new_bytes, 0U);
    return heap_.grow(wanted, place, with);
  }

  /// Where two granules of new memory would go, and whether something moves for them.
  [[nodiscard]] std::pair<range, bool> place_for(stream_id stream, order_clock ordered = {}) const {
    const auto place = heap_.plan_growth(wish(2 * granule_bytes, stream, std::move(ordered))).value();
    return {place.block, !place.moved.empty()};
  }

  ordered_heap heap_{granules(0, 64), 8 * granule_bytes, half};
};

TEST_F(Moving, WhatAStreamFreedMovesForIt) {
  const auto reserved = heap_.reserved();
  move(one);
  EXPECT_EQ(heap_.reserved(), reserved);
  EXPECT_EQ(heap_.figures().granules_moved, 1U);
  EXPECT_EQ(heap_.figures().backing_requests, 4U);
  EXPECT_EQ(heap_.figures().backing_returns, 1U);
}

TEST_F(Moving, WhatOthersFreedMovesOnlyForThoseWhoMayHaveIt) {
  EXPECT_EQ(place_for(two), std::pair(granules(3, 2), false));
  EXPECT_EQ(place_for(two, after(at(one, 4))), std::pair(granules(2, 2), true));
  heap_.set_reuse_switches({});
  EXPECT_EQ(place_for(two, after(at(one, 4))), std::pair(granules(3, 2), false)) << "the switch is off";
  heap_.saw(after(at(one, 4)));
  EXPECT_EQ(place_for(two), std::pair(granules(2, 2), true));
}

TEST_F(Moving, WhatIsMissingIsNewMemory) {
  const auto place = heap_.plan_growth(wish(5 * granule_bytes, one)).value();
  EXPECT_EQ(place.block, granules(2, 5));
  EXPECT_THAT(place.held, ElementsAre(granules(3, 4)));
  EXPECT_THAT(place.moved, ElementsAre(granules(0, 1)));
  EXPECT_EQ(place.new_bytes, 3 * granule_bytes);
}

TEST_F(Moving, MemoryLeavesWhenTheFreesAreExecuted) {
  move(one);
  EXPECT_THAT(heap_.departures(), IsEmpty());
  heap_.executed(at(one, 3));
  EXPECT_THAT(heap_.departures(), IsEmpty());
  heap_.executed(at(one, 4));
  EXPECT_THAT(heap_.departures(), ElementsAre(granules(0, 1)));
  heap_.departed(granules(0, 1));
  EXPECT_THAT(heap_.departures(), IsEmpty());
}

TEST_F(Moving, MemoryThatWasFreedBeforeLeavesAtOnce) {
  heap_.executed(at(one, 4));
  move(one);
  EXPECT_THAT(heap_.departures(), ElementsAre(granules(0, 1)));
}

// What can be had of the granule 0 does not depend on whether its free was executed: D21.
TEST_F(Moving, TheAddressesGoToThoseWhoMayHaveWhatWasThere) {
  move(one);
  const auto first = [this](stream_id stream) {
    return heap_.plan_growth(wish(granule_bytes, stream)).value().block;
  };
  EXPECT_EQ(first(one), granules(0, 1));
  EXPECT_EQ(first(two), granules(4, 1));
  heap_.executed(at(one, 4));
  heap_.departed(granules(0, 1));
  EXPECT_EQ(first(two), granules(4, 1));
  heap_.saw(after(at(one, 4)));
  EXPECT_EQ(first(two), granules(0, 1));
}

TEST_F(Moving, AddressesThatAreTakenAgainKeepTheirMemory) {
  move(one);
  const auto wanted = wish(granule_bytes, one);
  const auto place = heap_.plan_growth(wanted).value();
  EXPECT_THAT(place.held, ElementsAre(granules(0, 1)));
  EXPECT_THAT(heap_.without_memory(place), IsEmpty());
  heap_.grow(wanted, place);
  heap_.executed(at(one, 4));
  EXPECT_THAT(heap_.departures(), IsEmpty());
}

TEST_F(Moving, WhatSeveralStreamsFreedNobodyMayHaveUntilAllButOneAreSeen) {
  heap_ = ordered_heap(granules(0, 64), 8 * granule_bytes, half);
  heap_.set_reuse_switches({.event = true});
  const auto first = grow(half);
  const auto second = heap_.reuse(wish(half, three)).value().block;
  grow(granule_bytes);
  const auto third = grow(granule_bytes);
  free(first.begin, at(one, 4));
  free(second.begin, at(two, 6));
  free(third.begin, at(one, 4));
  move(one, after(at(two, 6)));
  const auto wanted = wish(granule_bytes, one, after(at(two, 6)));
  EXPECT_EQ(heap_.plan_growth(wanted).value().block, granules(4, 1));
  heap_.saw(after(at(two, 6)));
  EXPECT_EQ(heap_.plan_growth(wanted).value().block, granules(0, 1));
  heap_.executed(at(one, 4));
  EXPECT_THAT(heap_.departures(), ElementsAre(granules(0, 1)));
}

TEST_F(Moving, AnUndoneGrantLeavesTheMemoryWhereItIs) {
  const auto granted = move(one);
  heap_.take_back(granted.parts);
  EXPECT_EQ(heap_.reserved(), 3 * granule_bytes);
  EXPECT_EQ(heap_.used(), granule_bytes);
  EXPECT_THAT(heap_.reuse(wish(granule_bytes, two)).value().block, granules(3, 1)) << "anyone may have it";
}

TEST_F(Moving, WhoTakesWhatHeMustWaitForWaitsForWhatMovesToo) {
  const auto granted = move(two, {}, joining::all_idle);
  EXPECT_EQ(granted.how, served::internal);
  EXPECT_THAT(granted.wait_for, ElementsAre(at(one, 4)));
}

// Three granules were used at most. With 1/1024 of that for each time beyond 512, a fourth one takes 342
// times.
TEST_F(Moving, AHeapGrowsByASmallPartRatherThanThatMemoryMoves) {
  for (const auto& [used, moves] : {std::pair{127U, true}, std::pair{128U, false}}) {
    heap_ = ordered_heap(granules(0, 1024), 512 * granule_bytes, half);
    const auto first = grow(granule_bytes);
    grow((used - 1) * granule_bytes);
    free(first.begin, at(one, 1));
    const auto place = heap_.plan_growth(wish(2 * granule_bytes, one)).value();
    EXPECT_EQ(place.moved.empty(), !moves) << used;
    EXPECT_EQ(place.new_bytes, (moves ? 1U : 2U) * granule_bytes) << used;
  }
}

TEST_F(Moving, AHeapThatGivesMemoryUpAgainAndAgainGrowsInstead) {
  const auto wanted = wish(2 * granule_bytes, one);
  const auto give_up_until = [this](std::uint64_t times) {
    while (heap_.figures().backing_returns < times) {
      const auto block = grow(granule_bytes);
      free(block.begin, {});
      heap_.released(block);
    }
  };
  give_up_until(512 + 325);
  EXPECT_THAT(heap_.plan_growth(wanted).value().moved, ElementsAre(granules(0, 1)));
  give_up_until(512 + 326);
  EXPECT_THAT(heap_.plan_growth(wanted).value().moved, IsEmpty());
  EXPECT_EQ(heap_.plan_growth(wanted).value().new_bytes, granule_bytes);
  EXPECT_THAT(heap_.plan_growth(wanted, joining::reusable, 0).value().moved, ElementsAre(granules(0, 1)))
      << "there is no room";
}

}  // namespace
