// The stream cuts work short, times its waits, and keeps notes.

#include "stream_fixture.hpp"

namespace {

using namespace actor_tests;
using messages::fault_code;

class StreamControl : public stream_fixture {
protected:
  auto stop() { return ask(stream_, messages::stop_task{}); }
  auto abort() {
    return ask(stream_, messages::abort_stream{{fault_code::stream_aborted, "on purpose"}, {}});
  }
  static messages::stop_wish wish_of(const messages::run_tasks& run) { return run.wish->load(); }
};

TEST_F(StreamControl, StopIsAWishForTheRunThatAnEngineHas) {
  submit();
  submit();
  const auto run = device_.take<messages::run_tasks>();
  EXPECT_EQ(wish_of(run), messages::stop_wish::none);
  EXPECT_TRUE(stop().succeeded());
  EXPECT_EQ(wish_of(run), messages::stop_wish::task);
  answer(run.reply, messages::tasks_run{1, messages::fault{fault_code::task_stopped, "stopped"}});
  const auto next = device_.take<messages::run_tasks>();  // what was queued is run, without the wish
  EXPECT_EQ(next.tasks.size(), 1U);
  EXPECT_EQ(wish_of(next), messages::stop_wish::none);
  answer(next.reply, messages::tasks_run{1, {}});
  EXPECT_EQ(synchronize().value().failure->code, fault_code::task_stopped);
}

TEST_F(StreamControl, StopOfAnIdleStreamIsNoWish) {
  EXPECT_TRUE(stop().succeeded());
  submit();
  EXPECT_EQ(wish_of(device_.take<messages::run_tasks>()), messages::stop_wish::none);
}

TEST_F(StreamControl, AbortDropsWorkAndWaitsForTheEngine) {
  submit();
  submit();
  const auto waiter = synchronize();
  const auto run = device_.take<messages::run_tasks>();
  const auto aborted = abort();
  EXPECT_TRUE(waiter.failed_with(fault_code::stream_aborted));
  EXPECT_EQ(wish_of(run), messages::stop_wish::run);
  EXPECT_FALSE(aborted.arrived());
  answer(run.reply, messages::tasks_run{1, messages::fault{fault_code::task_stopped, "stopped"}});
  EXPECT_TRUE(aborted.succeeded());
  EXPECT_TRUE(device_.empty());
  EXPECT_TRUE(query().value().complete);
  EXPECT_FALSE(synchronize().value().failure);
}

TEST_F(StreamControl, AbortOfAnIdleStreamIsDoneAtOnce) {
  EXPECT_TRUE(abort().succeeded());
  submit();
  EXPECT_EQ(run_tasks(), 1U);
}

// Memory may have been given on the strength of a wait.
TEST_F(StreamControl, AbortKeepsWaitsFreesAndRecords) {
  wait();
  tell_order(at(2, 2));
  submit();
  free();
  take_back();
  EXPECT_TRUE(abort().succeeded());
  EXPECT_TRUE(pool_.empty());
  submit();
  EXPECT_FALSE(is_running());
  tell_reached();
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 3));
  EXPECT_EQ(run_tasks(), 1U);  // what came after the abort
}

TEST_F(StreamControl, AWaitThatTakesTooLongFailsWhenItEnds) {
  const auto wait_for = [this](std::chrono::nanoseconds limit) {
    ask(stream_, messages::wait_event{event_.handle(), messages::record_number{1}, {}, {}, limit});
    tell_order(at(2, 2));
  };
  wait_for(std::chrono::nanoseconds{1});
  submit();
  EXPECT_FALSE(is_running());
  tell_reached();
  EXPECT_EQ(run_tasks(), 1U);
  EXPECT_EQ(synchronize().value().failure->code, fault_code::task_timed_out);
  wait_for(std::chrono::hours{1});
  tell_reached();
  EXPECT_FALSE(synchronize().value().failure);
}

TEST_F(StreamControl, Notes) {
  const auto read = [this](messages::stream_note which) {
    return ask(stream_, messages::read_stream_note{which, {}}).value();
  };
  EXPECT_EQ(read(messages::stream_note::vector_cores), 0U);
  ask(stream_, messages::write_stream_note{messages::stream_note::vector_cores, 7, {}});
  EXPECT_EQ(read(messages::stream_note::vector_cores), 7U);
  EXPECT_EQ(read(messages::stream_note::priority), 0U);
}

}  // namespace
