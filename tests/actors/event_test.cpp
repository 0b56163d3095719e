// The event: its records, and who waits for them.

#include <optional>

#include "actors/event.hpp"
#include "fixture.hpp"

namespace {

using namespace actor_tests;
using messages::await_record;
using messages::event_reached;
using messages::event_recorded;
using messages::order_query;
using messages::query_record;
using messages::record_number;

class Event : public actor_fixture {
protected:
  void record(std::uint64_t number, messages::position task, messages::order_clock ordered = {}) {
    tell(event_, event_recorded{record_number{number}, task, std::move(ordered)});
  }
  void reach(std::uint64_t number, std::optional<messages::fault> failure = {}) {
    tell(event_, event_reached{record_number{number}, a_time, std::move(failure)});
  }
  auto order_of(std::uint64_t number) { return ask(event_, order_query{record_number{number}, {}}); }
  auto await(std::uint64_t number) { return ask(event_, await_record{record_number{number}, {}}); }
  auto query(std::uint64_t number) { return ask(event_, query_record{record_number{number}, {}}); }

  static constexpr std::chrono::steady_clock::time_point a_time{std::chrono::seconds(77)};
  messages::event_actor event_ = actors::spawn<actors::event_state>(system());
};

TEST_F(Event, TellsTheOrderOfARecord) {
  record(1, at(4, 9), clock({at(2, 3)}));
  const auto order = order_of(1);
  EXPECT_EQ(order.value().at, at(4, 9));
  EXPECT_EQ(order.value().ordered, clock({at(2, 3)}));
  EXPECT_FALSE(order.value().reached);
}

TEST_F(Event, TellsTheOrderOnceTheRecordHasArrived) {
  const auto early = order_of(1);
  const auto another = order_of(1);
  ASSERT_FALSE(early.arrived());
  record(1, at(4, 9), clock({at(2, 3)}));
  EXPECT_EQ(early.value().at, at(4, 9));
  EXPECT_EQ(early.value().ordered, clock({at(2, 3)}));
  EXPECT_TRUE(another.succeeded());
}

TEST_F(Event, TellsTheOrderOfTheRecordThatIsMeant) {
  const auto second = order_of(2);
  record(1, at(4, 9));
  EXPECT_FALSE(second.arrived());
  record(2, at(5, 1));
  EXPECT_EQ(second.value().at, at(5, 1));
  EXPECT_EQ(order_of(1).value().at, at(4, 9));
}

TEST_F(Event, TellsThatARecordIsReachedAlready) {
  record(1, at(4, 9));
  reach(1);
  EXPECT_TRUE(order_of(1).value().reached);
}

TEST_F(Event, TakesARecordThatIsExecutedWhenItIsSubmitted) {
  const auto early = order_of(1);
  const auto waiter = await(1);
  tell(event_, event_recorded{record_number{1}, at(4, 9), clock({at(2, 3)}), a_time});
  EXPECT_EQ(early.value().at, at(4, 9));
  EXPECT_TRUE(early.value().reached);
  EXPECT_EQ(waiter.value().ordered, clock({at(2, 3)}));
  EXPECT_EQ(waiter.value().time, a_time);
  EXPECT_TRUE(query(1).succeeded());
}

TEST_F(Event, TellsAWaiterWhenTheRecordIsExecuted) {
  record(1, at(4, 9), clock({at(2, 3)}));
  const auto waiter = await(1);
  const auto another = await(1);
  ASSERT_FALSE(waiter.arrived());
  reach(1);
  EXPECT_EQ(waiter.value().at, at(4, 9));
  EXPECT_EQ(waiter.value().ordered, clock({at(2, 3)}));
  EXPECT_EQ(waiter.value().time, a_time);
  EXPECT_FALSE(waiter.value().failure);
  EXPECT_TRUE(another.succeeded());
  EXPECT_EQ(waiter.times(), 1U);
}

TEST_F(Event, TellsAtOnceThatARecordWasExecuted) {
  record(1, at(4, 9));
  reach(1);
  EXPECT_EQ(await(1).value().at, at(4, 9));
}

TEST_F(Event, TakesAWaiterBeforeTheRecordHasArrived) {
  const auto waiter = await(1);
  record(1, at(4, 9));
  ASSERT_FALSE(waiter.arrived());
  reach(1);
  EXPECT_EQ(waiter.value().at, at(4, 9));
}

TEST_F(Event, KeepsTheWaitersOfARecordWhenItIsRecordedAgain) {
  record(1, at(4, 9));
  const auto of_first = await(1);
  record(2, at(5, 1));
  const auto of_second = await(2);
  reach(2);
  EXPECT_FALSE(of_first.arrived());
  EXPECT_EQ(of_second.value().at, at(5, 1));
  reach(1);
  EXPECT_EQ(of_first.value().at, at(4, 9));
}

TEST_F(Event, SaysThatARecordIsNotComplete) {
  record(1, at(4, 9));
  EXPECT_TRUE(query(1).failed_with(fault_code::not_complete));
  reach(1);
  EXPECT_EQ(query(1).value().at, at(4, 9));
}

TEST_F(Event, PassesAFailureOn) {
  record(1, at(4, 9));
  const auto waiter = await(1);
  reach(1, broken("kernel x"));
  EXPECT_EQ(text_of(waiter.value().failure), "kernel x");
  EXPECT_EQ(text_of(query(1).value().failure), "kernel x");
}

TEST_F(Event, LetsNobodyWaitForARecordThatIsLostUnannounced) {
  const auto asking = order_of(1);
  const auto waiting = await(1);
  reach(1, messages::actor_gone().value());
  EXPECT_TRUE(asking.value().reached);
  EXPECT_EQ(waiting.value().failure->code, fault_code::actor_gone);
}

TEST_F(Event, AnswersActorGoneWhenItGoes) {
  const auto waiting = await(1);
  const auto asking = order_of(1);
  event_ = nullptr;
  EXPECT_TRUE(waiting.failed_with(fault_code::actor_gone));
  EXPECT_TRUE(asking.failed_with(fault_code::actor_gone));
}

// -- old records --------------------------------------------------------------------------------------------

class EventForgetting : public Event {
protected:
  static constexpr std::uint64_t many = 10'000;
  static constexpr std::uint64_t kept = 64;

  void record_and_reach(std::uint64_t first, std::uint64_t last) {
    for (auto number = first; number <= last; ++number) {
      record(number, at(4, number));
      reach(number);
    }
  }
  bool is_known(std::uint64_t number) { return query(number).value().at != messages::position{}; }
};

TEST_F(EventForgetting, KeepsTheLatestRecordsOnly) {
  record_and_reach(1, many);
  std::uint64_t known = 0;
  for (std::uint64_t number = 1; number <= many; ++number) {
    known += is_known(number) ? 1U : 0U;
  }
  EXPECT_EQ(known, kept);
  EXPECT_TRUE(is_known(many));
  EXPECT_TRUE(is_known(many - kept + 1));
}

TEST_F(EventForgetting, TakesAForgottenRecordForCompleteAndWithoutOrder) {
  record_and_reach(1, many);
  EXPECT_TRUE(query(1).succeeded());
  EXPECT_TRUE(await(1).succeeded());
  EXPECT_TRUE(order_of(1).value().reached);
  EXPECT_EQ(order_of(1).value().at, messages::position{});
}

TEST_F(EventForgetting, NeverForgetsARecordThatWasNotExecuted) {
  record(1, at(9, 1));
  record_and_reach(2, 200);
  const auto waiter = await(1);
  EXPECT_FALSE(waiter.arrived());
  EXPECT_EQ(order_of(1).value().at, at(9, 1));
  reach(1);
  EXPECT_EQ(waiter.value().at, at(9, 1));
}

TEST_F(EventForgetting, IgnoresNewsOfAForgottenRecord) {
  record_and_reach(1, 200);
  record(1, at(9, 1));
  reach(1, broken());
  EXPECT_FALSE(query(1).value().failure);
}

}  // namespace
