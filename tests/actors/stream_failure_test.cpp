// The stream after a task has failed.

#include "stream_fixture.hpp"

namespace {

using namespace actor_tests;
using messages::on_failure;

class ProceedingStream : public stream_fixture {};

class StoppingStream : public stream_fixture {
protected:
  StoppingStream() : stream_fixture(on_failure::stop) {}

  void fail() {
    submit();
    run_tasks(broken("kernel x"));
    device_.take<messages::group_failed>();
  }
};

TEST_F(ProceedingStream, ReturnsTheFailureWithTheNextSynchronize) {
  submit();
  run_tasks(broken("kernel x"));
  const auto first = synchronize();
  EXPECT_EQ(text_of(first.value().failure), "kernel x");
  EXPECT_FALSE(synchronize().value().failure);
}

TEST_F(ProceedingStream, ReturnsTheFirstOfSeveralFailures) {
  submit();
  submit();
  run_tasks(broken("first"));
  run_tasks(broken("second"));
  EXPECT_EQ(text_of(synchronize().value().failure), "first");
}

TEST_F(ProceedingStream, ReturnsAFailureToTheSynchronizeThatItsTaskWasBefore) {
  submit();
  const auto before = synchronize();
  submit();
  const auto behind = synchronize();
  run_tasks();
  run_tasks(broken("second"));
  EXPECT_FALSE(before.value().failure);
  EXPECT_EQ(text_of(behind.value().failure), "second");
}

TEST_F(ProceedingStream, GoesOnAfterAFailure) {
  submit();
  run_tasks(broken());
  EXPECT_TRUE(submit().succeeded());
  EXPECT_TRUE(is_running());
  EXPECT_EQ(device_.count<messages::group_failed>(), 0U);
}

TEST_F(ProceedingStream, LetsEnginesGoOnInARun) {
  submit();
  EXPECT_FALSE(device_.take<messages::run_tasks>().stop_on_failure);
}

TEST_F(ProceedingStream, ExecutesFreesAfterAFailure) {
  submit();
  free();
  take_back();
  run_tasks(broken());
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 2));
}

TEST_F(ProceedingStream, TellsItsRecordsOfAFailureThatNoSynchronizeHasReturned) {
  submit();
  run_tasks(broken("kernel x"));
  record(1);
  event_.take<messages::event_recorded>();
  const auto reached = event_.take<messages::event_reached>();
  EXPECT_EQ(text_of(reached.failure), "kernel x");
  synchronize();
  record(2);
  EXPECT_TRUE(event_.take<messages::event_recorded>().executed) << "without a failure";
}

TEST_F(ProceedingStream, TakesALostRunForAFailure) {
  submit();
  const auto synchronized = synchronize();
  device_.forgetter()();
  run();
  ASSERT_TRUE(synchronized.value().failure);
  EXPECT_EQ(synchronized.value().failure->code, fault_code::actor_gone);
  EXPECT_TRUE(query().value().complete);
}

TEST_F(ProceedingStream, RefusesAWaitForAnEventThatHasEnded) {
  const auto waited = wait();
  event_.forgetter()();
  run();
  ASSERT_TRUE(waited.failed_with(fault_code::actor_gone));
  EXPECT_THAT(waited.failure().text, testing::HasSubstr("event"));
  submit();
  EXPECT_TRUE(is_running());
  run_tasks();
}

TEST_F(ProceedingStream, TakesAnEventThatEndsBeforeItsRecordIsExecutedForAFailure) {
  wait();
  tell_order(at(2, 2));
  submit();
  ASSERT_FALSE(is_running());
  event_.forgetter()();
  run();
  EXPECT_TRUE(is_running()) << "nobody waits for ever";
  run_tasks();
  const auto synchronized = synchronize();
  ASSERT_TRUE(synchronized.value().failure);
  EXPECT_EQ(synchronized.value().failure->code, fault_code::actor_gone);
}

TEST_F(ProceedingStream, TellsTheDeviceOfAFailureThatNobodyHasReturned) {
  submit();
  retire();
  run_tasks(broken("kernel x"));
  const auto ended = device_.take<messages::stream_ended>();
  EXPECT_EQ(text_of(ended.failure), "kernel x");
}

TEST_F(ProceedingStream, IgnoresTheFailureOfItsGroup) {
  tell(stream_, messages::stop_stream{broken()});
  EXPECT_TRUE(submit().succeeded());
  run_tasks();
  EXPECT_FALSE(synchronize().value().failure);
}

TEST_F(ProceedingStream, CanBeMadeToStop) {
  EXPECT_TRUE(set_mode(on_failure::stop).succeeded());
  submit();
  EXPECT_TRUE(device_.take<messages::run_tasks>().stop_on_failure);
}

TEST_F(StoppingStream, CannotBeMadeToProceed) {
  EXPECT_TRUE(set_mode(on_failure::proceed).failed_with(fault_code::invalid_argument));
  submit();
  EXPECT_TRUE(device_.take<messages::run_tasks>().stop_on_failure);
}

TEST_F(StoppingStream, TakesNoWorkAfterAFailure) {
  fail();
  const auto refused = submit();
  EXPECT_TRUE(refused.failed_with(fault_code::stream_stopped));
  EXPECT_THAT(refused.failure().text, testing::HasSubstr("kernel x"));
  EXPECT_TRUE(device_.empty());
}

TEST_F(StoppingStream, TakesNoMallocAfterAFailure) {
  fail();
  EXPECT_TRUE(malloc().failed_with(fault_code::stream_stopped));
  EXPECT_TRUE(pool_.empty());
}

TEST_F(StoppingStream, SendsABlockBackThatIsGrantedAfterAFailure) {
  submit();
  const auto block = malloc();
  run_tasks(broken("kernel x"));
  grant();
  EXPECT_TRUE(block.failed_with(fault_code::stream_stopped));
  EXPECT_TRUE(queued_.failed_with(fault_code::stream_stopped));
  free();
  EXPECT_EQ(take_back().at, at(own, 2));
}

TEST_F(StoppingStream, GivesARefusedTaskNoPosition) {
  fail();
  submit();
  free();
  EXPECT_EQ(take_back().at, at(own, 2));
}

TEST_F(StoppingStream, DropsTheWorkThatItHadTaken) {
  submit();
  submit();
  record();
  event_.take<messages::event_recorded>();
  submit();
  run_tasks(broken());
  device_.take<messages::group_failed>();
  EXPECT_TRUE(device_.empty());
  EXPECT_TRUE(event_.take<messages::event_reached>().failure);
  EXPECT_TRUE(query().value().complete);
}

TEST_F(StoppingStream, StillTakesAndExecutesFrees) {
  submit();
  submit();
  free();
  take_back();
  run_tasks(broken());
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 3));
  free(another_block);
  EXPECT_TRUE(take_back().executed);
}

TEST_F(StoppingStream, ReturnsItsFailureOnceAndStaysStopped) {
  fail();
  EXPECT_EQ(text_of(synchronize().value().failure), "kernel x");
  EXPECT_FALSE(synchronize().value().failure);
  const auto refused = submit();
  EXPECT_TRUE(refused.failed_with(fault_code::stream_stopped));
  EXPECT_THAT(refused.failure().text, testing::HasSubstr("kernel x"));
}

TEST_F(StoppingStream, TellsTheDeviceThatItsGroupHasFailed) {
  submit();
  run_tasks(broken("kernel x"));
  const auto told = device_.take<messages::group_failed>();
  EXPECT_EQ(told.group, group);
  EXPECT_EQ(told.failure.text, "kernel x");
}

TEST_F(StoppingStream, StopsWithItsGroup) {
  tell(stream_, messages::stop_stream{broken("of another")});
  EXPECT_TRUE(submit().failed_with(fault_code::stream_stopped));
  EXPECT_EQ(text_of(synchronize().value().failure), "of another");
  EXPECT_TRUE(device_.empty());  // nobody is told again
}

TEST_F(StoppingStream, KeepsTheFirstFailureWhenItsGroupFails) {
  fail();
  tell(stream_, messages::stop_stream{broken("of another")});
  EXPECT_EQ(text_of(synchronize().value().failure), "kernel x");
}

TEST_F(StoppingStream, EndsWhenItIsRetired) {
  fail();
  retire();
  EXPECT_EQ(text_of(device_.take<messages::stream_ended>().failure), "kernel x");
}

TEST_F(StoppingStream, WithoutAGroupTellsNobody) {
  stream_ = nullptr;
  run();
  device_.take<messages::stream_ended>();
  stream_ = actors::spawn<actors::stream_state>(system(), messages::stream_id{own}, device_.handle(),
                                                on_failure::stop, std::uint64_t{0});
  submit();
  run_tasks(broken());
  EXPECT_TRUE(device_.empty());
  EXPECT_TRUE(submit().failed_with(fault_code::stream_stopped));
}

}  // namespace
