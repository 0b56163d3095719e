// A pool whose idle memory moves to where it is wanted: the system is asked, tasks that are not done keep the
// old place, and what the system refuses loses nothing.

#include "pool_fixture.hpp"
#include "support/failing_system.hpp"

namespace {

using namespace actor_tests;
using memory::served;
using support::failing_system;
using support::system_request;

/// Three granules, of which stream 1 has freed the first and the last, by its tasks 2 and 3.
class PoolMoving : public pool_fixture {
protected:
  PoolMoving() {
    make_pool({.minimum_block = granule / 2});
    first_ = block(1, granule);
    middle_ = block(1, granule);
    last_ = block(1, granule);
    byte_at(first_) = 7;
    give_back(first_, at(1, 2));
    give_back(last_, at(1, 3));
  }

  static unsigned char& byte_at(messages::address where) {
    return *reinterpret_cast<unsigned char*>(memory::number(where));
  }

  /// What is there if memory is put there anew: 0, unless the old memory was there still.
  unsigned char byte_anew(messages::address where) {
    EXPECT_TRUE(backing_->hold(memory::range{where, granule}));
    return byte_at(where);
  }

  messages::address first_;
  messages::address middle_;
  messages::address last_;
};

TEST_F(PoolMoving, MovesWhatAStreamFreedInsteadOfGrowing) {
  const auto wanted = want(1, 2 * granule);
  EXPECT_TRUE(device_.empty());
  EXPECT_EQ(wanted.value().how, served::new_memory);
  EXPECT_EQ(taken(wanted), last_);
  byte_at(last_ + granule) = 1;
  EXPECT_EQ(heap().reserved, 3 * granule);
  EXPECT_EQ(heap().granules_moved, 1U);
}

TEST_F(PoolMoving, AtItsLimitAPoolServesABlockFromGranulesThatLieApart) {
  make_pool({.limit = 3 * granule});
  const auto first = block(1, granule);
  block(1, granule);
  const auto last = block(1, granule);
  give_back(first, at(1, 2));
  give_back(last, at(1, 3));
  EXPECT_EQ(taken(want(1, 2 * granule)), last);
}

TEST_F(PoolMoving, ATaskMayTouchTheOldPlaceUntilItIsDone) {
  taken(want(1, 2 * granule));
  EXPECT_EQ(byte_at(first_), 7);
  execute(at(1, 1));
  byte_at(first_) = 8;
  execute(at(1, 2));
  EXPECT_EQ(byte_anew(first_), 0) << "the memory went back to the system";
}

TEST_F(PoolMoving, WhatIsDoneAlreadyLeavesAtOnce) {
  execute(at(1, 2));
  taken(want(1, 2 * granule));
  EXPECT_EQ(byte_anew(first_), 0);
}

TEST_F(PoolMoving, WhatTheHostHasSeenIsDone) {
  taken(want(1, 2 * granule));
  messages::order_clock done;
  done.add(at(1, 2));
  host_saw(done);
  EXPECT_EQ(byte_anew(first_), 0);
}

TEST_F(PoolMoving, ARefusedMoveChangesNothing) {
  const auto before = heap();
  {
    const failing_system system({system_request::access}, 1, failing_system::how::from_then_on);
    const auto wanted = want(1, 2 * granule);
    while (!wanted.arrived()) {
      deny();
    }
    EXPECT_TRUE(wanted.failed_with(fault_code::system_failure));
  }
  EXPECT_EQ(heap().reserved, before.reserved);
  EXPECT_EQ(heap().granules_moved, 0U);
  EXPECT_EQ(byte_at(first_), 7);
  EXPECT_EQ(taken(want(1, 2 * granule)), last_) << "the next time it works";
}

TEST_F(PoolMoving, WhatTheSystemDoesNotTakeBackIsOfferedAgain) {
  taken(want(1, 2 * granule));
  {
    const failing_system system({system_request::no_access}, 1, failing_system::how::from_then_on);
    execute(at(1, 2));
    heap();
    EXPECT_GT(system.failed(), 0);
  }
  EXPECT_EQ(byte_at(first_), 7) << "it is there still";
  execute(at(1, 3));
  EXPECT_EQ(byte_anew(first_), 0);
}

TEST_F(PoolMoving, AddressesThatAreTakenAgainKeepTheirMemory) {
  taken(want(1, 2 * granule));
  const auto again = want(1, granule);
  allow();
  EXPECT_EQ(taken(again), first_);
  execute(at(1, 2));
  heap();
  EXPECT_EQ(byte_at(first_), 7);
}

TEST_F(PoolMoving, AnUndoneGrantKeepsTheMemoryForAnyone) {
  refuse(want(1, 2 * granule).value().queued, broken("stopped"));
  EXPECT_EQ(heap().reserved, 3 * granule);
  EXPECT_EQ(heap().used, granule);
  const auto other = want(2, granule);
  EXPECT_EQ(other.value().how, served::new_memory) << "it was never used where it is now";
  EXPECT_EQ(taken(other), last_ + granule);
}

TEST_F(PoolMoving, ADestroyedPoolEndsAfterTheTasksThatMayTouchWhatMoved) {
  const auto moved = taken(want(1, 2 * granule));
  give_back_now(moved);
  give_back_now(middle_);
  retire();
  EXPECT_EQ(returned(), 3 * granule);
  EXPECT_FALSE(has_ended());
  byte_at(first_) = 8;
  execute(at(1, 2));
  EXPECT_TRUE(has_ended());
}

TEST_F(PoolMoving, APoolThatEndsEarlyGivesBackWhatHasNotDeparted) {
  taken(want(1, 2 * granule));
  tell(pool_, messages::abandon_pool{});
  EXPECT_TRUE(device_.take<messages::pool_ended>().clean);
  EXPECT_EQ(byte_anew(first_), 0);
}

TEST_F(PoolMoving, AMoveWaitsForTheFreesIfItMust) {
  set(messages::setting::reuse_internal, 1);
  const auto wanted = want(2, 2 * granule);
  while (!wanted.arrived()) {
    deny();
  }
  EXPECT_EQ(wanted.value().how, served::internal);
  ASSERT_EQ(wanted.value().wait_for.size(), 2U);
  EXPECT_EQ(wanted.value().wait_for[0].sequence, messages::sequence_number{3}) << "of what lies there";
  EXPECT_EQ(wanted.value().wait_for[1].sequence, messages::sequence_number{2}) << "of what moves";
  taken(wanted);
}

}  // namespace
