// Who gets which idle block (D2), in which order the ways of reuse are tried (D11), and what the taker of a
// block must wait for.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/ordered_heap.hpp"
#include "memory/sizes.hpp"

namespace {

using namespace soma::memory;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr address base{64 * granule_bytes};
constexpr stream_id taker{1};
constexpr stream_id other{2};
constexpr stream_id third{3};

constexpr range granules(std::uint64_t first, std::uint64_t count) {
  return {base + first * granule_bytes, count * granule_bytes};
}

position at(stream_id stream, std::uint64_t sequence) { return {stream, sequence_number{sequence}}; }

order_clock after(const std::vector<position>& tasks) {
  order_clock clock;
  for (const auto task : tasks) {
    clock.add(task);
  }
  return clock;
}

request wish(stream_id stream, std::uint64_t granule_count, order_clock ordered = {}) {
  const auto bytes = granule_count * granule_bytes;
  return {stream, std::move(ordered), bytes, bytes};
}

range allocate_new(ordered_heap& heap, std::uint64_t granule_count) {
  const auto wanted = wish(taker, granule_count);
  return heap.grow(wanted, heap.plan_growth(wanted).value()).block;
}

std::optional<served> how_reused(ordered_heap heap, const request& wanted) {
  const auto granted = heap.reuse(wanted);
  return granted ? std::optional{granted->how} : std::nullopt;
}

std::string name(const switches& on) {
  return std::string(on.event ? "event " : "") + (on.opportunistic ? "opportunistic " : "") +
         (on.internal ? "internal" : "");
}

std::vector<switches> all_switches() {
  std::vector<switches> all;
  for (const bool event : {false, true}) {
    for (const bool opportunistic : {false, true}) {
      for (const bool internal : {false, true}) {
        all.push_back({event, opportunistic, internal});
      }
    }
  }
  return all;
}

/// What is known of the one idle block, and who asks.
struct situation {
  const char* name;
  stream_id freed_on;
  bool ordered;
  bool executed;
  bool seen;
};

constexpr situation situations[] = {
    {"own, pending", taker, false, false, false},
    {"own, executed", taker, false, true, false},
    {"own, seen", taker, false, true, true},
    {"other, pending", other, false, false, false},
    {"other, ordered", other, true, false, false},
    {"other, executed", other, false, true, false},
    {"other, ordered and executed", other, true, true, false},
    {"other, seen", other, false, true, true},
    {"other, ordered and seen", other, true, true, true},
};

/// D2, read as a table.
std::optional<served> expected_way(const situation& now, const switches& on) {
  if (now.freed_on == taker && !now.seen) {
    return served::same_stream;
  }
  if (now.seen || (now.ordered && on.event)) {
    return served::event;
  }
  if (now.executed && on.opportunistic) {
    return served::opportunistic;
  }
  return std::nullopt;
}

TEST(Reuse, EachWayServesExactlyWhatItsSwitchAllows) {
  constexpr std::uint64_t freed = 5;
  for (const auto& on : all_switches()) {
    for (const auto& now : situations) {
      SCOPED_TRACE(std::string(now.name) + "; switches: " + name(on));
      ordered_heap heap(granules(0, 8), granules(0, 8).bytes, granule_bytes);
      heap.set_reuse_switches(on);
      const auto block = allocate_new(heap, 1);
      ASSERT_TRUE(heap.give_back(block.begin, at(now.freed_on, freed)));
      if (now.executed) {
        heap.executed(at(now.freed_on, freed));
      }
      if (now.seen) {
        heap.saw(after({at(now.freed_on, freed)}));
      }
      const auto wanted = wish(taker, 1, now.ordered ? after({at(other, freed)}) : order_clock{});
      const auto expected = expected_way(now, on);
      EXPECT_EQ(how_reused(heap, wanted), expected);

      const auto waiting = heap.reuse_by_waiting(wanted);
      ASSERT_EQ(waiting.has_value(), on.internal);
      if (waiting) {
        EXPECT_EQ(waiting->how, served::internal);
        EXPECT_EQ(waiting->block, block);
        const bool waits = now.freed_on != taker && !now.ordered && !now.seen;
        EXPECT_EQ(waiting->wait_for.size(), waits ? 1U : 0U);
      }
    }
  }
}

class ReuseOrder : public testing::Test {
protected:
  void TearDown() override { EXPECT_EQ(heap_.index().broken_invariant(), std::nullopt); }

  void set(const switches& on) { heap_.set_reuse_switches(on); }

  /// Blocks of these sizes one behind the other, each with a live block behind it, so that none are
  /// neighbours.
  std::vector<range> row(const std::vector<std::uint64_t>& sizes) {
    std::vector<range> blocks;
    for (const auto size : sizes) {
      blocks.push_back(allocate_new(heap_, size));
      allocate_new(heap_, 1);
    }
    return blocks;
  }

  /// As many blocks of one granule, each the neighbour of the next.
  std::vector<range> neighbours(std::size_t count) {
    std::vector<range> blocks;
    while (blocks.size() < count) {
      blocks.push_back(allocate_new(heap_, 1));
    }
    return blocks;
  }

  void free(range block, position freed_at) { ASSERT_TRUE(heap_.give_back(block.begin, freed_at)); }

  void expect_reuse(const request& wanted, range block, served how) {
    const auto granted = heap_.reuse(wanted);
    ASSERT_TRUE(granted);
    EXPECT_EQ(granted->block, block);
    EXPECT_EQ(granted->how, how);
    EXPECT_THAT(granted->wait_for, IsEmpty());
  }

  ordered_heap heap_{granules(0, 64), granules(0, 64).bytes, granule_bytes};
};

TEST_F(ReuseOrder, OwnMemoryGoesFirstEvenWhereOtherMemoryFitsBetter) {
  set({.event = true, .opportunistic = true});
  const auto blocks = row({1, 1, 4});
  free(blocks[0], at(third, 1));
  free(blocks[1], at(other, 1));
  free(blocks[2], at(taker, 1));
  heap_.executed(at(third, 1));
  const auto wanted = wish(taker, 1, after({at(other, 1)}));
  expect_reuse(wanted, {blocks[2].begin, granule_bytes}, served::same_stream);
}

TEST_F(ReuseOrder, OrderedMemoryGoesBeforeExecutedMemory) {
  set({.event = true, .opportunistic = true});
  const auto blocks = row({1, 4});
  free(blocks[0], at(third, 1));
  free(blocks[1], at(other, 1));
  heap_.executed(at(third, 1));
  const auto wanted = wish(taker, 1, after({at(other, 1)}));
  expect_reuse(wanted, {blocks[1].begin, granule_bytes}, served::event);
  expect_reuse(wish(taker, 1), blocks[0], served::opportunistic);
}

TEST_F(ReuseOrder, WithinAStepTheClosestSizeAndThenTheLowestAddressIsTaken) {
  const auto blocks = row({3, 2, 2});
  std::uint64_t sequence = 0;
  for (const auto block : blocks) {
    free(block, at(taker, ++sequence));
  }
  expect_reuse(wish(taker, 2), blocks[1], served::same_stream);
  expect_reuse(wish(taker, 2), blocks[2], served::same_stream);
  expect_reuse(wish(taker, 2), {blocks[0].begin, 2 * granule_bytes}, served::same_stream);
}

TEST_F(ReuseOrder, WaitingHappensOnlyOnDemand) {
  set({.internal = true});
  const auto blocks = row({1});
  free(blocks[0], at(other, 1));
  EXPECT_FALSE(heap_.reuse(wish(taker, 1))) << "new memory is to be tried before";
  EXPECT_TRUE(heap_.reuse_by_waiting(wish(taker, 1)));
}

TEST_F(ReuseOrder, AFreeAfterTheOrderedPositionIsNotOrdered) {
  set({.event = true});
  const auto blocks = row({1});
  free(blocks[0], at(other, 5));
  EXPECT_EQ(how_reused(heap_, wish(taker, 1, after({at(other, 4)}))), std::nullopt);
  EXPECT_EQ(how_reused(heap_, wish(taker, 1, after({at(other, 5)}))), served::event);
  EXPECT_EQ(how_reused(heap_, wish(taker, 1, after({at(other, 6)}))), served::event);
}

TEST_F(ReuseOrder, AFreeAfterTheExecutedOneHasNotBeenExecuted) {
  set({.opportunistic = true});
  const auto blocks = row({1});
  free(blocks[0], at(other, 5));
  heap_.executed(at(other, 4));
  EXPECT_EQ(how_reused(heap_, wish(taker, 1)), std::nullopt);
  heap_.executed(at(other, 5));
  EXPECT_EQ(how_reused(heap_, wish(taker, 1)), served::opportunistic);
}

TEST_F(ReuseOrder, TheStreamOfTheFreeOwnsTheBlockWhoeverAllocatedIt) {
  const auto blocks = row({1});  // allocated by the taker
  free(blocks[0], at(other, 1));
  EXPECT_EQ(how_reused(heap_, wish(taker, 1)), std::nullopt);
  EXPECT_EQ(how_reused(heap_, wish(other, 1)), served::same_stream);
}

TEST_F(ReuseOrder, NeighboursServeTogetherIfEachMayGoToTheTaker) {
  set({.event = true});
  const auto blocks = neighbours(3);
  free(blocks[0], at(taker, 1));
  free(blocks[1], at(other, 1));
  free(blocks[2], at(third, 1));
  heap_.saw(after({at(third, 1)}));
  EXPECT_EQ(how_reused(heap_, wish(taker, 3)), std::nullopt);
  expect_reuse(wish(taker, 3, after({at(other, 1)})), granules(0, 3), served::event);
}

// -- waits -----------------------------------------------------------------------------------------------

TEST_F(ReuseOrder, TheTakerWaitsForTheFreesOfAllPartsThatItIsNotBehindAlready) {
  set({.internal = true});
  const auto blocks = neighbours(5);
  free(blocks[0], at(taker, 9));
  free(blocks[1], at(other, 4));
  free(blocks[2], at(third, 7));
  free(blocks[3], at(stream_id{4}, 2));
  free(blocks[4], {});
  const auto granted = heap_.reuse_by_waiting(wish(taker, 5, after({at(third, 7)})));
  ASSERT_TRUE(granted);
  EXPECT_EQ(granted->how, served::internal);
  EXPECT_THAT(granted->wait_for, UnorderedElementsAre(at(other, 4), at(stream_id{4}, 2)));
}

TEST_F(ReuseOrder, AnOrderUpToAnEarlierTaskSparesNoWait) {
  set({.internal = true});
  const auto blocks = row({1});
  free(blocks[0], at(other, 4));
  const auto granted = heap_.reuse_by_waiting(wish(taker, 1, after({at(other, 3)})));
  ASSERT_TRUE(granted);
  EXPECT_THAT(granted->wait_for, ElementsAre(at(other, 4)));
}

TEST_F(ReuseOrder, PartsThatAreNotTakenAreNotWaitedFor) {
  set({.internal = true});
  const auto blocks = neighbours(2);
  free(blocks[0], at(other, 1));
  free(blocks[1], at(third, 1));
  const auto granted = heap_.reuse_by_waiting(wish(taker, 1));
  ASSERT_TRUE(granted);
  EXPECT_EQ(granted->block, blocks[0]);
  EXPECT_THAT(granted->wait_for, ElementsAre(at(other, 1)));
}

// -- what the host has seen ------------------------------------------------------------------------------

TEST_F(ReuseOrder, WhatTheHostSawIsForEveryoneWithAllSwitchesOff) {
  const auto blocks = row({1, 1});
  free(blocks[0], at(other, 4));
  free(blocks[1], at(other, 5));
  heap_.saw(after({at(other, 4)}));
  expect_reuse(wish(taker, 1), blocks[0], served::event);
  EXPECT_EQ(how_reused(heap_, wish(taker, 1)), std::nullopt);
}

TEST_F(ReuseOrder, AFreeThatTheHostSawBeforeItWasToldToTheHeapIsSettledAtOnce) {
  const auto blocks = row({1});
  heap_.saw(after({at(other, 4)}));
  free(blocks[0], at(other, 4));
  EXPECT_EQ(how_reused(heap_, wish(taker, 1)), served::event);
}

TEST_F(ReuseOrder, SettledNeighboursBecomeOnePiece) {
  const auto blocks = neighbours(2);
  free(blocks[0], at(other, 1));
  free(blocks[1], at(third, 1));
  const auto before = heap_.index().pieces().size();
  heap_.saw(after({at(other, 1), at(third, 1)}));
  EXPECT_EQ(heap_.index().pieces().size(), before - 1);
  expect_reuse(wish(taker, 2), granules(0, 2), served::event);
}

TEST_F(ReuseOrder, AFreeWithoutATaskNeedsNoOrder) {
  const auto blocks = row({1});
  free(blocks[0], {});
  EXPECT_EQ(how_reused(heap_, wish(taker, 1)), served::event);
}

TEST_F(ReuseOrder, ReuseNeverLiftsTheSwitchesOfGrowth) {
  // A small block may be placed beside idle memory only if that may go to the taker.
  ordered_heap small(granules(0, 8), granules(0, 8).bytes, granule_bytes / 2);
  const request half{taker, {}, granule_bytes / 2, granule_bytes / 2};
  small.grow(half, small.plan_growth(half).value());
  const auto second = small.reuse(half).value().block;
  ASSERT_TRUE(small.give_back(second.begin, at(other, 1)));
  request large{taker, {}, granule_bytes, granule_bytes};
  EXPECT_EQ(small.plan_growth(large).value().block, granules(1, 1));
  large.ordered = after({at(other, 1)});
  EXPECT_EQ(small.plan_growth(large).value().block, granules(1, 1)) << "the switch is off";
  small.set_reuse_switches({.event = true});
  EXPECT_EQ(small.plan_growth(large).value().block, (range{second.begin, granule_bytes}));
}

TEST_F(ReuseOrder, WholeGranulesAreNewMemoryAloneWhereThatIsNotTooMuch) {
  const auto blocks = neighbours(2);
  free(blocks[1], at(taker, 1));
  const auto wanted = wish(taker, 2);
  EXPECT_EQ(heap_.plan_growth(wanted).value().block, granules(2, 2));
  EXPECT_EQ(heap_.plan_growth(wanted, joining::reusable, granule_bytes).value().block, granules(1, 2));
  EXPECT_EQ(heap_.plan_growth(wish(other, 2), joining::reusable, granule_bytes).value().block,
            granules(2, 2));
  const auto place = heap_.plan_growth(wish(other, 2), joining::all_idle, granule_bytes).value();
  EXPECT_EQ(place.block, granules(1, 2));
  const auto grown = heap_.grow(wish(other, 2), place, joining::all_idle);
  EXPECT_EQ(grown.how, served::internal);
  EXPECT_EQ(grown.wait_for, std::vector{at(taker, 1)});
}

}  // namespace
