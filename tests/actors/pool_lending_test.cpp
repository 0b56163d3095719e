// The pool and what it lends: whom it asks before what, and what it makes of the answers. Streams are probes.

#include <utility>

#include "pool_lending_fixture.hpp"

namespace {

using namespace actor_tests;
using messages::collect_stock;
using messages::setting;

class PoolLending : public lending_fixture {};

TEST_F(PoolLending, LendsWhatTheStreamMayKeep) {
  const auto made = block(1, granule - 5);
  const auto answered = free(made, at(1, 2));
  EXPECT_EQ(answered.value().bytes, granule);
  EXPECT_EQ(answered.value().requested, granule - 5);
  EXPECT_GT(answered.value().term, 0U);
}

TEST_F(PoolLending, LendsNothingToWhomDoesNotWantIt) {
  EXPECT_EQ(give_back(block(1, granule), at(1, 2)).value().term, 0U);
}

TEST_F(PoolLending, LendsNothingWhileItGuards) {
  make_pool({.guard = true});
  EXPECT_EQ(free(block(1, granule), at(1, 2)).value().term, 0U);
}

TEST_F(PoolLending, LendsNothingOnceItIsRetired) {
  const auto made = block(1, granule);
  block(1, granule);
  retire();
  EXPECT_EQ(free(made, at(1, 2), false).value().term, 0U);
}

// What the stream has not got any more is live.
TEST_F(PoolLending, AsksForItsFigures) {
  const auto made = blocks({1, 1});
  const auto idle = made[0];
  lend(idle, at(1, 2));
  lend(made[1], at(1, 3));
  const auto asked = figures();
  ASSERT_TRUE(is_asked(1));
  EXPECT_FALSE(asked.arrived());
  return_all(1, {stocked(idle, 5)});
  EXPECT_EQ(asked.value().heap.used, granule);
  EXPECT_EQ(asked.value().heap.live_blocks, 1U);
}

TEST_F(PoolLending, AsksEachStreamOnce) {
  const auto made = blocks({1, 2});
  lend(made[0], at(1, 2));
  lend(made[1], at(2, 2));
  const auto one = figures();
  const auto other = figures();
  EXPECT_EQ(streams_.at(1).count<collect_stock>(), 1U);
  return_all(1, {});
  EXPECT_FALSE(one.arrived());
  return_all(2, {});
  EXPECT_TRUE(one.succeeded());
  EXPECT_TRUE(other.succeeded());
  EXPECT_FALSE(is_asked(1));
}

TEST_F(PoolLending, KeepsTheOrderOfWhatComesMeanwhile) {
  const auto idle = lent(at(1, 2));
  const auto asked = figures();
  const auto freed = give_back(idle, at(2, 1));  // a second free, as it will turn out
  EXPECT_FALSE(freed.arrived());
  return_all(1, {stocked(idle, 2)});
  EXPECT_TRUE(asked.succeeded());
  EXPECT_TRUE(freed.failed_with(fault_code::unknown_address));
}

TEST_F(PoolLending, TakesTheBestBlockAlongWithARequest) {
  const auto idle = lent(at(1, 2));
  messages::grant_block wish{messages::stream_id{1}, {}, granule, {}, stocked(idle, 2)};
  wish.executed = messages::sequence_number{2};
  const auto wanted = ask(pool_, std::move(wish));
  EXPECT_EQ(taken(wanted), idle);
  EXPECT_EQ(wanted.value().how, memory::served::same_stream);
  EXPECT_TRUE(wanted.value().took_offer);
}

TEST_F(PoolLending, LeavesTheStreamABlockThatIsNotTheBest) {
  const auto made = blocks({1, 1});
  give_back(made[0], at(1, 2));
  lend(made[1], at(1, 3));
  const auto wanted =
      ask(pool_, messages::grant_block{messages::stream_id{1}, {}, granule, {}, stocked(made[1], 3)});
  EXPECT_EQ(taken(wanted), made[0]);
  EXPECT_FALSE(wanted.value().took_offer);
}

// What was collected in between is the pool's already, and may have gone to somebody else.
TEST_F(PoolLending, DoesNotTakeAnOfferOfALeaseThatIsOver) {
  const auto idle = lent(at(1, 2));
  const auto asked = figures();
  messages::grant_block wish{messages::stream_id{1}, {}, granule, {}, stocked(idle, 2)};
  wish.report = {7, 0, 0, granule, granule};
  const auto wanted = ask(pool_, std::move(wish));
  return_all(1, {stocked(idle, 2)});
  EXPECT_EQ(taken(wanted), idle);
  EXPECT_EQ(heap().served_counts[0], 1U);
}

// -- whom it asks before a grant ----------------------------------------------------------------------------

TEST_F(PoolLending, AsksNobodyAsLongAsAPieceOfTheStreamFits) {
  const auto made = blocks({1, 2, 1});
  const auto known = made[2];
  lend(made[0], at(1, 2));
  lend(made[1], at(2, 2));
  give_back(known, at(1, 3));
  EXPECT_EQ(taken(want(1, granule)), known);
  EXPECT_FALSE(is_asked(1) || is_asked(2));
}

TEST_F(PoolLending, AsksTheStreamItselfBeforeItGrows) {
  const auto idle = lent(at(1, 2));
  const auto wanted = want(1, granule);
  ASSERT_TRUE(is_asked(1));
  EXPECT_TRUE(streams_.at(1).take<collect_stock>().is_deciding);
  static_cast<void>(idle);
}

TEST_F(PoolLending, AsksStreamsThatTheTakerIsOrderedBehind) {
  make_pool({.reuse = {.event = true}});
  give_back(block(9, 4 * granule), at(9, 1));  // no mark is passed
  const auto made = blocks({1, 2});
  const auto idle = made[0];
  lend(idle, at(1, 2));
  lend(made[1], at(2, 2));
  const auto before = want(3, granule, clock({at(1, 1)}));
  EXPECT_FALSE(is_asked(1));
  allow();
  taken(before);
  const auto behind = want(3, granule, clock({at(1, 2)}));
  EXPECT_FALSE(is_asked(2));
  return_all(1, {stocked(idle, 2)});
  EXPECT_EQ(taken(behind), idle);
}

TEST_F(PoolLending, AsksNoOtherStreamIfTheSwitchIsOff) {
  give_back(block(9, 4 * granule), at(9, 1));  // no mark is passed
  lent(at(1, 2));
  const auto wanted = want(3, granule, clock({at(1, 2)}));
  EXPECT_FALSE(wanted.arrived());
  EXPECT_FALSE(is_asked(1));
  EXPECT_EQ(device_.count<messages::reserve_memory>(), 1U);
}

TEST_F(PoolLending, AsksAllBeforeAnOpportunity) {
  make_pool({.reuse = {.opportunistic = true}});
  const auto idle = lent(at(1, 2), granule, false);
  const auto wanted = want(3, granule);
  return_all(1, {stocked(idle, 2)}, 2);
  EXPECT_EQ(wanted.value().how, memory::served::opportunistic);
}

TEST_F(PoolLending, KnowsWhichFreesAreNotExecutedYet) {
  make_pool({.reuse = {.opportunistic = true}});
  const auto idle = lent(at(1, 2), granule, false);
  const auto wanted = want(3, granule);
  return_all(1, {stocked(idle, 2)}, 1);
  EXPECT_FALSE(wanted.arrived());
  EXPECT_NE(allow().bytes, 0U);
}

TEST_F(PoolLending, AsksAllBeforeAWait) {
  make_pool({.limit = granule, .reuse = {.internal = true}});
  const auto idle = lent(at(1, 2), granule, false);
  const auto wanted = want(3, granule);
  return_all(1, {stocked(idle, 2)}, 1);
  EXPECT_EQ(wanted.value().how, memory::served::internal);
  EXPECT_EQ(wanted.value().wait_for.size(), 1U);
  EXPECT_EQ(wanted.value().wait_for.front().stream, stream(1));
}

TEST_F(PoolLending, AsksAllBeforeARefusal) {
  make_pool({.limit = granule});
  const auto idle = lent(at(1, 2), granule, false);
  const auto wanted = want(3, granule);
  return_all(1, {stocked(idle, 2)}, 1);
  tell_left();
  EXPECT_TRUE(wanted.failed_with(fault_code::out_of_memory));
}

// -- other occasions ----------------------------------------------------------------------------------------

TEST_F(PoolLending, AsksBeforeTrimSettingsAndTheEnd) {
  const auto idle = lent(at(1, 2));
  const auto trimmed = trim(0);
  return_all(1, {stocked(idle, 2)});
  EXPECT_TRUE(trimmed.succeeded());
  EXPECT_EQ(returned(), granule);
  const auto second = lent(at(1, 5));
  const auto changed = set(setting::used_high, 0);
  EXPECT_FALSE(changed.arrived());
  return_all(1, {stocked(second, 5)});
  EXPECT_TRUE(changed.succeeded());
  const auto third = lent(at(1, 8));
  retire();
  return_all(1, {stocked(third, 8)});
  EXPECT_EQ(returned(), granule);
  EXPECT_TRUE(has_ended());
}

TEST_F(PoolLending, AsksWhomTheHostHasSeen) {
  const auto idle = lent(at(1, 5));
  EXPECT_TRUE(host_saw(clock({at(1, 4), at(2, 9)})).succeeded());
  const auto saw = host_saw(clock({at(1, 5)}));
  EXPECT_FALSE(saw.arrived());
  return_all(1, {stocked(idle, 5)});
  EXPECT_TRUE(saw.succeeded());
  EXPECT_EQ(taken(want(2, granule)), idle);
}

TEST_F(PoolLending, AsksBeforeItGivesExecutedMemoryToTheDevice) {
  const auto idle = lent(at(1, 2));
  EXPECT_EQ(release_idle(granule, seen).value().bytes, 0U);
  const auto released = release_idle(granule, executed);
  EXPECT_FALSE(released.arrived());
  return_all(1, {stocked(idle, 2)});
  EXPECT_EQ(released.value().bytes, granule);
}

// The device may be waiting for this pool on behalf of another one that waits for the device.
TEST_F(PoolLending, AsksForTheDeviceAlsoWhileItDecides) {
  give_back(block(9, 4 * granule), at(9, 1));  // no mark is passed
  const auto idle = lent(at(1, 2));
  const auto wanted = want(3, granule);
  const auto released = release_idle(granule, executed);
  return_all(1, {stocked(idle, 2)});
  EXPECT_EQ(released.value().bytes, granule);
  allow();
  EXPECT_TRUE(wanted.succeeded());
}

TEST_F(PoolLending, AsksTheLenderAboutABlockThatAnotherStreamFrees) {
  const auto made = blocks({1, 1});
  const auto idle = made[0];
  const auto live = made[1];
  lend(idle, at(1, 2));
  lend(live, at(1, 3));
  const auto freed = give_back(live, at(2, 1));
  EXPECT_FALSE(freed.arrived());
  tell_live(1, live);
  EXPECT_TRUE(freed.succeeded());
  EXPECT_TRUE(give_back(live, at(2, 2)).failed_with(fault_code::unknown_address));
  const auto asked = figures();
  return_all(1, {stocked(idle, 2)});
  EXPECT_EQ(asked.value().heap.used, 0U);
}

TEST_F(PoolLending, RefusesAFreeOfABlockThatTheLenderHasFreed) {
  const auto idle = lent(at(1, 2));
  const auto freed = give_back(idle, at(2, 1));
  return_all(1, {stocked(idle, 2)});
  EXPECT_TRUE(freed.failed_with(fault_code::unknown_address));
}

TEST_F(PoolLending, TakesAFreeOfTheLenderItselfThatHadNotHeardOfTheLease) {
  const auto made = blocks({1, 1});
  give_back(made[0], at(1, 2));
  lend(made[1], at(1, 3));
  EXPECT_EQ(taken(want(1, granule)), made[0]);
  EXPECT_TRUE(give_back(made[0], at(1, 5)).succeeded());
  EXPECT_FALSE(is_asked(1));
}

TEST_F(PoolLending, ExplainsHowTheStreamServedABlock) {
  const auto made = blocks({1, 1});
  give_back(made[0], at(1, 2));
  lend(made[1], at(1, 3));
  taken(want(1, granule));
  const auto explained = ask(pool_, messages::explain_block{made[0], {}});
  tell_live(1, made[0], 9);
  EXPECT_EQ(explained.value().reason.how, memory::served::same_stream);
  EXPECT_EQ(explained.value().reason.freed_at, at(1, 9));
}

TEST_F(PoolLending, AsksTheLenderAboutABlockThatTheHostAsksFor) {
  const auto idle = lent(at(1, 2));
  const auto found = ask(pool_, messages::find_block{idle, {}});
  return_all(1, {stocked(idle, 2)});
  EXPECT_TRUE(found.failed_with(fault_code::unknown_address));
}

// -- streams that end ---------------------------------------------------------------------------------------

TEST_F(PoolLending, TakesBackWhatAStreamReturnsAtItsEnd) {
  const auto made = blocks({1, 1});
  const auto idle = made[0];
  const auto live = made[1];
  lend(idle, at(1, 2));
  lend(live, at(1, 3));
  messages::return_stock all{messages::stream_id{1}, {}, true};
  all.stock.blocks = {stocked(idle, 2)};
  tell(pool_, std::move(all));
  EXPECT_EQ(heap().used, granule);
  EXPECT_TRUE(give_back(live, at(2, 1)).succeeded());
  EXPECT_FALSE(is_asked(1));
}

// The answer that says that the block is lent never reaches the stream.
TEST_F(PoolLending, TakesBackAFreeThatTheStreamDidNotHearOf) {
  lent(at(1, 2));
  const auto asked = figures();
  messages::stock_returned returned;
  returned.unsettled = memory::sequence_number{2};
  answer(streams_.at(1).take<collect_stock>().reply, std::move(returned));
  EXPECT_EQ(asked.value().heap.used, 0U);
}

// The block was lent by an earlier free, and given out again by the stream since.
TEST_F(PoolLending, TellsAFreeByItsTaskAndNotByItsBlock) {
  lent(at(1, 2));
  const auto asked = figures();
  messages::stock_returned returned;
  returned.unsettled = memory::sequence_number{4};
  answer(streams_.at(1).take<collect_stock>().reply, std::move(returned));
  EXPECT_EQ(asked.value().heap.used, granule);
}

TEST_F(PoolLending, TakesBackWhatWasLentToAStreamThatHasEnded) {
  lent(at(1, 2));
  const auto asked = figures();
  refuse(streams_.at(1).take<collect_stock>().reply, messages::actor_gone().value());
  EXPECT_EQ(asked.value().heap.used, 0U);
}

TEST_F(PoolLending, DoesNotMeetWhatALostStreamReturnedTwice) {
  const auto live = lent(at(1, 2));
  const auto asked = figures();
  tell(pool_, messages::return_stock{messages::stream_id{1}, {}, true});
  refuse(streams_.at(1).take<collect_stock>().reply, messages::actor_gone().value());
  EXPECT_EQ(asked.value().heap.used, granule);  // live
  EXPECT_TRUE(give_back(live, at(2, 1)).succeeded());
}

// -- figures ------------------------------------------------------------------------------------------------

TEST_F(PoolLending, CountsWhatAStreamTells) {
  const auto made = blocks({1, 2});
  const auto idle = made[0];
  lend(idle, at(1, 2));
  const std::uint64_t term = 1;
  messages::give_back other{made[1], at(1, 4), stream(1), {}, true, true, {3, 0, 0, granule, granule, term}};
  ask(pool_, std::move(other));
  const auto asked = figures();
  return_all(1, {stocked(idle, 3)});
  EXPECT_EQ(asked.value().heap.served_counts[0], 3U);
  EXPECT_EQ(asked.value().heap.used_high, 2 * granule);
}

// L2: the second lender's stock must be known when the mark would be passed.
TEST_F(PoolLending, AsksOthersBeforeTheMarkIsPassed) {
  const auto idle = lent(at(1, 2));
  const auto wanted = want(2, granule);
  ASSERT_TRUE(is_asked(1));
  return_all(1, {stocked(idle, 2)});
  allow();
  EXPECT_TRUE(wanted.succeeded());
  EXPECT_EQ(heap().used_high, granule);
}

}  // namespace
