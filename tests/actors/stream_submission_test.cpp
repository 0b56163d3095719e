// The stream takes tasks in order, and passes nothing on before what is in front is settled.

#include "stream_fixture.hpp"

namespace {

using namespace actor_tests;

class StreamSubmission : public stream_fixture {
protected:
  [[nodiscard]] messages::order_clock ordered() {
    malloc();
    return grant().ordered;
  }
};

// -- numbers and positions ----------------------------------------------------------------------------------

TEST_F(StreamSubmission, NumbersTasksInTheirOrder) {
  malloc();
  grant();
  free();
  EXPECT_EQ(take_back().at, at(own, 2));
  record();
  EXPECT_EQ(event_.take<messages::event_recorded>().at, at(own, 3));
  submit();
  submit();
  free();
  EXPECT_EQ(take_back().at, at(own, 6));
}

TEST_F(StreamSubmission, AsksThePoolForTheBlock) {
  const auto block = malloc(12'345);
  EXPECT_FALSE(block.arrived());
  const auto wanted = grant();
  EXPECT_EQ(wanted.stream, messages::stream_id{own});
  EXPECT_EQ(wanted.bytes, 12'345U);
  EXPECT_EQ(block.value(), a_block);
}

TEST_F(StreamSubmission, TellsThePoolWhomToAskAboutAFree) {
  free(another_block);
  const auto freed = take_back();
  EXPECT_EQ(freed.block, another_block);
  EXPECT_EQ(freed.stream, stream_);
}

TEST_F(StreamSubmission, GivesARefusedMallocNoPosition) {
  const auto block = malloc();
  refuse(pool_.take<messages::grant_block>().reply, {fault_code::out_of_memory, "full"});
  EXPECT_EQ(block.failure().code, fault_code::out_of_memory);
  EXPECT_EQ(block.failure().text, "full");
  free();
  EXPECT_EQ(take_back().at, at(own, 1));
}

TEST_F(StreamSubmission, GivesARefusedFreeNoPosition) {
  const auto freed = free();
  refuse(pool_.take<messages::give_back>().reply, {fault_code::unknown_address, "never given out"});
  EXPECT_TRUE(freed.failed_with(fault_code::unknown_address));
  record();
  EXPECT_EQ(event_.take<messages::event_recorded>().at, at(own, 1));
}

TEST_F(StreamSubmission, GivesARefusedPlainFreeNoPosition) {
  const auto freed = free_plain();
  refuse(device_.take<messages::begin_plain_free>().reply, {fault_code::unknown_address, "never given out"});
  EXPECT_TRUE(freed.failed_with(fault_code::unknown_address));
  EXPECT_TRUE(device_.empty());
  record();
  EXPECT_EQ(event_.take<messages::event_recorded>().at, at(own, 1));
}

TEST_F(StreamSubmission, TellsThatABlockIsQueued) {
  malloc();
  grant();
  EXPECT_TRUE(queued_.succeeded());
}

TEST_F(StreamSubmission, TakesAPoolThatHasEndedForARefusal) {
  const auto block = malloc();
  pool_.forgetter()();
  run();
  EXPECT_TRUE(block.failed_with(fault_code::actor_gone));
  EXPECT_TRUE(query().value().complete);
}

// -- frees and records of an idle stream --------------------------------------------------------------------

TEST_F(StreamSubmission, SaysOfAFreeThatItIsExecutedWhenNothingIsInFront) {
  free();
  EXPECT_TRUE(take_back().executed);
  EXPECT_TRUE(pool_.empty()) << "there is nothing more to tell";
  EXPECT_TRUE(query().value().complete);
}

TEST_F(StreamSubmission, SaysOfAFreeThatItIsNotExecutedWhenSomethingIsInFront) {
  submit();
  free();
  EXPECT_FALSE(take_back().executed);
  EXPECT_TRUE(pool_.empty());
  run_tasks();
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 2));
}

TEST_F(StreamSubmission, ExecutesNothingForAFreeThatIsRefused) {
  free();
  refuse(pool_.take<messages::give_back>().reply, {fault_code::unknown_address, "never given out"});
  submit();
  free();
  EXPECT_FALSE(take_back().executed);
  run_tasks();
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 2));
}

TEST_F(StreamSubmission, SaysOfARecordThatItIsExecutedWhenNothingIsInFront) {
  record();
  EXPECT_TRUE(event_.take<messages::event_recorded>().executed);
  EXPECT_TRUE(event_.empty()) << "there is nothing more to tell";
  submit();
  record();
  EXPECT_FALSE(event_.take<messages::event_recorded>().executed);
  run_tasks();
  event_.take<messages::event_reached>();
}

// -- settled in order ---------------------------------------------------------------------------------------

TEST_F(StreamSubmission, PassesNothingOnBehindAnUndecidedMalloc) {
  const auto block = malloc();
  const auto wanted = pool_.take<messages::grant_block>();
  const auto freed = free();
  const auto recorded = record();
  const auto submitted = submit();
  EXPECT_TRUE(pool_.empty());
  EXPECT_TRUE(event_.empty());
  EXPECT_TRUE(device_.empty());
  EXPECT_FALSE(submitted.arrived());
  answer(wanted.reply, granted());
  EXPECT_TRUE(block.arrived());
  EXPECT_TRUE(event_.empty());  // the free is not settled yet
  EXPECT_FALSE(freed.arrived());
  EXPECT_EQ(take_back().at, at(own, 2));
  EXPECT_TRUE(freed.arrived());
  EXPECT_EQ(event_.take<messages::event_recorded>().at, at(own, 3));
  EXPECT_TRUE(recorded.arrived());
  EXPECT_TRUE(submitted.arrived());
  EXPECT_TRUE(is_running());
}

TEST_F(StreamSubmission, PassesNothingOnBehindAWaitOfUnknownOrder) {
  const auto waited = wait();
  const auto asking = event_.take<messages::order_query>();
  free();
  malloc();
  EXPECT_TRUE(pool_.empty());
  EXPECT_FALSE(waited.arrived());
  answer(asking.reply, messages::record_order{at(2, 7), {}, true});
  EXPECT_TRUE(waited.arrived());
  const auto freed = take_back();
  EXPECT_EQ(freed.at, at(own, 2));
  EXPECT_TRUE(freed.executed) << "before the pool decides about the malloc";
  EXPECT_EQ(pool_.take<messages::grant_block>().ordered, clock({at(2, 7)}));
}

TEST_F(StreamSubmission, PassesNothingOnBehindAPlainFree) {
  const auto freed = free_plain(another_block);
  const auto begun = device_.take<messages::begin_plain_free>();
  EXPECT_EQ(begun.block, another_block);
  malloc();
  EXPECT_TRUE(pool_.empty());
  answer(begun.reply, messages::done{});
  EXPECT_TRUE(freed.succeeded());
  EXPECT_EQ(pool_.count<messages::grant_block>(), 1U);
  EXPECT_EQ(device_.take<messages::end_plain_free>().block, another_block);
}

TEST_F(StreamSubmission, SettlesMallocsOneAtATime) {
  const auto first = malloc(1);
  const auto second = malloc(2);
  EXPECT_EQ(pool_.count<messages::grant_block>(), 1U);
  EXPECT_EQ(grant().bytes, 1U);
  EXPECT_TRUE(first.arrived());
  EXPECT_FALSE(second.arrived());
  EXPECT_EQ(grant().bytes, 2U);
  EXPECT_TRUE(second.arrived());
}

TEST_F(StreamSubmission, SettlesAMallocWhileTheStreamIsBlocked) {
  submit();  // no engine ever runs it
  const auto block = malloc();
  grant();
  EXPECT_TRUE(block.succeeded());
  EXPECT_FALSE(query().value().complete);
}

TEST_F(StreamSubmission, AnswersAQueryInItsTurn) {
  malloc();
  const auto status = query();
  EXPECT_FALSE(status.arrived());
  grant();
  EXPECT_TRUE(status.succeeded());
}

// -- order between streams ----------------------------------------------------------------------------------

TEST_F(StreamSubmission, IsOrderedAfterNothingAtFirst) { EXPECT_EQ(ordered(), messages::order_clock{}); }

TEST_F(StreamSubmission, IsOrderedAfterTheRecordItWaitsForAndAllBeforeThat) {
  wait();
  tell_order(at(2, 7), clock({at(3, 4), at(4, 1)}));
  EXPECT_EQ(ordered(), clock({at(2, 7), at(3, 4), at(4, 1)}));
}

TEST_F(StreamSubmission, GathersTheOrderOfAllItsWaits) {
  wait(1);
  tell_order(at(2, 7), clock({at(3, 4)}));
  wait(2);
  event_.take<messages::await_record>();  // of the first
  tell_order(at(3, 9), clock({at(2, 1)}));
  EXPECT_EQ(ordered(), clock({at(2, 7), at(3, 9)}));
}

TEST_F(StreamSubmission, TellsItsRecordsWhatTheyAreOrderedAfter) {
  wait();
  tell_order(at(2, 7), clock({at(3, 4)}), true);
  record(2);
  const auto recorded = event_.take<messages::event_recorded>();
  EXPECT_EQ(recorded.number, messages::record_number{2});
  EXPECT_EQ(recorded.at, at(own, 2));
  EXPECT_EQ(recorded.ordered, clock({at(2, 7), at(3, 4)}));
}

TEST_F(StreamSubmission, LeavesItselfOutOfItsOrder) {
  record();
  event_.take<messages::event_recorded>();
  wait();
  tell_order(at(own, 1), {}, true);
  EXPECT_EQ(ordered(), messages::order_clock{});
}

TEST_F(StreamSubmission, AsksWhatItMayForgetWhenItIsOrderedAfterManyStreams) {
  std::uint64_t waits = 0;
  const auto wait_for_another_stream = [&] {
    wait(++waits);
    tell_order(at(100 + waits, 1), {}, true);
  };
  while (waits < memory::long_clock - 1) {
    wait_for_another_stream();
  }
  ASSERT_TRUE(device_.empty());
  while (device_.empty() && waits < 2 * memory::long_clock) {
    wait_for_another_stream();
  }
  const auto asked = device_.take<messages::find_seen>();
  EXPECT_EQ(asked.tasks.positions().size(), waits);
  const auto asked_after = waits;
  while (waits < 3 * memory::long_clock) {
    wait_for_another_stream();
  }
  EXPECT_TRUE(device_.empty()) << "one question at a time";
  auto seen = asked.tasks;
  seen.forget(clock({at(101, 1)}));
  answer(asked.reply, messages::tasks_seen{seen});
  const auto left = ordered();
  EXPECT_TRUE(left.covers(at(101, 1)));
  EXPECT_EQ(left.positions().size(), 1 + waits - asked_after);
}

// The question would cost more than the wait.
TEST_F(StreamSubmission, AsksNothingForOneWaitWithALongClock) {
  messages::order_clock many;
  for (std::uint64_t stream = 1; stream <= 20 * memory::long_clock; ++stream) {
    many.add(at(100 + stream, 1));
  }
  wait();
  tell_order(at(2, 7), many, true);
  EXPECT_TRUE(device_.empty());
}

TEST_F(StreamSubmission, AddsNoOrderForAForgottenRecord) {
  wait();
  tell_order({}, {}, true);
  EXPECT_EQ(ordered(), messages::order_clock{});
}

TEST_F(StreamSubmission, GoesOnBehindAWaitForAnEventThatHasEnded) {
  const auto waited = wait();
  event_.forgetter()();
  run();
  EXPECT_TRUE(waited.failed_with(fault_code::actor_gone)) << "it ordered nothing";
  EXPECT_TRUE(query().value().complete);
}

TEST_F(StreamSubmission, LetsThePoolAnswerForTheLargestBlock) {
  wait();
  tell_order(at(2, 7));
  const auto largest = ask(stream_, messages::ask_largest{pool_.handle(), 99, {}});
  const auto asked = pool_.take<messages::read_largest>();
  EXPECT_EQ(asked.stream, messages::stream_id{own});
  EXPECT_EQ(asked.ordered, clock({at(2, 7)}));
  EXPECT_EQ(asked.device_free, 99U);
  answer(asked.reply, std::uint64_t{42});
  EXPECT_EQ(largest.value(), 42U);
}

}  // namespace
