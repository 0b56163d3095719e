// The pool and leases that go on: their terms, and what of a term counts in the next one. Streams are probes.

#include "pool_lending_fixture.hpp"

namespace {

using namespace actor_tests;
using messages::collect_stock;

class PoolLeaseTerms : public lending_fixture {};

TEST_F(PoolLeaseTerms, LendsABlockFromTheStartToAStreamThatLends) {
  const auto made = blocks({1, 1});
  give_back(made[0], at(1, 2));
  const auto term = free(made[1], at(1, 3)).value().term;
  const auto wanted = want(1, granule);
  EXPECT_EQ(taken(wanted), made[0]);
  EXPECT_EQ(wanted.value().term, term);
}

TEST_F(PoolLeaseTerms, LendsNoBlockFromTheStartToOtherStreams) {
  make_pool({.reuse = {.event = true}});
  give_back(block(9, 4 * granule), at(9, 1));  // no mark is passed
  lent(at(1, 2));
  const auto wanted = want(9, granule);
  taken(wanted);
  EXPECT_EQ(wanted.value().term, 0U);
}

TEST_F(PoolLeaseTerms, KnowsLiveBlocksOfALeaseThatGoesOn) {
  const auto made = blocks({1, 1});
  lend(made[0], at(1, 2));
  lend(made[1], at(1, 3));
  const auto asked = figures();
  const auto term = return_idle(1, {stocked(made[0], 2)}, 5);
  EXPECT_EQ(asked.value().heap.used, granule);
  const auto again = figures();
  EXPECT_FALSE(again.arrived());  // it may have freed since
  return_idle(1, {stocked(made[1], 5)}, 6);
  EXPECT_EQ(again.value().heap.used, 0U);
  EXPECT_GT(term, 0U);
}

TEST_F(PoolLeaseTerms, AsksOnceForAllThatARequestNeedsToKnow) {
  const auto made = blocks({1, 1});
  lend(made[0], at(1, 2));
  lend(made[1], at(1, 3));
  const auto wanted = want(1, 2 * granule);  // of the stream itself, and of all before it grows
  return_idle(1, {}, 5);
  EXPECT_FALSE(is_asked(1));
  EXPECT_FALSE(wanted.arrived());
  EXPECT_NE(allow().bytes, 0U);
}

// L1: what it frees from its answer on is later.
TEST_F(PoolLeaseTerms, AsksAgainOnlyForFreesOfTheNewTerm) {
  const auto made = blocks({1, 1});
  lend(made[0], at(1, 2));
  lend(made[1], at(1, 3));
  const auto saw = host_saw(clock({at(1, 4)}));
  return_idle(1, {stocked(made[0], 4)}, 6);
  EXPECT_TRUE(saw.succeeded());
  EXPECT_TRUE(host_saw(clock({at(1, 5)})).succeeded());
  host_saw(clock({at(1, 6)}));
  EXPECT_TRUE(is_asked(1));
}

// L3: the request was sent in the term before.
TEST_F(PoolLeaseTerms, CountsNoReportOfATermThatIsOver) {
  const auto made = blocks({1, 1});
  lend(made[0], at(1, 2));
  const auto first = free(made[1], at(1, 3)).value().term;
  const auto asked = figures();
  messages::grant_block wish{messages::stream_id{1}, {}, granule, {}};
  wish.report = {7, 0, 0, granule, granule, first};
  const auto wanted = ask(pool_, std::move(wish));
  return_idle(1, {stocked(made[0], 2)}, 5);
  EXPECT_EQ(taken(wanted), made[0]);
  const auto counted = figures();
  return_idle(1, {}, 6);
  EXPECT_EQ(counted.value().heap.served_counts[0], 1U);
}

TEST_F(PoolLeaseTerms, EndsTheLeasesOfOthersBeforeAMarkIsPassed) {
  const auto made = blocks({1, 1});
  lend(made[0], at(1, 2));
  lend(made[1], at(1, 3));
  const auto wanted = want(2, granule);
  EXPECT_EQ(streams_.at(1).take<collect_stock>().next_term, 0U);
  static_cast<void>(wanted);
}

TEST_F(PoolLeaseTerms, EndsLeasesFromWhichNothingIsServedAgainAndAgain) {
  const auto made = blocks({1, 1});
  lend(made[0], at(1, 2));
  lend(made[1], at(1, 3));
  for (int useless = 0; useless < 8; ++useless) {
    const auto asked = figures();
    return_idle(1, {}, 5);
    EXPECT_TRUE(asked.succeeded());
  }
  const auto asked = figures();
  EXPECT_EQ(streams_.at(1).take<collect_stock>().next_term, 0U);
  static_cast<void>(asked);
}

// What a stream has served it tells also when it is asked about one block.
TEST_F(PoolLeaseTerms, GoesOnWithALeaseThatServesWhileOthersFreeItsBlocks) {
  const auto made = blocks({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  lend(made.back(), at(1, 1));
  for (std::uint64_t each = 0; each + 1 < made.size(); ++each) {
    lend(made[each], at(1, 2 + each));
    const auto freed = give_back(made[each], at(2, 1 + each));
    tell_live(1, made[each], 0, 1);
    EXPECT_TRUE(freed.succeeded());
  }
  const auto asked = figures();
  EXPECT_NE(streams_.at(1).take<collect_stock>().next_term, 0U);
  static_cast<void>(asked);
}

}  // namespace
