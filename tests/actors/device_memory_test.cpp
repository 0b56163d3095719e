// The device's memory: the budget, pressure, and the plain heaps.

#include "device_fixture.hpp"

namespace {

using namespace actor_tests;
using messages::plain_kind;
using messages::pressure;

class DeviceMemory : public device_fixture {};

// -- the budget ---------------------------------------------------------------------------------------------

TEST_F(DeviceMemory, IsFreeAtFirst) {
  const auto memory_left = ask(device_, messages::read_memory{});
  EXPECT_EQ(memory_left.value().free, device_memory);
  EXPECT_EQ(memory_left.value().total, device_memory);
}

TEST_F(DeviceMemory, IsReservedAndReturned) {
  const auto given = reserve(3 * granule, pressure::none);
  EXPECT_EQ(given.value().bytes, 3 * granule);
  EXPECT_EQ(given.value().left, 5 * granule);
  EXPECT_EQ(left(), 5 * granule);
  tell(device_, messages::return_memory{asker(), 2 * granule});
  EXPECT_EQ(left(), 7 * granule);
}

TEST_F(DeviceMemory, IsFreeAgainWhenItsPoolEnds) {
  const auto pool = make_pool();
  reserve(3 * granule, pressure::none, pool.id);
  tell(pool.pool, messages::retire_pool{});
  EXPECT_EQ(left(), device_memory);
}

TEST_F(DeviceMemory, IsNotReservedForAPoolThatHasEnded) {
  const auto pool = make_pool();
  tell(pool.pool, messages::retire_pool{});
  EXPECT_EQ(reserve(granule, pressure::none, pool.id).value().bytes, 0U);
  EXPECT_EQ(left(), device_memory);
}

TEST_F(DeviceMemory, IsReservedToTheLastGranuleAndNoFurther) {
  EXPECT_EQ(reserve(8 * granule, pressure::none).value().bytes, 8 * granule);
  const auto refused = reserve(granule, pressure::none);
  EXPECT_EQ(refused.value().bytes, 0U);
  EXPECT_EQ(refused.value().left, 0U);
}

TEST_F(DeviceMemory, IsReservedWhollyOrNotAtAll) {
  const auto refused = reserve(9 * granule, pressure::executed);
  EXPECT_EQ(refused.value().bytes, 0U);
  EXPECT_EQ(refused.value().left, 8 * granule);
  EXPECT_EQ(left(), 8 * granule);
}

TEST_F(DeviceMemory, IsSharedByPlainMemoryAndPools) {
  const auto pool = make_pool();
  const auto live = block(pool, 2 * granule);
  const auto plain = malloc(granule);
  EXPECT_EQ(left(), 5 * granule);
  free(plain.value());
  EXPECT_EQ(left(), 6 * granule);
  ask(pool.pool, messages::give_back_now{live, {}});
  EXPECT_EQ(left(), 6 * granule);  // the pool keeps it
  tell(pool.pool, messages::retire_pool{});
  EXPECT_EQ(left(), 8 * granule);
}

// -- pressure -----------------------------------------------------------------------------------------------

class DevicePressure : public device_fixture {
protected:
  const messages::created_pool first_ = make_pool();
  const messages::created_pool second_ = make_pool();
  const messages::created_pool third_ = make_pool();
};

TEST_F(DevicePressure, TakesNothingFromPoolsIfItMayNot) {
  make_idle(first_, 8 * granule);
  EXPECT_EQ(reserve(granule, pressure::none).value().bytes, 0U);
  EXPECT_EQ(reserved(first_), 8 * granule);
}

TEST_F(DevicePressure, TakesFromTheLowestNumberFirstAndNoMoreThanIsMissing) {
  make_idle(first_, 3 * granule);
  make_idle(second_, 3 * granule);
  make_idle(third_, granule);
  EXPECT_EQ(reserve(5 * granule, pressure::seen).value().bytes, 5 * granule);
  EXPECT_EQ(reserved(first_), 0U);
  EXPECT_EQ(reserved(second_), 2 * granule);
  EXPECT_EQ(reserved(third_), granule);
  EXPECT_EQ(left(), 0U);
}

TEST_F(DevicePressure, AsksNoPoolThatIsNotNeeded) {
  make_idle(second_, 8 * granule);
  const wire_tap tap([count = 0](auto&, const auto& element) mutable {
    return !carries<messages::release_idle>(element) ||
           ++count <= 2;  // the first has nothing, the second has it
  });
  EXPECT_EQ(reserve(granule, pressure::seen).value().bytes, granule);
  EXPECT_EQ(tap.stopped(), 0);
}

TEST_F(DevicePressure, AsksNoPoolWhileThereIsEnough) {
  make_idle(first_, 4 * granule);
  EXPECT_EQ(reserve(4 * granule, pressure::executed).value().bytes, 4 * granule);
  EXPECT_EQ(reserved(first_), 4 * granule);
}

TEST_F(DevicePressure, DoesNotAskThePoolThatWants) {
  make_idle(first_, 4 * granule);
  make_idle(second_, 4 * granule);
  EXPECT_EQ(reserve(granule, pressure::seen, first_.id).value().bytes, granule);
  EXPECT_EQ(reserved(first_), 4 * granule);
  EXPECT_EQ(reserved(second_), 3 * granule);
}

TEST_F(DevicePressure, TakesExecutedMemoryOnlyIfItMay) {
  make_executed(first_, 8 * granule);
  EXPECT_EQ(reserve(granule, pressure::seen).value().bytes, 0U);
  EXPECT_EQ(reserve(granule, pressure::executed).value().bytes, granule);
}

TEST_F(DevicePressure, KeepsWhatWasGivenUpForARefusal) {
  make_idle(first_, 2 * granule);
  block(second_, 6 * granule);
  const auto refused = reserve(3 * granule, pressure::seen);
  EXPECT_EQ(refused.value().bytes, 0U);
  EXPECT_EQ(refused.value().left, 2 * granule);
  EXPECT_EQ(left(), 2 * granule);
}

TEST_F(DevicePressure, ServesRequestsInTheirOrder) {
  make_idle(first_, 8 * granule);
  wire_tap tap(all_but<messages::release_idle>);
  const auto large = reserve(8 * granule, pressure::seen);
  const auto small = reserve(granule, pressure::none);
  EXPECT_FALSE(large.arrived() || small.arrived());
  tap.deliver();
  run();
  EXPECT_EQ(large.value().bytes, 8 * granule);
  EXPECT_EQ(small.value().bytes, 0U);
}

TEST_F(DevicePressure, GoesOnWhenThePoolThatWasAskedIsLost) {
  make_idle(first_, 4 * granule);
  make_idle(second_, 4 * granule);
  int asked = 0;
  const wire_tap tap(
      [&asked](auto&, const auto& element) {
        return !carries<messages::release_idle>(element) || ++asked > 1;
      },
      wire_tap::fate::lose);
  EXPECT_EQ(reserve(granule, pressure::seen).value().bytes, granule);
  EXPECT_EQ(reserved(first_), 4 * granule);
  EXPECT_EQ(reserved(second_), 3 * granule);
}

TEST_F(DevicePressure, ServesAPoolFromAnother) {
  make_idle(first_, 8 * granule);
  EXPECT_TRUE(want_block(second_, 3 * granule).succeeded());
  EXPECT_EQ(reserved(first_), 5 * granule);
}

TEST_F(DevicePressure, LetsTwoPoolsThatBothWantNotWaitForEachOther) {
  make_idle(first_, 4 * granule);
  make_idle(second_, 4 * granule);
  const auto one = request(first_.pool, messages::grant_block{messages::stream_id{901}, {}, 6 * granule, {}});
  const auto other =
      request(second_.pool, messages::grant_block{messages::stream_id{902}, {}, 6 * granule, {}});
  run();
  EXPECT_TRUE(one.arrived());
  EXPECT_TRUE(other.arrived());
  EXPECT_EQ((one.succeeded() ? 1 : 0) + (other.succeeded() ? 1 : 0), 1);
}

TEST_F(DevicePressure, ServesPlainMemoryFromPools) {
  make_executed(first_, 8 * granule);
  EXPECT_TRUE(malloc(2 * granule).succeeded());
  EXPECT_EQ(reserved(first_), 6 * granule);
  EXPECT_EQ(left(), 0U);
}

// -- plain memory -------------------------------------------------------------------------------------------

TEST_F(DeviceMemory, HasPlainBlocksInTheirOwnRange) {
  const auto settings = addresses_.settings(device_memory);
  EXPECT_TRUE(settings.layout.plain.contains(malloc(granule).value()));
  EXPECT_TRUE(settings.layout.host.contains(malloc(granule, plain_kind::host).value()));
}

TEST_F(DeviceMemory, TakesNoHostMemoryFromTheBudget) {
  const auto host = malloc(20 * granule, plain_kind::host);
  EXPECT_TRUE(host.succeeded());
  EXPECT_EQ(left(), device_memory);
  EXPECT_TRUE(free(host.value(), plain_kind::host).succeeded());
  EXPECT_EQ(left(), device_memory);
}

TEST_F(DeviceMemory, KeepsAGranuleWhileAnyBlockIsInIt) {
  const auto first = malloc(1000).value();
  const auto second = malloc(1000).value();
  EXPECT_EQ(left(), 7 * granule);
  free(first);
  EXPECT_EQ(left(), 7 * granule);
  free(second);
  EXPECT_EQ(left(), 8 * granule);
}

TEST_F(DeviceMemory, RefusesMorePlainMemoryThanThereIs) {
  const auto refused = malloc(9 * granule);
  EXPECT_TRUE(refused.failed_with(fault_code::out_of_memory));
  EXPECT_THAT(refused.failure().text, testing::HasSubstr(memory::describe_bytes(9 * granule)));
  EXPECT_TRUE(malloc(8 * granule).succeeded());
  EXPECT_TRUE(malloc(1).failed_with(fault_code::out_of_memory));
}

TEST_F(DeviceMemory, RefusesABlockOfNothing) {
  EXPECT_TRUE(malloc(0).failed_with(fault_code::invalid_argument));
  EXPECT_TRUE(malloc(0, plain_kind::host).failed_with(fault_code::invalid_argument));
  EXPECT_TRUE(malloc(~std::uint64_t{0}).failed_with(fault_code::invalid_argument));
}

TEST_F(DeviceMemory, RefusesToFreeWhatItDidNotGiveOut) {
  const auto block = malloc(granule).value();
  EXPECT_TRUE(free(block + 512).failed_with(fault_code::unknown_address));
  EXPECT_TRUE(free(block, plain_kind::host).failed_with(fault_code::unknown_address));
  EXPECT_TRUE(free(block).succeeded());
  EXPECT_TRUE(free(block).failed_with(fault_code::unknown_address));
}

TEST_F(DeviceMemory, LetsNobodyElseFreeABlockThatAStreamIsAboutToFree) {
  const auto block = malloc(granule).value();
  EXPECT_TRUE(ask(device_, messages::begin_plain_free{block, {}}).succeeded());
  EXPECT_TRUE(ask(device_, messages::begin_plain_free{block, {}}).failed_with(fault_code::unknown_address));
  EXPECT_TRUE(free(block).failed_with(fault_code::unknown_address));
  EXPECT_EQ(left(), 7 * granule);
  tell(device_, messages::end_plain_free{block});
  EXPECT_EQ(left(), 8 * granule);
}

TEST_F(DeviceMemory, FreesPlainMemoryInTheOrderOfAStream) {
  const auto block_address = malloc(granule).value();
  const auto stream = make_stream();
  EXPECT_TRUE(ask(stream.stream, messages::free_plain_async{block_address, {}}).succeeded());
  EXPECT_EQ(left(), 8 * granule);
}

TEST_F(DeviceMemory, FreesWhatAStreamWasAboutToFreeWhenItEnds) {
  const auto block = malloc(granule).value();
  const auto other = malloc(granule).value();
  EXPECT_TRUE(ask(device_, messages::begin_plain_free{block, {}, memory::stream_id{77}}).succeeded());
  EXPECT_TRUE(ask(device_, messages::begin_plain_free{other, {}, memory::stream_id{78}}).succeeded());
  tell(device_, messages::stream_ended{memory::stream_id{77}, {}, {}});
  EXPECT_EQ(left(), 7 * granule);
  tell(device_, messages::end_plain_free{other});
  EXPECT_EQ(left(), 8 * granule);
}

}  // namespace
