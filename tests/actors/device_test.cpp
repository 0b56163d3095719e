// The device makes streams, events and pools, and ends in order.

#include <set>

#include "device_fixture.hpp"

namespace {

using namespace actor_tests;
using messages::on_failure;

class Device : public device_fixture {};

TEST_F(Device, GivesEachNumberOnce) {
  std::set<std::uint64_t> numbers;
  for (int n = 0; n < 3; ++n) {
    numbers.insert(memory::number(make_stream().id));
    numbers.insert(memory::number(ask(device_, messages::create_event{}).value().id));
    numbers.insert(memory::number(make_pool().id));
  }
  EXPECT_EQ(numbers.size(), 9U);
  EXPECT_FALSE(numbers.contains(0));
}

TEST_F(Device, MakesStreamsThatWork) {
  const auto pool = make_pool();
  const auto stream = make_stream();
  const auto block = ask(stream.stream, messages::malloc_async{pool.pool, granule, {}});
  EXPECT_TRUE(pool.window.contains(block.value()));
  EXPECT_TRUE(ask(stream.stream, messages::free_async{pool.pool, block.value(), {}}).succeeded());
}

TEST_F(Device, MakesEventsThatWork) {
  const auto event = ask(device_, messages::create_event{}).value();
  const auto stream = make_stream();
  ask(stream.stream, messages::record_event{event.event, messages::record_number{1}, {}});
  const auto reached = ask(event.event, messages::query_record{messages::record_number{1}, {}});
  EXPECT_EQ(reached.value().at, (messages::position{stream.id, messages::sequence_number{1}}));
}

// -- pools --------------------------------------------------------------------------------------------------

TEST_F(Device, GivesPoolsWindowsOfTheirOwn) {
  const auto first = make_pool().window;
  const auto second = make_pool().window;
  EXPECT_GE(first.bytes, device_memory);
  EXPECT_TRUE(first.end() <= second.begin || second.end() <= first.begin);
}

TEST_F(Device, LetsAPoolHaveAllMemoryIfNoLimitIsGiven) {
  EXPECT_EQ(ask(make_pool().pool, messages::read_figures{}).value().heap.limit, device_memory);
}

TEST_F(Device, RoundsALimitUpToGranules) {
  const auto pool = want_pool(granule + 1).value();
  EXPECT_EQ(ask(pool.pool, messages::read_figures{}).value().heap.limit, 2 * granule);
}

TEST_F(Device, RefusesAPoolThatIsLargerThanItself) {
  EXPECT_TRUE(want_pool(device_memory).succeeded());
  EXPECT_TRUE(want_pool(device_memory + 1).failed_with(fault_code::invalid_argument));
  EXPECT_TRUE(want_pool(~std::uint64_t{0}).failed_with(fault_code::invalid_argument));
}

TEST_F(Device, RefusesAMinimumBlockThatIsNoPowerOfTwoUpToAGranule) {
  for (const std::uint64_t wrong : {std::uint64_t{0}, std::uint64_t{256}, std::uint64_t{513}, 2 * granule}) {
    EXPECT_TRUE(want_pool(0, wrong).failed_with(fault_code::invalid_argument)) << wrong;
  }
  EXPECT_TRUE(want_pool(0, 512).succeeded());
  EXPECT_TRUE(want_pool(0, granule).succeeded());
}

TEST_F(Device, UsesTheWindowOfAPoolThatHasEndedAgain) {
  for (std::uint64_t n = 1; n < pool_slots; ++n) {
    make_pool();
  }
  const auto last = make_pool();
  EXPECT_TRUE(want_pool().failed_with(fault_code::out_of_memory));
  tell(last.pool, messages::retire_pool{});
  const auto next = want_pool();
  EXPECT_EQ(next.value().window, last.window);
  EXPECT_NE(next.value().id, last.id);
}

TEST_F(Device, DoesNotUseAWindowAgainThatIsNotClean) {
  const auto pool = make_pool();
  tell(device_, messages::pool_ended{pool.id, false});
  EXPECT_NE(make_pool().window, pool.window);
}

TEST_F(Device, KeepsTheWindowOfARetiredPoolWithLiveBlocks) {
  for (std::uint64_t n = 1; n < pool_slots; ++n) {
    make_pool();
  }
  const auto last = make_pool();
  const auto live = block(last, granule);
  tell(last.pool, messages::retire_pool{});
  EXPECT_TRUE(want_pool().failed_with(fault_code::out_of_memory));
  ask(last.pool, messages::give_back_now{live, {}});
  EXPECT_TRUE(want_pool().succeeded());
  EXPECT_EQ(left(), device_memory);
}

// -- the end of streams -------------------------------------------------------------------------------------

TEST_F(Device, TellsWhenAStreamHasEnded) {
  const auto stream = ask(device_, messages::create_stream{}).value();
  const auto first = ask(device_, messages::await_stream_end{stream.id, {}});
  const auto second = ask(device_, messages::await_stream_end{stream.id, {}});
  EXPECT_FALSE(first.arrived());
  tell(stream.stream, messages::retire_stream{});
  EXPECT_TRUE(first.succeeded());
  EXPECT_TRUE(second.succeeded());
  EXPECT_TRUE(ask(device_, messages::await_stream_end{stream.id, {}}).succeeded());
}

// -- failure groups -----------------------------------------------------------------------------------------

TEST_F(Device, StopsTheStreamsOfAGroupThatFailed) {
  const auto first = make_stream(on_failure::stop, 7);
  const auto second = make_stream(on_failure::stop, 7);
  const auto outside = make_stream(on_failure::stop, 8);
  const auto alone = make_stream(on_failure::stop);
  fail(first);
  const auto failed = [this](const messages::created_stream& stream) {
    return ask(stream.stream, messages::synchronize_stream{}).value().failure.has_value();
  };
  EXPECT_TRUE(failed(first));
  EXPECT_TRUE(failed(second));
  EXPECT_FALSE(failed(outside));
  EXPECT_FALSE(failed(alone));
  EXPECT_TRUE(failed(make_stream(on_failure::stop, 7))) << "one that is made later";
  EXPECT_FALSE(failed(make_stream(on_failure::proceed, 7)));
}

// -- the end ------------------------------------------------------------------------------------------------

TEST_F(Device, ShutsDownAtOnceWhenItIsEmpty) {
  EXPECT_TRUE(ask(device_, messages::shut_down{}).succeeded());
  EXPECT_TRUE(ask(device_, messages::read_memory{}).failed_with(fault_code::actor_gone));
}

TEST_F(Device, ShutsDownWhenItsStreamsHaveEnded) {
  const auto stream = make_stream();
  block(stream);
  const auto down = ask(device_, messages::shut_down{});
  tell(stream.stream, messages::retire_stream{});
  EXPECT_FALSE(down.arrived());
  unblock();
  EXPECT_TRUE(down.succeeded());
}

TEST_F(Device, KeepsItsPoolsUntilItsStreamsHaveEnded) {
  const auto pool = make_pool();
  const auto stream = make_stream();
  block(stream);
  const auto block = request(stream.stream, messages::malloc_async{pool.pool, granule, {}});
  const auto down = ask(device_, messages::shut_down{});
  tell(stream.stream, messages::retire_stream{});
  EXPECT_FALSE(down.arrived());
  unblock();
  EXPECT_TRUE(block.succeeded());
  EXPECT_TRUE(down.succeeded());
  EXPECT_TRUE(ask(pool.pool, messages::read_figures{}).failed_with(fault_code::actor_gone));
}

TEST_F(Device, ShutsDownWhenItsPoolsHaveEnded) {
  const auto pool = make_pool();
  block(pool, granule);  // live to the end
  wire_tap tap(all_but<messages::abandon_pool>);
  const auto down = ask(device_, messages::shut_down{});
  EXPECT_EQ(tap.stopped(), 1);
  EXPECT_FALSE(down.arrived());
  tap.deliver();
  run();
  EXPECT_TRUE(down.succeeded());
}

}  // namespace
