// How a pool decides about a grant.

#include "pool_fixture.hpp"

namespace {

using namespace actor_tests;
using memory::served;
using messages::pressure;
using testing::HasSubstr;

class PoolGrant : public pool_fixture {};

// -- the search ---------------------------------------------------------------------------------------------

TEST_F(PoolGrant, TakesNewMemoryFromTheDevice) {
  const auto wanted = want(1, 3 * granule);
  EXPECT_FALSE(wanted.arrived());
  const auto asked = allow();
  EXPECT_EQ(asked.pool, own);
  EXPECT_EQ(asked.bytes, 3 * granule);
  EXPECT_EQ(asked.allowed, pressure::none);
  EXPECT_EQ(wanted.value().how, served::new_memory);
  EXPECT_EQ(wanted.value().block, (memory::range{backing_->addresses().begin, 3 * granule}));
  EXPECT_TRUE(wanted.value().wait_for.empty());
  taken(wanted);
}

TEST_F(PoolGrant, PutsMemoryBehindTheBlock) {
  auto* bytes = reinterpret_cast<unsigned char*>(memory::number(block(1, granule)));
  bytes[0] = 1;
  bytes[granule - 1] = 2;
  EXPECT_EQ(bytes[0] + bytes[1] + bytes[granule - 1], 3);
}

TEST_F(PoolGrant, AsksOnlyForTheGranulesThatAreMissing) {
  make_pool({.minimum_block = 512});
  block(1, granule / 2);
  taken(want(1, granule / 2));
  EXPECT_TRUE(device_.empty());
  EXPECT_EQ(heap().reserved, granule);
}

TEST_F(PoolGrant, ReusesWhatTheSameStreamFreed) {
  const auto first = block(1, granule);
  give_back(first, at(1, 2));
  const auto again = want(1, granule);
  EXPECT_EQ(again.value().how, served::same_stream);
  EXPECT_EQ(taken(again), first);
  EXPECT_TRUE(device_.empty());
}

TEST_F(PoolGrant, ReusesWhatIsOrderedBeforeTheTakerIfItMay) {
  make_pool({.reuse = {.event = true}});
  const auto first = block(1, granule);
  give_back(first, at(1, 2));
  const auto again = want(2, granule, clock({at(1, 2)}));
  EXPECT_EQ(again.value().how, served::event);
  EXPECT_EQ(taken(again), first);
}

TEST_F(PoolGrant, ReusesNothingOfOtherStreamsWithAllSwitchesOff) {
  give_back(block(1, granule), at(1, 2));
  execute(at(1, 2));
  const auto other = want(2, granule, clock({at(1, 2)}));
  EXPECT_FALSE(other.arrived());
  allow();
  EXPECT_EQ(other.value().how, served::new_memory);
  taken(other);
}

TEST_F(PoolGrant, ReusesWhatWasExecutedIfItMay) {
  make_pool({.reuse = {.opportunistic = true}});
  const auto first = block(1, granule);
  give_back(first, at(1, 2));
  execute(at(1, 2));
  const auto again = want(2, granule);
  EXPECT_EQ(again.value().how, served::opportunistic);
  EXPECT_EQ(taken(again), first);
}

TEST_F(PoolGrant, ReusesWhatTheHostHasSeenFreedWhateverTheSwitchesSay) {
  const auto first = block(1, granule);
  give_back(first, at(1, 2));
  host_saw(clock({at(1, 2)}));
  EXPECT_EQ(taken(want(2, granule)), first);
}

TEST_F(PoolGrant, ReusesByWaitingOnlyWhenItCannotGrow) {
  make_pool({.reuse = {.internal = true}});
  give_back(block(1, granule), at(1, 2));
  const auto grown = want(2, granule);
  allow();
  EXPECT_EQ(grown.value().how, served::new_memory);
  taken(grown);
}

TEST_F(PoolGrant, NamesTheStreamsThatATakerMustWaitFor) {
  make_pool({.limit = 2 * granule, .reuse = {.internal = true}});
  const auto first = block(1, granule);
  const auto second = block(1, granule);
  give_back(first, at(1, 3));
  give_back(second, at(2, 8));
  const auto waiting = want(3, 2 * granule);
  EXPECT_TRUE(device_.empty());  // the limit leaves nothing to ask for
  EXPECT_EQ(waiting.value().how, served::internal);
  const auto& wait_for = waiting.value().wait_for;
  ASSERT_EQ(wait_for.size(), 2U);
  EXPECT_EQ(wait_for[0].stream, stream(1));
  EXPECT_EQ(wait_for[0].sequence, messages::sequence_number{3});
  EXPECT_EQ(wait_for[1].stream, stream(2));
  EXPECT_EQ(wait_for[1].sequence, messages::sequence_number{8});
  taken(waiting);
}

// -- what may be given up for it ----------------------------------------------------------------------------

TEST_F(PoolGrant, PressesTheDeviceStepByStep) {
  const auto wanted = want(1, 2 * granule);
  EXPECT_EQ(deny().allowed, pressure::none);
  EXPECT_EQ(deny().allowed, pressure::seen);
  EXPECT_EQ(deny().allowed, pressure::executed);
  EXPECT_TRUE(wanted.failed_with(fault_code::out_of_memory));
  EXPECT_TRUE(device_.empty());
}

TEST_F(PoolGrant, WaitsForAFreeBeforeExecutedMemoryIsGivenUp) {
  make_pool({.reuse = {.internal = true}});
  give_back(block(1, granule), at(1, 2));
  const auto wanted = want(2, granule);
  EXPECT_EQ(deny().allowed, pressure::none);
  EXPECT_EQ(deny().allowed, pressure::seen);
  EXPECT_EQ(wanted.value().how, served::internal);
  EXPECT_TRUE(device_.empty());
  taken(wanted);
}

TEST_F(PoolGrant, GivesItsOwnSeenMemoryUpBeforeItPressesTheDevice) {
  make_settled(granule);
  const auto wanted = want(1, 2 * granule);
  EXPECT_EQ(deny().bytes, 2 * granule);
  const auto pressed = allow();
  EXPECT_EQ(pressed.allowed, pressure::seen);
  EXPECT_EQ(pressed.bytes, granule);
  EXPECT_EQ(wanted.value().how, served::new_memory);
  taken(wanted);
  EXPECT_EQ(heap().reserved, 2 * granule);
}

TEST_F(PoolGrant, GivesItsOwnExecutedMemoryUpLast) {
  give_back(block(1, granule), at(1, 2));
  execute(at(1, 2));
  const auto wanted = want(2, granule);
  EXPECT_EQ(deny().bytes, granule);
  EXPECT_EQ(deny().bytes, granule);
  EXPECT_TRUE(device_.empty());  // nothing is missing now
  EXPECT_EQ(wanted.value().how, served::new_memory);
  taken(wanted);
}

TEST_F(PoolGrant, GivesIdleMemoryUpToStayBelowItsLimit) {
  make_pool({.limit = 3 * granule});
  const auto left = block(1, granule);
  block(1, granule);
  const auto right = block(1, granule);
  give_back_now(left);
  give_back_now(right);
  const auto wanted = want(1, 2 * granule);  // neither of the idle granules alone
  EXPECT_TRUE(device_.empty()) << "what was given up is budget enough";
  EXPECT_TRUE(wanted.succeeded());
  EXPECT_EQ(heap().reserved, 3 * granule);
  taken(wanted);
}

TEST_F(PoolGrant, GivesNothingUpWhereThatCannotHelp) {
  make_pool({.limit = 2 * granule});
  block(1, granule);
  make_settled(granule);
  const auto refused = want(1, 2 * granule);  // above the limit with the live granule
  tell_left();
  EXPECT_TRUE(refused.failed_with(fault_code::out_of_memory));
  EXPECT_TRUE(device_.empty());
  EXPECT_EQ(heap().reserved, 2 * granule);
}

TEST_F(PoolGrant, GivesNothingUpIfTheDeviceDoesNotHaveTheRest) {
  make_pool({.reuse = {.internal = true}});
  make_settled(granule);
  const auto live = block(1, granule);  // the settled granule
  const auto large = block(1, 2 * granule);
  give_back_now(live);
  give_back(large, at(1, 4));
  const auto wanted = want(2, 2 * granule);
  EXPECT_EQ(deny().bytes, 2 * granule);
  EXPECT_EQ(deny().bytes, granule) << "the rest, if it gave its idle granule up";
  EXPECT_EQ(wanted.value().how, served::internal);
  EXPECT_TRUE(device_.empty());
  EXPECT_EQ(heap().reserved, 3 * granule);
  taken(wanted);
}

TEST_F(PoolGrant, ChangesNothingWithARefusal) {
  make_settled(granule);
  block(1, granule);
  make_settled(granule);
  const auto wanted = want(1, 4 * granule);
  deny();
  EXPECT_EQ(deny().bytes, 3 * granule);
  EXPECT_EQ(deny().bytes, 3 * granule);
  EXPECT_TRUE(wanted.failed_with(fault_code::out_of_memory));
  EXPECT_TRUE(device_.empty());
  EXPECT_EQ(heap().reserved, 2 * granule);
}

// -- growing beside idle memory -----------------------------------------------------------------------------

TEST_F(PoolGrant, GrowsInNewMemoryAloneAsLongAsThereIsEnough) {
  const auto first = block(1, granule);
  give_back(first, at(1, 2));
  const auto wanted = want(1, 2 * granule);
  EXPECT_EQ(allow().bytes, 2 * granule);
  EXPECT_EQ(taken(wanted), first + granule);
}

TEST_F(PoolGrant, GrowsBesideIdleMemoryThatItMayTakeBelowItsLimit) {
  make_pool({.limit = 2 * granule});
  const auto first = block(1, granule);
  give_back(first, at(1, 2));
  const auto wanted = want(1, 2 * granule);
  EXPECT_EQ(allow().bytes, granule);
  EXPECT_EQ(wanted.value().how, served::new_memory);
  EXPECT_TRUE(wanted.value().wait_for.empty());
  EXPECT_EQ(taken(wanted), first);
  EXPECT_EQ(heap().reserved, 2 * granule);
}

TEST_F(PoolGrant, GrowsBesideIdleMemoryWithWhatTheDeviceHasLeft) {
  const auto first = block(1, granule);
  give_back(first, at(1, 2));
  const auto wanted = want(1, 3 * granule);
  EXPECT_EQ(deny(2 * granule).bytes, 3 * granule);
  const auto asked = allow();
  EXPECT_EQ(asked.bytes, 2 * granule);
  EXPECT_EQ(asked.allowed, pressure::none);
  EXPECT_EQ(taken(wanted), first);
}

TEST_F(PoolGrant, GivesUpIdleMemoryElsewhereBeforeTheOneThatItGrowsBeside) {
  make_pool({.limit = 3 * granule});
  const auto first = block(1, granule);
  block(1, granule);
  const auto last = block(1, granule);
  give_back_now(first);
  give_back_now(last);
  const auto wanted = want(1, 2 * granule);
  EXPECT_TRUE(device_.empty()) << "what was given up is budget enough";
  EXPECT_EQ(taken(wanted), last);
  EXPECT_EQ(heap().backing_returned_bytes, granule);
}

TEST_F(PoolGrant, GrowsBesideIdleMemoryThatMustBeWaitedFor) {
  make_pool({.limit = 2 * granule, .reuse = {.internal = true}});
  const auto first = block(1, granule);
  give_back(first, at(1, 2));
  const auto wanted = want(2, 2 * granule);
  const auto asked = allow();
  EXPECT_EQ(asked.bytes, granule);
  EXPECT_EQ(asked.allowed, pressure::seen);
  EXPECT_EQ(wanted.value().how, served::internal);
  ASSERT_EQ(wanted.value().wait_for.size(), 1U);
  EXPECT_EQ(wanted.value().wait_for[0].sequence, messages::sequence_number{2});
  EXPECT_EQ(taken(wanted), first);
  EXPECT_EQ(heap().served_counts[static_cast<std::size_t>(served::internal)], 1U);
}

TEST_F(PoolGrant, DoesNotGrowBesideWhatMustBeWaitedForWithoutTheSwitch) {
  make_pool({.limit = 2 * granule});
  give_back(block(1, granule), at(1, 2));
  const auto wanted = want(2, 2 * granule);
  tell_left(granule);
  EXPECT_TRUE(wanted.failed_with(fault_code::out_of_memory));
}

// The device may hold against the pool what it asked for before.
TEST_F(PoolGrant, AsksADeviceThatRefusedOnlyForLess) {
  make_pool({.minimum_block = 512});
  const auto wanted = want(1, 2 * granule);
  for (const auto allowed : {pressure::none, pressure::seen, pressure::executed}) {
    EXPECT_EQ(deny(9 * granule).allowed, allowed);
  }
  EXPECT_TRUE(wanted.failed_with(fault_code::out_of_memory));
  EXPECT_TRUE(device_.empty());
}

// -- refusals -----------------------------------------------------------------------------------------------

TEST_F(PoolGrant, RefusesABlockOfNothing) {
  EXPECT_TRUE(want(1, 0).failed_with(fault_code::invalid_argument));
  EXPECT_TRUE(device_.empty());
}

TEST_F(PoolGrant, RefusesWhatCannotBeRounded) {
  EXPECT_TRUE(want(1, ~std::uint64_t{0}).failed_with(fault_code::invalid_argument));
}

TEST_F(PoolGrant, RefusesMoreThanItsLimitWithoutTakingAnythingFromTheDevice) {
  const auto wanted = want(1, 17 * granule);
  tell_left(99 * granule);
  EXPECT_TRUE(wanted.failed_with(fault_code::out_of_memory));
  EXPECT_THAT(wanted.failure().text, HasSubstr("left on the device " + memory::describe_bytes(99 * granule)));
  EXPECT_TRUE(device_.empty());
}

TEST_F(PoolGrant, SaysWhyItRefuses) {
  block(1, 2 * granule);
  give_back(block(1, granule), at(1, 3));
  const auto wanted = want(2, 5 * granule);
  deny();
  deny();
  deny(4 * granule);
  const auto& text = wanted.failure().text;
  EXPECT_THAT(text, HasSubstr("wanted " + memory::describe_bytes(5 * granule)));
  EXPECT_THAT(text, HasSubstr("used " + memory::describe_bytes(2 * granule)));
  EXPECT_THAT(text, HasSubstr("idle " + memory::describe_bytes(granule)));
  EXPECT_THAT(text, HasSubstr("limit " + memory::describe_bytes(16 * granule)));
  EXPECT_THAT(text, HasSubstr("left on the device " + memory::describe_bytes(4 * granule)));
  EXPECT_THAT(text, HasSubstr("largest block to be had " + memory::describe_bytes(4 * granule)));
  EXPECT_THAT(text, HasSubstr("stream 1 up to its task 3"));
}

TEST_F(PoolGrant, ChangesNoFigureWithARefusal) {
  block(1, granule);
  const auto before = heap();
  want(1, 99 * granule);
  tell_left();
  const auto after = heap();
  EXPECT_EQ(after.used, before.used);
  EXPECT_EQ(after.used_high, before.used_high);
  EXPECT_EQ(after.reserved, before.reserved);
  EXPECT_EQ(after.live_blocks, before.live_blocks);
}

TEST_F(PoolGrant, PassesOnThatTheDeviceHasGone) {
  const auto wanted = want(1, granule);
  for (int stage = 0; stage < 3; ++stage) {
    device_.forgetter()();
    run();
  }
  EXPECT_TRUE(wanted.failed_with(fault_code::actor_gone));
}

// -- while a grant waits for the device ---------------------------------------------------------------------

TEST_F(PoolGrant, DecidesInTheOrderOfItsMailbox) {
  const auto first = want(1, granule);
  const auto second = want(2, 2 * granule);
  EXPECT_EQ(allow().bytes, granule);
  EXPECT_TRUE(first.arrived());
  EXPECT_FALSE(second.arrived());
  EXPECT_EQ(allow().bytes, 2 * granule);
  EXPECT_TRUE(second.arrived());
  taken(first);
  taken(second);
}

TEST_F(PoolGrant, KeepsWhatCouldChangeTheDecisionUntilItIsMade) {
  const auto live = block(1, granule);
  const auto wanted = want(2, granule);
  const auto freed = give_back(live, at(1, 2));
  const auto told = host_saw(clock({at(1, 2)}));
  const auto trimmed = trim(0);
  const auto changed = set(messages::setting::reuse_event, 1);
  const auto counted = figures();
  const auto found = ask(pool_, messages::find_block{live, {}});
  EXPECT_FALSE(freed.arrived() || told.arrived() || trimmed.arrived() || changed.arrived() ||
               counted.arrived() || found.arrived());
  allow();
  EXPECT_TRUE(freed.succeeded() && told.succeeded() && trimmed.succeeded() && changed.succeeded());
  EXPECT_EQ(counted.value().heap.live_blocks, 1U);
  EXPECT_TRUE(found.failed_with(fault_code::unknown_address));
  taken(wanted);
  EXPECT_EQ(returned(), granule);  // the trim's
}

TEST_F(PoolGrant, GivesIdleMemoryUpAtOnceWhileItDecides) {
  make_settled(2 * granule);
  const auto wanted = want(1, 4 * granule);
  EXPECT_EQ(release_idle(granule, seen).value().bytes, granule);
  EXPECT_FALSE(wanted.arrived());
  allow();
  taken(wanted);
  EXPECT_EQ(heap().reserved, 5 * granule);
}

TEST_F(PoolGrant, PlansAnewWhenItsPlanIsSpoiled) {
  make_pool({.minimum_block = 512});
  make_settled(granule);
  const auto wanted = want(1, granule + granule / 2);
  const auto first = device_.take<messages::reserve_memory>();
  EXPECT_EQ(first.bytes, granule);  // beside the idle one
  EXPECT_EQ(release_idle(granule, seen).value().bytes, granule);
  answer(first.reply, messages::memory_reserved{granule, 0});
  EXPECT_FALSE(wanted.arrived());
  EXPECT_EQ(allow().bytes, granule);
  EXPECT_TRUE(wanted.succeeded());
  EXPECT_EQ(heap().reserved, 2 * granule);
  taken(wanted);
}

// The request could be served from half of a granule whose free is executed while the pool asks the device:
// all that may be reused has to be tried before a refusal.
TEST_F(PoolGrant, TriesWhatWasExecutedMeanwhileBeforeItRefuses) {
  make_pool({.minimum_block = 512, .reuse = {.opportunistic = true}});
  const auto first = block(1, granule / 2);
  block(1, granule / 2);
  give_back(first, at(1, 3));
  const auto wanted = want(2, granule / 2);
  execute(at(1, 3));
  while (!device_.empty()) {
    deny();
  }
  ASSERT_TRUE(wanted.arrived());
  ASSERT_TRUE(wanted.succeeded()) << wanted.failure().text;
  EXPECT_EQ(wanted.value().how, served::opportunistic);
  taken(wanted);
}

// -- a block that its stream does not take ------------------------------------------------------------------

TEST_F(PoolGrant, TakesABlockBackThatIsNotQueued) {
  const auto wanted = want(1, granule);
  allow();
  refuse(wanted.value().queued, broken("stopped"));
  EXPECT_EQ(heap().live_blocks, 0U);
}

TEST_F(PoolGrant, TakesABlockBackWhoseStreamIsLost) {
  messages::answer<messages::block_granted> lost([](const auto& /*nobody waits for it*/) {});
  tell(pool_, messages::grant_block{messages::stream_id{1}, {}, granule, std::move(lost)});
  allow();
  EXPECT_EQ(heap().live_blocks, 0U);
}

// The first free may not have been executed when the block comes back: it still counts.
TEST_F(PoolGrant, KeepsTheOrderOfABlockThatIsNotQueued) {
  make_pool({.limit = granule, .reuse = {.internal = true}});
  give_back(block(1, granule), at(1, 2));
  const auto wanted = want(2, granule);
  ASSERT_EQ(wanted.value().wait_for.size(), 1U);
  refuse(wanted.value().queued, broken("stopped"));
  const auto next = want(3, granule);
  ASSERT_TRUE(next.succeeded());
  ASSERT_EQ(next.value().wait_for.size(), 1U);
  EXPECT_EQ(next.value().wait_for[0].stream, stream(1));
  taken(next);
}

// The host may have seen the free meanwhile, and the pool may have forgotten that.
TEST_F(PoolGrant, AsksWhatTheHostHasSeenOfABlockThatIsNotQueued) {
  make_pool({.limit = granule, .reuse = {.internal = true}});
  give_back(block(1, granule), at(1, 2));
  refuse(want(2, granule).value().queued, broken("stopped"));
  const auto asked = device_.take<messages::find_seen>();
  EXPECT_EQ(asked.tasks, clock({at(1, 2)}));
  answer(asked.reply, messages::tasks_seen{asked.tasks});
  const auto next = want(3, granule);
  ASSERT_TRUE(next.succeeded());
  EXPECT_TRUE(next.value().wait_for.empty());
  taken(next);
}

}  // namespace
