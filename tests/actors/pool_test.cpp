// The pool: freeing, giving memory up, settings, and its end.

#include <array>

#include <unistd.h>

#include <caf/send.hpp>

#include "pool_fixture.hpp"
#include "support/failing_system.hpp"

namespace {

using namespace actor_tests;
using messages::setting;

class Pool : public pool_fixture {};

// -- freeing ------------------------------------------------------------------------------------------------

TEST_F(Pool, SaysHowMuchAFreeGaveBack) {
  EXPECT_EQ(give_back(block(1, granule + 1), at(1, 2)).value().bytes, 2 * granule);
  EXPECT_EQ(heap().used, 0U);
  EXPECT_EQ(heap().reserved, 2 * granule);
}

TEST_F(Pool, RefusesASecondFree) {
  const auto live = block(1, granule);
  give_back(live, at(1, 2));
  EXPECT_TRUE(give_back(live, at(1, 3)).failed_with(fault_code::unknown_address));
  EXPECT_TRUE(give_back_now(live).failed_with(fault_code::unknown_address));
}

TEST_F(Pool, RefusesAFreeOfTheInsideOfABlock) {
  const auto live = block(1, 2 * granule);
  EXPECT_TRUE(give_back(live + granule, at(1, 2)).failed_with(fault_code::unknown_address));
  EXPECT_EQ(heap().live_blocks, 1U);
}

TEST_F(Pool, FreesAtOnceWithoutOrder) {
  const auto live = block(1, granule);
  EXPECT_EQ(give_back_now(live).value().bytes, granule);
  EXPECT_EQ(taken(want(2, granule)), live);
}

TEST_F(Pool, FindsALiveBlock) {
  const auto live = block(1, granule - 5);
  const auto found = ask(pool_, messages::find_block{live, {}});
  EXPECT_EQ(found.value().bytes, granule);
  EXPECT_EQ(found.value().requested, granule - 5);
  EXPECT_TRUE(ask(pool_, messages::find_block{live + granule, {}}).failed_with(fault_code::unknown_address));
}

// -- giving memory up ---------------------------------------------------------------------------------------

TEST_F(Pool, ReleasesAtTheEndOfASynchronizeWhatIsAboveTheThreshold) {
  make_pool({.release_threshold = granule});
  give_back(block(1, 3 * granule), at(1, 2));
  EXPECT_TRUE(host_saw(clock({at(1, 2)}), true).succeeded());
  EXPECT_EQ(returned(), 2 * granule);
  EXPECT_EQ(heap().reserved, granule);
}

TEST_F(Pool, ReleasesNothingBelowTheThreshold) {
  make_pool({.release_threshold = 3 * granule});
  give_back(block(1, 3 * granule), at(1, 2));
  host_saw(clock({at(1, 2)}), true);
  EXPECT_TRUE(device_.empty());
}

TEST_F(Pool, ReleasesNothingWhenTheHostOnlyLooked) {
  make_pool({.release_threshold = 0});
  give_back(block(1, granule), at(1, 2));
  host_saw(clock({at(1, 2)}), false);
  EXPECT_TRUE(device_.empty());
}

TEST_F(Pool, ReleasesAtASynchronizeOnlyWhatTheHostHasSeenFreed) {
  make_pool({.release_threshold = 0});
  const auto first = block(1, granule);
  const auto second = block(1, granule);
  give_back(first, at(1, 3));
  give_back(second, at(1, 4));
  execute(at(1, 4));
  host_saw(clock({at(1, 3)}), true);
  EXPECT_EQ(returned(), granule);
  EXPECT_EQ(heap().reserved, granule);
}

TEST_F(Pool, GivesTheDeviceSeenMemoryOnly) {
  make_settled(granule);
  block(1, granule);
  give_back(block(1, granule), at(1, 2));
  execute(at(1, 2));
  EXPECT_EQ(release_idle(9 * granule, seen).value().bytes, 0U);
  host_saw(clock({at(1, 2)}));
  EXPECT_EQ(release_idle(9 * granule, seen).value().bytes, granule);
}

TEST_F(Pool, GivesTheDeviceExecutedMemoryUnderMorePressure) {
  give_back(block(1, granule), at(1, 2));
  EXPECT_EQ(release_idle(9 * granule, executed).value().bytes, 0U);
  execute(at(1, 2));
  EXPECT_EQ(release_idle(9 * granule, executed).value().bytes, granule);
}

TEST_F(Pool, GivesTheDeviceNoMoreThanItAskedFor) {
  make_settled(4 * granule);
  EXPECT_EQ(release_idle(granule, seen).value().bytes, granule);
  EXPECT_EQ(heap().reserved, 3 * granule);
  EXPECT_TRUE(device_.empty());  // the answer says how much: it is not returned twice
}

TEST_F(Pool, TrimsToWhatIsToBeKept) {
  make_settled(4 * granule);
  EXPECT_TRUE(trim(granule).succeeded());
  EXPECT_EQ(returned(), 3 * granule);
  EXPECT_EQ(heap().reserved, granule);
}

TEST_F(Pool, TrimsNothingThatIsUsed) {
  block(1, granule);
  EXPECT_TRUE(trim(0).succeeded());
  EXPECT_TRUE(device_.empty());
  EXPECT_EQ(heap().reserved, granule);
}

TEST_F(Pool, TrimsNothingThatWasNotExecuted) {
  give_back(block(1, granule), at(1, 2));
  trim(0);
  EXPECT_TRUE(device_.empty());
  execute(at(1, 2));
  trim(0);
  EXPECT_EQ(returned(), granule);
}

TEST_F(Pool, RefusesToTrimToMoreThanItsLimit) {
  EXPECT_TRUE(trim(16 * granule).succeeded());
  EXPECT_TRUE(trim(16 * granule + 1).failed_with(fault_code::invalid_argument));
}

// -- settings and figures -----------------------------------------------------------------------------------

TEST_F(Pool, ChangesItsSettings) {
  EXPECT_TRUE(set(setting::reuse_event, 1).succeeded());
  EXPECT_TRUE(set(setting::reuse_internal, 5).succeeded());
  EXPECT_TRUE(set(setting::release_threshold, 123).succeeded());
  const auto now = figures();
  EXPECT_TRUE(now.value().reuse.event);
  EXPECT_FALSE(now.value().reuse.opportunistic);
  EXPECT_TRUE(now.value().reuse.internal);
  EXPECT_EQ(now.value().release_threshold, 123U);
  set(setting::reuse_event, 0);
  EXPECT_FALSE(figures().value().reuse.event);
}

TEST_F(Pool, SetsHighMarksToNothingElseThan0) {
  give_back_now(block(1, 2 * granule));
  EXPECT_TRUE(set(setting::used_high, 1).failed_with(fault_code::invalid_argument));
  EXPECT_TRUE(set(setting::reserved_high, granule).failed_with(fault_code::invalid_argument));
  EXPECT_EQ(heap().used_high, 2 * granule);
  EXPECT_TRUE(set(setting::used_high, 0).succeeded());
  EXPECT_EQ(heap().used_high, 0U);
  EXPECT_EQ(heap().reserved_high, 2 * granule);
  EXPECT_TRUE(set(setting::reserved_high, 0).succeeded());
  EXPECT_EQ(heap().reserved_high, 0U);
  taken(want(1, granule));
  EXPECT_EQ(heap().used_high, granule);
  EXPECT_EQ(heap().reserved_high, 2 * granule);
}

TEST_F(Pool, TellsTheLargestBlock) {
  const auto largest = [this](std::uint64_t device_free) {
    return ask(pool_, messages::read_largest{messages::stream_id{1}, {}, device_free, {}}).value();
  };
  EXPECT_EQ(largest(5 * granule), 5 * granule);
  EXPECT_EQ(largest(500 * granule), 16 * granule);
  make_settled(2 * granule);
  EXPECT_EQ(largest(0), 2 * granule);
}

// -- the end ------------------------------------------------------------------------------------------------

TEST_F(Pool, EndsAtOnceWhenItIsRetiredEmpty) {
  retire();
  EXPECT_EQ(device_.take<messages::pool_ended>().id, own);
  EXPECT_TRUE(device_.empty());
  EXPECT_TRUE(has_ended());
}

TEST_F(Pool, ReturnsIdleMemoryWhenItIsRetired) {
  make_settled(3 * granule);
  retire();
  EXPECT_EQ(returned(), 3 * granule);
  device_.take<messages::pool_ended>();
}

TEST_F(Pool, GrantsNothingWhenItIsRetired) {
  block(1, granule);
  retire();
  EXPECT_TRUE(want(1, granule).failed_with(fault_code::actor_gone));
  EXPECT_TRUE(device_.empty());
}

TEST_F(Pool, LivesUntilTheLastFreeWasExecuted) {
  const auto first = block(1, granule);
  const auto second = block(1, granule);
  retire();
  EXPECT_TRUE(give_back(first, at(1, 3)).succeeded());
  EXPECT_TRUE(device_.empty());
  execute(at(1, 3));
  EXPECT_EQ(returned(), granule);
  EXPECT_TRUE(give_back(second, at(1, 4)).succeeded());
  EXPECT_FALSE(has_ended());
  execute(at(1, 4));
  EXPECT_EQ(returned(), granule);
  EXPECT_EQ(device_.take<messages::pool_ended>().id, own);
  EXPECT_TRUE(has_ended());
  EXPECT_TRUE(device_.empty());
}

TEST_F(Pool, EndsWithAFreeThatNeedsNoOrder) {
  const auto live = block(1, granule);
  retire();
  give_back_now(live);
  EXPECT_EQ(returned(), granule);
  device_.take<messages::pool_ended>();
}

TEST_F(Pool, EndsWhenTheHostHasSeenTheLastFree) {
  const auto live = block(1, granule);
  give_back(live, at(1, 2));
  retire();
  EXPECT_TRUE(host_saw(clock({at(1, 2)})).succeeded());
  EXPECT_EQ(returned(), granule);
  device_.take<messages::pool_ended>();
}

TEST_F(Pool, DecidesWhatItHasTakenBeforeItIsRetired) {
  const auto wanted = want(1, granule);
  retire();
  EXPECT_EQ(allow().bytes, granule);
  EXPECT_TRUE(wanted.succeeded());
  EXPECT_TRUE(device_.empty());
  give_back_now(taken(wanted));
  EXPECT_EQ(returned(), granule);
  device_.take<messages::pool_ended>();
}

TEST_F(Pool, ReturnsEverythingWhenItIsAbandoned) {
  block(1, 2 * granule);
  make_settled(granule);
  give_back(block(2, granule), at(2, 2));
  tell(pool_, messages::abandon_pool{});
  EXPECT_EQ(device_.take<messages::pool_ended>().id, own);
  EXPECT_TRUE(has_ended());
}

TEST_F(Pool, LeavesNothingOpenWhenItIsAbandonedUndecided) {
  make_settled(granule);
  const auto wanted = want(1, 2 * granule);
  const auto counted = figures();
  deny();
  tell(pool_, messages::abandon_pool{});
  EXPECT_TRUE(wanted.failed_with(fault_code::actor_gone));
  EXPECT_TRUE(counted.failed_with(fault_code::actor_gone));
  device_.take<messages::reserve_memory>();
  device_.take<messages::pool_ended>();
}

TEST_F(Pool, TellsTheDeviceOfAnyOtherEndToo) {
  block(1, 2 * granule);
  caf::anon_send_exit(pool_.pointer(), caf::exit_reason::kill);
  run();
  EXPECT_EQ(device_.take<messages::pool_ended>().id, own);
}

TEST_F(Pool, GivesItsMemoryBackToTheSystemWhenItEnds) {
  const auto first = block(1, granule);
  auto* bytes = reinterpret_cast<unsigned char*>(memory::number(block(1, granule)));
  bytes[0] = 7;
  tell(pool_, messages::abandon_pool{});
  ASSERT_TRUE(backing_->hold({first, 2 * granule}));
  EXPECT_EQ(bytes[0], 0);  // new memory
}

TEST_F(Pool, TellsTheDeviceIfItCannotGiveItsMemoryBack) {
  block(1, 2 * granule);
  const support::failing_system system({memory::system_request::punch}, 1);
  tell(pool_, messages::abandon_pool{});
  EXPECT_EQ(system.failed(), 1);
  EXPECT_FALSE(device_.take<messages::pool_ended>().clean);
}

TEST_F(Pool, IsCleanWhenItHasGivenItsMemoryBack) {
  block(1, 2 * granule);
  tell(pool_, messages::abandon_pool{});
  EXPECT_TRUE(device_.take<messages::pool_ended>().clean);
}

// -- what the host has seen ---------------------------------------------------------------------------------

TEST_F(Pool, AsksWhatItMayForgetWhenTheHostHasSeenManyStreams) {
  messages::order_clock many;
  for (std::uint64_t stream = 1; stream < memory::long_clock; ++stream) {
    many.add(at(stream, 1));
  }
  host_saw(many);
  ASSERT_TRUE(device_.empty());
  many.add(at(memory::long_clock, 1));
  host_saw(many);
  const auto asked = device_.take<messages::find_seen>();
  EXPECT_EQ(asked.tasks, many);
  many.add(at(memory::long_clock + 1, 1));
  host_saw(many);
  EXPECT_TRUE(device_.empty()) << "one question at a time";
  answer(asked.reply, messages::tasks_seen{asked.tasks});
  host_saw(clock({at(1, 2)}));
  EXPECT_TRUE(device_.empty()) << "the clock is short again";
}

// -- guarding -----------------------------------------------------------------------------------------------

TEST_F(Pool, GuardsWhatIsIdleWhenTheFreeWasExecutedAndUntilItIsABlockAgain) {
  make_pool({.guard = true});
  const auto live = block(1, granule);
  auto* bytes = reinterpret_cast<unsigned char*>(memory::number(live));
  const auto is_accessible = [&] {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const auto written = ::write(ends[1], bytes, 1);
    ::close(ends[0]);
    ::close(ends[1]);
    return written == 1;
  };
  *bytes = 0x5a;
  give_back(live, at(1, 2));
  EXPECT_TRUE(is_accessible()) << "tasks before the free may still come";
  tell(pool_, messages::free_executed{at(1, 2)});
  EXPECT_FALSE(is_accessible());
  EXPECT_EQ(taken(want(1, granule)), live);
  EXPECT_TRUE(is_accessible());
  EXPECT_EQ(*bytes, 0x5a);
  give_back_now(live);
  EXPECT_FALSE(is_accessible()) << "a free at once is executed";
}

}  // namespace
