// The pieces of a window, by example: what is found, where pieces merge, and what can be given up.

#include "memory/block_index.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/sizes.hpp"

namespace {

using namespace soma::memory;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t unit = granule_bytes / 4;
constexpr address base{64 * granule_bytes};
constexpr reach settled{.settled = true};
constexpr reach everything{.settled = true, .everything = true};

position freed(std::uint64_t stream, std::uint64_t sequence) {
  return {stream_id{stream}, sequence_number{sequence}};
}

order_clock up_to(std::uint64_t stream, std::uint64_t sequence) {
  order_clock clock;
  clock.add(freed(stream, sequence));
  return clock;
}

/// The tasks that freed the parts of a block, settled and never used ones left out.
std::vector<position> freed_by(const idle_parts& parts) {
  std::vector<position> tasks;
  for (const auto& part : parts) {
    if (part.freed_at.stream != stream_id::none) {
      tasks.push_back(part.freed_at);
    }
  }
  return tasks;
}

/// The place of a unit in the window.
constexpr address at(std::uint64_t units) { return base + units * unit; }

constexpr range units(std::uint64_t first, std::uint64_t count) { return {at(first), count * unit}; }

constexpr range granules(std::uint64_t first, std::uint64_t count) { return units(4 * first, 4 * count); }

/// An index of eight granules in units of a quarter granule.
class BlockIndex : public testing::Test {
protected:
  void TearDown() override { EXPECT_EQ(index_.broken_invariant(), std::nullopt); }

  /// Busy blocks of these sizes, in units, from the start of the window on; memory is held for all of them.
  void fill(const std::vector<std::uint64_t>& sizes) {
    std::uint64_t total = 0;
    for (const auto size : sizes) {
      total += size;
    }
    index_.hold({base, round_up(total * unit, granule_bytes)});
    std::uint64_t first = 0;
    for (const auto size : sizes) {
      index_.occupy(units(first, size), size * unit);
      first += size;
    }
  }

  block_index index_{granules(0, 8), unit};
};

// -- changes ---------------------------------------------------------------------------------------------

TEST_F(BlockIndex, ANewWindowIsOneFreePiece) {
  ASSERT_EQ(index_.pieces().size(), 1U);
  EXPECT_EQ(index_.pieces().begin()->second.state, piece_state::free);
  EXPECT_EQ(index_.find_idle(unit, everything), std::nullopt);
  EXPECT_EQ(index_.idle_bytes() + index_.busy_bytes(), 0U);
}

TEST_F(BlockIndex, HeldGranulesAreIdleAndSettledAndMerge) {
  index_.hold(granules(2, 1));
  index_.hold(granules(4, 1));
  EXPECT_EQ(index_.pieces().size(), 5U);
  index_.hold(granules(3, 1));
  EXPECT_EQ(index_.pieces().size(), 3U);
  EXPECT_EQ(index_.idle_bytes(), 3 * granule_bytes);
  EXPECT_EQ(index_.find_idle(12 * unit, settled), at(8));
}

TEST_F(BlockIndex, TheFiguresFollowTheBlocks) {
  index_.hold(granules(0, 1));
  index_.occupy(units(0, 3), 3 * unit - 5);
  EXPECT_EQ(index_.busy_bytes(), 3 * unit);
  EXPECT_EQ(index_.requested_bytes(), 3 * unit - 5);
  EXPECT_EQ(index_.idle_bytes(), unit);
  EXPECT_EQ(index_.busy_count(), 1U);
  index_.vacate(at(0), freed(1, 1));
  EXPECT_EQ(index_.busy_bytes() + index_.requested_bytes() + index_.busy_count(), 0U);
  EXPECT_EQ(index_.idle_bytes(), granule_bytes);
}

TEST_F(BlockIndex, ABlockIsFoundByItsFirstAddressOnly) {
  fill({2, 2});
  index_.vacate(at(0), {});
  EXPECT_EQ(index_.find_busy(at(0)), nullptr) << "idle";
  ASSERT_NE(index_.find_busy(at(2)), nullptr);
  EXPECT_EQ(index_.find_busy(at(2))->bytes, 2 * unit);
  EXPECT_EQ(index_.find_busy(at(3)), nullptr) << "inside";
  EXPECT_EQ(index_.find_busy(at(8)), nullptr) << "free";
  EXPECT_EQ(index_.find_busy(at(1000)), nullptr) << "outside";
}

TEST_F(BlockIndex, IdleNeighboursMergeOnlyIfOneTaskFreedThem) {
  fill({1, 1, 1, 1});
  index_.vacate(at(0), freed(1, 1));
  index_.vacate(at(1), freed(1, 2));
  index_.vacate(at(2), freed(2, 2));
  EXPECT_EQ(index_.pieces().size(), 5U) << "other positions, and an equal number of another stream";
  index_.vacate(at(3), freed(2, 2));
  EXPECT_EQ(index_.pieces().size(), 4U) << "the same task";
}

TEST_F(BlockIndex, WhatOneTaskFreedMergesOnBothSides) {
  fill({1, 1, 1, 1});
  index_.vacate(at(0), freed(1, 1));
  index_.vacate(at(2), freed(1, 1));
  index_.vacate(at(1), freed(1, 1));
  EXPECT_EQ(index_.find_idle(3 * unit, {.own = stream_id{1}}), at(0));
  EXPECT_EQ(index_.pieces().size(), 3U);
}

TEST_F(BlockIndex, OccupyingNamesTheTasksThatFreedTheParts) {
  fill({1, 1, 1, 1});
  index_.vacate(at(0), freed(1, 1));
  index_.vacate(at(1), {});
  index_.vacate(at(2), freed(2, 7));
  index_.vacate(at(3), freed(3, 1));
  EXPECT_THAT(freed_by(index_.occupy(units(0, 3), 1)), ElementsAre(freed(1, 1), freed(2, 7)));
  EXPECT_EQ(index_.find_idle(unit, {.own = stream_id{3}}), at(3)) << "the rest keeps its free";
}

TEST_F(BlockIndex, APartOfAPieceLeavesARestWithTheSameFree) {
  fill({4});
  index_.vacate(at(0), freed(1, 5));
  EXPECT_THAT(freed_by(index_.occupy(units(0, 1), 1)), ElementsAre(freed(1, 5)));
  EXPECT_THAT(freed_by(index_.occupy(units(1, 1), 1)), ElementsAre(freed(1, 5)));
  EXPECT_EQ(index_.find_idle(2 * unit, {.own = stream_id{1}}), at(2));
}

TEST_F(BlockIndex, WhatWasSeenSettlesAndMerges) {
  fill({1, 1, 1, 1});
  index_.vacate(at(0), freed(1, 3));
  index_.vacate(at(1), freed(1, 4));
  index_.vacate(at(2), freed(1, 5));
  index_.vacate(at(3), freed(2, 1));
  index_.settle(up_to(1, 4));
  EXPECT_EQ(index_.find_idle(2 * unit, settled), at(0));
  EXPECT_EQ(index_.find_idle(3 * unit, settled), std::nullopt);
  EXPECT_THAT(index_.unsettled(), ElementsAre(freed(1, 5), freed(2, 1)));
  index_.settle(up_to(1, 5));
  EXPECT_EQ(index_.pieces().size(), 3U) << "three units in one piece, one of stream 2, and the free rest";
}

// Each of the parts is settled when the grant is undone, and so is the memory behind them.
TEST_F(BlockIndex, WhatIsRestoredMergesWithAllThatHasSettledMeanwhile) {
  fill({1, 1, 1, 1});
  index_.vacate(at(0), freed(1, 1));
  index_.vacate(at(1), freed(1, 2));
  index_.vacate(at(2), freed(1, 3));
  const auto parts = index_.occupy(units(0, 2), 1);
  index_.settle(up_to(1, 3));
  index_.restore(parts, up_to(1, 3));
  EXPECT_EQ(index_.pieces().size(), 3U) << "three units in one piece, a block, and the free rest";
  EXPECT_EQ(index_.find_idle(3 * unit, settled), at(0));
}

TEST_F(BlockIndex, UnsettledNamesTheLastFreeOfEachStream) {
  fill({1, 2, 1});
  index_.vacate(at(0), freed(1, 9));
  index_.vacate(at(1), freed(1, 2));
  index_.vacate(at(3), freed(2, 1));
  EXPECT_THAT(index_.unsettled(), ElementsAre(freed(1, 9), freed(2, 1)));
}

// -- idle memory -----------------------------------------------------------------------------------------

TEST_F(BlockIndex, TheSmallestPieceThatFitsIsTaken) {
  fill({3, 1, 2, 1, 4, 1});
  for (const auto begin : {0U, 4U, 7U}) {
    index_.vacate(at(begin), freed(1, begin + 1));
  }
  constexpr reach own{.own = stream_id{1}};
  EXPECT_EQ(index_.find_idle(unit, own), at(4));
  EXPECT_EQ(index_.find_idle(2 * unit, own), at(4));
  EXPECT_EQ(index_.find_idle(3 * unit, own), at(0));
  EXPECT_EQ(index_.find_idle(4 * unit, own), at(7));
  EXPECT_EQ(index_.find_idle(5 * unit, own), std::nullopt);
}

TEST_F(BlockIndex, OfPiecesOfOneSizeTheLowestIsTakenWhoeverFreedIt) {
  fill({1, 1, 1, 1, 1, 3});
  index_.vacate(at(4), freed(1, 1));
  index_.vacate(at(2), freed(2, 1));
  index_.vacate(at(0), freed(3, 1));
  EXPECT_EQ(index_.find_idle(unit, everything), at(0));
  const auto clock = up_to(2, 1);
  EXPECT_EQ(index_.find_idle(unit, {.own = stream_id{1}, .ordered = &clock}), at(2));
  EXPECT_EQ(index_.find_idle(unit, {.own = stream_id{1}}), at(4));
}

TEST_F(BlockIndex, ABetterPieceOutOfReachDoesNotHideOneInReach) {
  fill({1, 1, 2, 1, 2, 1});
  index_.vacate(at(0), freed(2, 8));
  index_.vacate(at(2), freed(2, 7));
  index_.vacate(at(5), freed(2, 6));
  const auto clock = up_to(2, 6);
  EXPECT_EQ(index_.find_idle(unit, {.ordered = &clock}), at(5));
  EXPECT_EQ(index_.find_idle(unit, {.own = stream_id{1}}), std::nullopt);
}

TEST_F(BlockIndex, ASinglePieceGoesBeforeARunOfNeighbours) {
  fill({1, 1, 1, 4, 1});
  index_.vacate(at(0), freed(1, 1));
  index_.vacate(at(1), freed(1, 2));
  index_.vacate(at(3), freed(1, 3));
  EXPECT_EQ(index_.find_idle(2 * unit, {.own = stream_id{1}}), at(3)) << "the run would fit more closely";
}

TEST_F(BlockIndex, TheSmallestRunOfNeighboursThatFitsIsTakenThenTheLowest) {
  fill({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2});
  for (const auto begin : {0U, 1U, 2U, 4U, 5U, 7U, 8U}) {
    index_.vacate(at(begin), freed(1, begin + 1));
  }
  constexpr reach own{.own = stream_id{1}};
  EXPECT_EQ(index_.find_idle(2 * unit, own), at(4));
  EXPECT_EQ(index_.find_idle(3 * unit, own), at(0));
  EXPECT_EQ(index_.largest_idle(own), 3 * unit);
}

TEST_F(BlockIndex, ARunEndsWhereTheRuleEnds) {
  fill({1, 1, 1, 1});
  index_.vacate(at(0), freed(1, 1));
  index_.vacate(at(1), freed(2, 1));
  index_.vacate(at(2), freed(1, 2));
  EXPECT_EQ(index_.find_idle(2 * unit, {.own = stream_id{1}}), std::nullopt);
  EXPECT_EQ(index_.largest_idle({.own = stream_id{1}}), unit);
  const auto clock = up_to(2, 1);
  EXPECT_EQ(index_.find_idle(3 * unit, {.own = stream_id{1}, .ordered = &clock}), at(0));
}

// -- new memory ------------------------------------------------------------------------------------------

void expect_place(const std::optional<new_place>& place, range block, const std::vector<range>& held,
                  const std::vector<range>& moved = {}) {
  ASSERT_TRUE(place);
  EXPECT_EQ(place->block, block);
  EXPECT_EQ(place->held, held);
  EXPECT_EQ(place->moved, moved);
  std::uint64_t new_bytes = 0;
  for (const auto part : held) {
    new_bytes += part.bytes;
  }
  for (const auto part : moved) {
    new_bytes -= part.bytes;
  }
  EXPECT_EQ(place->new_bytes, new_bytes);
}

TEST_F(BlockIndex, ASmallBlockStartsInTheIdleLeftNeighbour) {
  fill({1});
  expect_place(index_.find_new(6 * unit, settled), units(1, 6), {granules(1, 1)});
  expect_place(index_.find_new(7 * unit, settled), units(1, 7), {granules(1, 1)});
  expect_place(index_.find_new(8 * unit, settled), units(1, 8), {granules(1, 2)});
}

TEST_F(BlockIndex, ASmallBlockEndsInTheIdleRightNeighbour) {
  index_.hold(granules(7, 1));
  index_.occupy(units(30, 2), 2 * unit);
  expect_place(index_.find_new(5 * unit, settled), units(25, 5), {granules(6, 1)});
}

TEST_F(BlockIndex, ASmallBlockFillsTheGapBetweenTwoIdleNeighbours) {
  fill({3, 1, 4, 4, 1, 3});
  index_.vacate(at(4), {});
  index_.vacate(at(8), {});
  index_.release(granules(1, 2));
  index_.vacate(at(3), {});
  index_.vacate(at(12), {});
  expect_place(index_.find_new(10 * unit, settled), units(3, 10), {granules(1, 2)});
}

TEST_F(BlockIndex, NeighboursOutOfReachAreLeftAlone) {
  fill({1, 3});
  index_.vacate(at(1), freed(1, 1));
  expect_place(index_.find_new(4 * unit, settled), units(4, 4), {granules(1, 1)});
  expect_place(index_.find_new(4 * unit, {.own = stream_id{1}, .settled = true}), units(1, 4),
               {granules(1, 1)});
}

TEST_F(BlockIndex, OfPlacesWithEquallyManyNewGranulesTheSmallestGapIsTaken) {
  fill({4, 4, 4});
  index_.vacate(at(4), {});
  index_.release(granules(1, 1));
  expect_place(index_.find_new(2 * unit, settled), units(4, 2), {granules(1, 1)});
}

// Idle are the unit 3 and the granule 2, free are the granules 1, 3 and all from 5 on.
TEST_F(BlockIndex, ABlockMayReachAcrossIdleMemoryBetweenTwoGaps) {
  fill({3, 1, 4, 4, 4, 4});
  for (const auto begin : {3U, 4U, 8U, 12U}) {
    index_.vacate(at(begin), {});
  }
  index_.release(granules(1, 1));
  index_.release(granules(3, 1));
  expect_place(index_.find_new(6 * unit, settled), units(3, 6), {granules(1, 1)});
  expect_place(index_.find_new(9 * unit, settled), units(3, 9), {granules(1, 1)});
  expect_place(index_.find_new(10 * unit, settled), units(3, 10), {granules(1, 1), granules(3, 1)});
  expect_place(index_.find_new(13 * unit, settled), units(3, 13), {granules(1, 1), granules(3, 1)});
  EXPECT_EQ(index_.find_new(14 * unit, settled), std::nullopt);
  EXPECT_EQ(index_.largest_new(granule_bytes, settled), 9 * unit);
  EXPECT_EQ(index_.largest_new(2 * granule_bytes, settled), 13 * unit);
}

TEST_F(BlockIndex, AWindowWithoutAPlaceSaysSo) {
  EXPECT_EQ(index_.find_new(33 * unit, settled), std::nullopt);
  index_.hold(granules(0, 8));
  EXPECT_EQ(index_.find_new(unit, reach{}), std::nullopt);
}

TEST(BlockIndexOfGranules, BlocksGoToTheSmallestFreePieceThatFits) {
  block_index index(granules(0, 8), granule_bytes);
  index.hold(granules(0, 1));
  index.occupy(granules(0, 1), 1);
  index.hold(granules(3, 1));
  index.occupy(granules(3, 1), 1);
  // Free are the granules 1 to 2 and 4 to 7.
  expect_place(index.find_free(granule_bytes), granules(1, 1), {granules(1, 1)});
  expect_place(index.find_free(3 * granule_bytes), granules(4, 3), {granules(4, 3)});
  EXPECT_EQ(index.find_free(5 * granule_bytes), std::nullopt);
  EXPECT_EQ(index.find_new(5 * granule_bytes, settled), std::nullopt);
  EXPECT_EQ(index.largest_new(8 * granule_bytes, settled), 4 * granule_bytes);
  EXPECT_EQ(index.largest_new(2 * granule_bytes - 1, settled), granule_bytes);
}

TEST(BlockIndexOfGranules, BlocksMayBeJoinedWithIdleMemory) {
  block_index index(granules(0, 8), granule_bytes);
  index.hold(granules(0, 2));
  index.occupy(granules(0, 1), 1);
  index.hold(granules(4, 1));
  index.occupy(granules(4, 1), 1);
  // Idle is the granule 1, free are the granules 2 to 3 and 5 to 7.
  expect_place(index.find_free(2 * granule_bytes), granules(2, 2), {granules(2, 2)});
  expect_place(index.find_new(2 * granule_bytes, settled), granules(1, 2), {granules(2, 1)});
  expect_place(index.find_new(2 * granule_bytes, reach{}), granules(2, 2), {granules(2, 2)});
}

// -- giving up -------------------------------------------------------------------------------------------

TEST_F(BlockIndex, WholeGranulesAreGivenUpFromTheHighestOn) {
  fill({1, 1, 4, 4, 4, 2});
  for (const auto begin : {1U, 2U, 6U, 14U}) {
    index_.vacate(at(begin), {});
  }
  // Idle are the units 1 to 9 and 14 to 15: one whole granule, 1.
  EXPECT_THAT(index_.find_releasable(8 * granule_bytes, settled), ElementsAre(granules(1, 1)));
  index_.vacate(at(10), {});
  EXPECT_THAT(index_.find_releasable(8 * granule_bytes, settled), ElementsAre(granules(1, 3)));
  EXPECT_THAT(index_.find_releasable(2 * granule_bytes, settled), ElementsAre(granules(2, 2)));
}

TEST_F(BlockIndex, NoMoreIsGivenUpThanAskedFor) {
  index_.hold(granules(0, 1));
  index_.hold(granules(2, 3));
  EXPECT_THAT(index_.find_releasable(granule_bytes - 1, settled), IsEmpty());
  EXPECT_THAT(index_.find_releasable(2 * granule_bytes - 1, settled), ElementsAre(granules(4, 1)));
  EXPECT_THAT(index_.find_releasable(4 * granule_bytes, settled),
              ElementsAre(granules(2, 3), granules(0, 1)));
  EXPECT_THAT(index_.find_releasable(4 * granule_bytes, reach{}), IsEmpty());
}

TEST_F(BlockIndex, WhatIsSparedIsGivenUpLast) {
  index_.hold(granules(1, 5));
  EXPECT_THAT(index_.find_releasable(2 * granule_bytes, settled, units(15, 2)),
              ElementsAre(granules(5, 1), granules(2, 1)));
  EXPECT_THAT(index_.find_releasable(4 * granule_bytes, settled, units(15, 2)),
              ElementsAre(granules(5, 1), granules(1, 2), granules(4, 1)));
}

TEST_F(BlockIndex, AGranuleWithPartsOfDifferentFreesIsGivenUpIfAllMayGo) {
  fill({2, 2});
  index_.vacate(at(0), freed(1, 1));
  index_.vacate(at(2), freed(2, 1));
  const auto first = up_to(1, 1);
  EXPECT_THAT(index_.find_releasable(granule_bytes, {.executed = &first}), IsEmpty());
  EXPECT_THAT(index_.find_releasable(granule_bytes, everything), ElementsAre(granules(0, 1)));
}

TEST_F(BlockIndex, ReleasedGranulesAreFreeAndMerge) {
  fill({4, 4, 4});
  index_.vacate(at(8), {});
  index_.vacate(at(4), freed(1, 1));
  index_.release(granules(1, 2));
  EXPECT_EQ(index_.pieces().size(), 2U);
  EXPECT_EQ(index_.idle_bytes(), 0U);
  EXPECT_THAT(index_.unsettled(), IsEmpty());
}

}  // namespace
