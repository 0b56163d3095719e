// The stream executes tasks in order.

#include <caf/send.hpp>

#include "stream_fixture.hpp"

namespace {

using namespace actor_tests;

class StreamExecution : public stream_fixture {
protected:
  /// Accepts a free of a block that the pool takes back.
  void free_a_block() {
    free();
    take_back();
  }
  /// Takes a block that another stream's task has to free first.
  void malloc_behind(std::uint64_t sequence) {
    malloc();
    grant({{other_.handle(), messages::sequence_number{sequence}}});
  }
};

TEST_F(StreamExecution, ExecutesFreesAndRecordsInTheirPlace) {
  submit();
  free_a_block();
  record(4);
  event_.take<messages::event_recorded>();
  EXPECT_TRUE(pool_.empty() && event_.empty());
  run_tasks();
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 2));
  const auto reached = event_.take<messages::event_reached>();
  EXPECT_EQ(reached.number, messages::record_number{4});
  EXPECT_FALSE(reached.failure);
}

// -- runs ---------------------------------------------------------------------------------------------------

TEST_F(StreamExecution, GivesWorkToAnEngine) {
  submit();
  EXPECT_EQ(run_tasks(), 1U);
  EXPECT_TRUE(query().value().complete);
}

TEST_F(StreamExecution, GathersARunWhileAnotherIsExecuted) {
  submit();
  submit();
  submit();
  EXPECT_EQ(run_tasks(), 1U);
  EXPECT_EQ(run_tasks(), 2U);
  EXPECT_TRUE(device_.empty());
}

TEST_F(StreamExecution, EndsARunAtAFree) {
  submit();
  submit();
  free_a_block();
  submit();
  submit();
  EXPECT_EQ(run_tasks(), 1U);
  EXPECT_TRUE(pool_.empty());
  EXPECT_EQ(run_tasks(), 1U);
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 3));
  EXPECT_EQ(run_tasks(), 2U);
}

TEST_F(StreamExecution, EndsARunAtARecord) {
  submit();
  record();
  event_.take<messages::event_recorded>();
  submit();
  EXPECT_TRUE(event_.empty());
  EXPECT_EQ(run_tasks(), 1U);
  event_.take<messages::event_reached>();
  EXPECT_EQ(run_tasks(), 1U);
}

// Otherwise the host would wait for what was submitted after its synchronize, and meet its failures.
TEST_F(StreamExecution, EndsARunWhereTheHostWaits) {
  submit();
  submit();
  const auto seen = synchronize();
  submit();
  EXPECT_EQ(run_tasks(), 1U);
  EXPECT_EQ(run_tasks(), 1U);
  EXPECT_TRUE(seen.arrived());
  EXPECT_EQ(run_tasks(broken()), 1U);
  EXPECT_FALSE(seen.value().failure);
}

TEST_F(StreamExecution, EndsARunWhereAnotherStreamWaits) {
  submit();
  submit();
  const auto executed = await_task(2);
  submit();
  EXPECT_EQ(run_tasks(), 1U);
  EXPECT_EQ(run_tasks(), 1U);
  EXPECT_TRUE(executed.arrived());
  EXPECT_EQ(run_tasks(), 1U);
}

TEST_F(StreamExecution, ExecutesAPlainFreeInItsPlace) {
  submit();
  free_plain(another_block);
  const auto run = device_.take<messages::run_tasks>();
  answer(device_.take<messages::begin_plain_free>().reply, messages::done{});
  EXPECT_TRUE(device_.empty());
  answer(run.reply, messages::tasks_run{1, {}});
  EXPECT_EQ(device_.take<messages::end_plain_free>().block, another_block);
}

// -- waits --------------------------------------------------------------------------------------------------

TEST_F(StreamExecution, RunsNothingBehindAWaitBeforeTheRecordIsExecuted) {
  wait();
  tell_order(at(2, 2));
  submit();
  free_a_block();
  EXPECT_TRUE(device_.empty());
  EXPECT_FALSE(query().value().complete);
  tell_reached();
  EXPECT_EQ(run_tasks(), 1U);
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 3));
}

TEST_F(StreamExecution, DoesNotWaitForARecordThatIsExecuted) {
  wait();
  tell_order(at(2, 2), {}, true);
  EXPECT_TRUE(event_.empty());
  submit();
  EXPECT_TRUE(is_running());
}

TEST_F(StreamExecution, GoesOnWhenTheEventOfAWaitEnds) {
  wait();
  tell_order(at(2, 2));
  submit();
  event_.forgetter()();
  run();
  EXPECT_TRUE(is_running());
}

TEST_F(StreamExecution, RunsNothingBehindAnInsertedWaitBeforeTheTaskIsExecuted) {
  malloc_behind(8);
  const auto awaited = other_.take<messages::await_task>();
  EXPECT_EQ(awaited.sequence, messages::sequence_number{8});
  submit();
  EXPECT_FALSE(is_running());
  answer(awaited.reply, messages::done{});
  EXPECT_TRUE(is_running());
}

TEST_F(StreamExecution, RunsWhatIsInFrontOfAnInsertedWait) {
  submit();
  malloc_behind(8);
  EXPECT_EQ(run_tasks(), 1U);
  EXPECT_FALSE(query().value().complete);
}

TEST_F(StreamExecution, WaitsForAllTasksOfAnInsertedWait) {
  malloc();
  grant({{other_.handle(), messages::sequence_number{8}}, {other_.handle(), messages::sequence_number{9}}});
  submit();
  const auto first = other_.take<messages::await_task>();
  const auto second = other_.take<messages::await_task>();
  answer(second.reply, messages::done{});
  EXPECT_FALSE(is_running());
  answer(first.reply, messages::done{});
  EXPECT_TRUE(is_running());
}

TEST_F(StreamExecution, TellsInsertedWaitsApart) {
  malloc_behind(8);
  malloc_behind(9);
  const auto first = other_.take<messages::await_task>();
  const auto second = other_.take<messages::await_task>();
  submit();
  answer(second.reply, messages::done{});
  EXPECT_FALSE(is_running());
  EXPECT_FALSE(await_task(1).arrived());
  answer(first.reply, messages::done{});
  EXPECT_TRUE(is_running());
}

// The one that is waited for may have tasks that an engine still runs.
TEST_F(StreamExecution, GoesOnWhenTheStreamOfAnInsertedWaitHasEnded) {
  malloc();
  grant({{other_.handle(), messages::sequence_number{8}, messages::stream_id{2}}});
  submit();
  other_.forgetter()();
  run();
  EXPECT_FALSE(query().value().complete);
  const auto asked = device_.take<messages::await_stream_end>();
  EXPECT_EQ(asked.id, messages::stream_id{2});
  EXPECT_TRUE(device_.empty());
  answer(asked.reply, messages::done{});
  EXPECT_TRUE(is_running());
}

TEST_F(StreamExecution, GoesOnWhenNobodyKnowsOfTheStreamOfAnInsertedWait) {
  malloc_behind(8);
  submit();
  other_.forgetter()();
  run();
  device_.forgetter()();
  run();
  EXPECT_TRUE(is_running());
}

// -- telling others -----------------------------------------------------------------------------------------

TEST_F(StreamExecution, TellsAtOnceThatAPastTaskIsExecuted) {
  free_a_block();
  EXPECT_TRUE(await_task(1).succeeded());
}

TEST_F(StreamExecution, TellsWhenATaskIsExecuted) {
  submit();
  submit();
  const auto second = await_task(2);
  const auto first = await_task(1);
  run_tasks();
  EXPECT_TRUE(first.succeeded());
  EXPECT_FALSE(second.arrived());
  run_tasks();
  EXPECT_TRUE(second.succeeded());
}

TEST_F(StreamExecution, TellsWhenATaskIsExecutedThatWasNotSubmittedYet) {
  const auto future = await_task(1);
  ASSERT_FALSE(future.arrived());
  submit();
  ASSERT_FALSE(future.arrived());
  run_tasks();
  EXPECT_TRUE(future.succeeded());
}

TEST_F(StreamExecution, SynchronizesAtOnceWhenNothingIsPending) {
  EXPECT_EQ(synchronize().value().seen, messages::order_clock{});
}

TEST_F(StreamExecution, SynchronizesWhenWhatWasSubmittedIsExecuted) {
  submit();
  const auto synchronized = synchronize();
  submit();
  EXPECT_FALSE(synchronized.arrived());
  run_tasks();
  EXPECT_EQ(synchronized.value().seen, clock({at(own, 1)}));
  EXPECT_FALSE(synchronized.value().failure);
}

TEST_F(StreamExecution, TellsTheHostWhatItWasOrderedAfter) {
  wait();
  tell_order(at(2, 7), clock({at(3, 4)}));
  const auto synchronized = synchronize();
  wait(2);
  const auto await_first = event_.take<messages::await_record>();
  tell_order(at(2, 99));  // comes behind
  EXPECT_FALSE(synchronized.arrived());
  answer(await_first.reply, messages::record_reached{});
  EXPECT_EQ(synchronized.value().seen, clock({at(2, 7), at(3, 4), at(own, 1)}));
}

TEST_F(StreamExecution, SynchronizesBehindAnUndecidedMalloc) {
  malloc();
  const auto synchronized = synchronize();
  EXPECT_FALSE(synchronized.arrived());
  grant();
  EXPECT_EQ(synchronized.value().seen, clock({at(own, 1)}));
}

TEST_F(StreamExecution, SaysWhetherItIsComplete) {
  EXPECT_TRUE(query().value().complete);
  submit();
  EXPECT_FALSE(query().value().complete);
  run_tasks();
  const auto status = query();
  EXPECT_TRUE(status.value().complete);
  EXPECT_EQ(status.value().seen, clock({at(own, 1)}));
}

// -- the end ------------------------------------------------------------------------------------------------

TEST_F(StreamExecution, EndsAtOnceWhenItIsRetiredIdle) {
  retire();
  const auto ended = device_.take<messages::stream_ended>();
  EXPECT_EQ(ended.id, messages::stream_id{own});
  EXPECT_EQ(ended.seen, messages::order_clock{});
  EXPECT_FALSE(ended.failure);
  EXPECT_TRUE(query().failed_with(fault_code::actor_gone));
}

TEST_F(StreamExecution, ExecutesItsTasksBeforeItEnds) {
  wait();
  tell_order(at(2, 7), {}, true);
  submit();
  free_a_block();
  retire();
  EXPECT_EQ(device_.count<messages::stream_ended>(), 0U);
  EXPECT_TRUE(pool_.empty());
  run_tasks();
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 3));
  EXPECT_EQ(device_.take<messages::stream_ended>().seen, clock({at(2, 7), at(own, 3)}));
  EXPECT_TRUE(device_.empty());
}

TEST_F(StreamExecution, SettlesWhatItHasTakenBeforeItEnds) {
  const auto block = malloc();
  retire();
  EXPECT_TRUE(device_.empty());
  grant();
  EXPECT_TRUE(block.succeeded());
  EXPECT_EQ(device_.take<messages::stream_ended>().seen, clock({at(own, 1)}));
}

TEST_F(StreamExecution, AnswersWaitersBeforeItEnds) {
  submit();
  const auto synchronized = synchronize();
  const auto awaited = await_task(1);
  retire();
  run_tasks();
  EXPECT_TRUE(synchronized.succeeded());
  EXPECT_TRUE(awaited.succeeded());
}

TEST_F(StreamExecution, TellsThatItEndedOnce) {
  retire();
  retire();
  EXPECT_EQ(device_.count<messages::stream_ended>(), 1U);
}

TEST_F(StreamExecution, TakesItsFreesAndRecordsAlongWhenItIsLost) {
  malloc_behind(8);  // which keeps what follows from being executed
  free_a_block();
  record();
  event_.take<messages::event_recorded>();
  const auto synchronized = synchronize();
  caf::anon_send_exit(stream_.pointer(), caf::exit_reason::kill);
  run();
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 2));
  const auto reached = event_.take<messages::event_reached>();
  ASSERT_TRUE(reached.failure);
  EXPECT_EQ(reached.failure->code, fault_code::actor_gone);
  EXPECT_TRUE(synchronized.failed_with(fault_code::actor_gone));
  EXPECT_TRUE(device_.take<messages::stream_ended>().failure);
}

TEST_F(StreamExecution, TakesAFreeAlongThatIsNotSettledWhenItIsLost) {
  malloc_behind(8);
  free();
  const auto unanswered = pool_.take<messages::give_back>();
  caf::anon_send_exit(stream_.pointer(), caf::exit_reason::kill);
  run();
  const auto returned = pool_.take<messages::return_stock>();
  EXPECT_TRUE(returned.all);
  EXPECT_EQ(returned.stock.unsettled, memory::sequence_number{2});
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 2));
  EXPECT_EQ(device_.take<messages::stream_ended>().seen, clock({at(own, 2)}));
}

// The tasks that an engine has may touch what the frees behind them give back.
TEST_F(StreamExecution, ALostStreamsFreesWaitForTheTasksThatAnEngineHas) {
  submit();
  free_a_block();
  record();
  event_.take<messages::event_recorded>();
  const auto awaited = await_task(2);
  const auto synchronized = synchronize();
  caf::anon_send_exit(stream_.pointer(), caf::exit_reason::kill);
  run();
  EXPECT_TRUE(synchronized.failed_with(fault_code::actor_gone));
  EXPECT_TRUE(pool_.empty());
  EXPECT_TRUE(event_.empty());
  EXPECT_FALSE(awaited.arrived());
  {
    auto run_out = device_.take<messages::run_tasks>();
    EXPECT_TRUE(device_.empty());
    answer(run_out.reply, messages::tasks_run{1, {}});
  }
  run();
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 2));
  EXPECT_TRUE(event_.take<messages::event_reached>().failure);
  EXPECT_TRUE(awaited.failed_with(fault_code::actor_gone));
  EXPECT_TRUE(device_.take<messages::stream_ended>().failure);
}

TEST_F(StreamExecution, ALostStreamsFreesCountWhenTheTasksThatAnEngineHadAreLost) {
  submit();
  free_a_block();
  caf::anon_send_exit(stream_.pointer(), caf::exit_reason::kill);
  run();
  EXPECT_TRUE(pool_.empty());
  { const auto lost = device_.take<messages::run_tasks>(); }
  run();
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 2));
}

}  // namespace
