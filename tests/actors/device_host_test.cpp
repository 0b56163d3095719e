// What the host waits for at the device, and what the device tells its pools.

#include "device_fixture.hpp"

namespace {

using namespace actor_tests;

class DeviceHost : public device_fixture {
protected:
  auto host_saw(messages::order_clock seen, bool release = false) {
    return ask(device_, messages::host_saw_tasks{std::move(seen), release, {}});
  }
  /// A block of the pool, freed by the next task of a stream.
  messages::address freed_by(const messages::created_stream& stream, const messages::created_pool& pool) {
    const auto block = ask(stream.stream, messages::malloc_async{pool.pool, granule, {}});
    ask(stream.stream, messages::free_async{pool.pool, block.value(), {}});
    return block.value();
  }
  /// Whether the pool knows that the host has seen its idle block freed: then another stream gets it.
  bool is_seen(const messages::created_pool& pool, messages::address block) {
    return want_block(pool, granule).value().block.begin == block;
  }

  /// What a host does after its synchronize: it tells what it has seen. Returns the failure, if any.
  std::optional<messages::fault> seen_by_host(const reply<messages::stream_seen>& synchronized) {
    EXPECT_TRUE(ask(device_, messages::host_saw_tasks{synchronized.value().seen, true, {}}).succeeded());
    return synchronized.value().failure;
  }
};

// -- synchronize --------------------------------------------------------------------------------------------

TEST_F(DeviceHost, SynchronizesAtOnceWithoutStreams) { EXPECT_TRUE(synchronize().succeeded()); }

TEST_F(DeviceHost, SynchronizesWithAllStreams) {
  make_stream();
  const auto second = make_stream();
  const auto third = make_stream();
  block(second);
  block(third);
  const auto synchronized = synchronize();
  EXPECT_FALSE(synchronized.arrived());
  unblock();
  EXPECT_FALSE(synchronized.arrived());
  unblock();
  EXPECT_TRUE(synchronized.succeeded());
}

TEST_F(DeviceHost, ReturnsTheFailureOfAStreamOnce) {
  make_stream();
  const auto failing = make_stream();
  const auto slow = make_stream();
  block(slow);
  fail(failing);
  const auto synchronized = synchronize();
  EXPECT_FALSE(synchronized.arrived());
  unblock();
  EXPECT_TRUE(seen_by_host(synchronized));
  EXPECT_FALSE(seen_by_host(synchronize()));
}

TEST_F(DeviceHost, ReturnsTheFailureOfAStreamThatHasEndedOnce) {
  const auto failing = make_stream();
  make_stream();
  fail(failing);
  tell(failing.stream, messages::retire_stream{});
  EXPECT_TRUE(seen_by_host(synchronize()));
  EXPECT_FALSE(seen_by_host(synchronize()));
}

// The host's time was over before the streams had run: what there was to tell is kept for the next one.
TEST_F(DeviceHost, KeepsWhatNobodyTookForTheNextSynchronize) {
  const auto pool = make_pool();
  const auto failing = make_stream();
  const auto block = freed_by(failing, pool);
  fail(failing);
  tell(device_, messages::synchronize_device{
                    messages::answer<messages::stream_seen>([](const auto& /*too late*/) { return false; })});
  EXPECT_FALSE(is_seen(pool, block));
  EXPECT_TRUE(seen_by_host(synchronize()));
}

TEST_F(DeviceHost, KeepsSynchronizesApart) {
  const auto slow = make_stream();
  block(slow);
  const auto first = synchronize();
  tell(slow.stream, messages::retire_stream{});
  const auto second = synchronize();
  EXPECT_FALSE(first.arrived() || second.arrived());
  unblock();
  EXPECT_TRUE(first.succeeded());
  EXPECT_TRUE(second.arrived());
}

// The stream has executed everything and ended well; that the device has not heard of it yet is no failure.
TEST_F(DeviceHost, SynchronizesWithAStreamThatEndsAtTheSameTime) {
  const auto pool = make_pool();
  const auto stream = make_stream();
  const auto block = freed_by(stream, pool);
  send(stream.stream, messages::retire_stream{});
  const auto synchronized = request(device_, messages::synchronize_device{});
  run();
  EXPECT_FALSE(seen_by_host(synchronized));
  EXPECT_TRUE(is_seen(pool, block));
}

TEST_F(DeviceHost, TellsItsPoolsWhatASynchronizeHasSeen) {
  const auto pool = make_pool();
  const auto block = freed_by(make_stream(), pool);
  EXPECT_FALSE(seen_by_host(synchronize()));
  EXPECT_TRUE(is_seen(pool, block));
}

TEST_F(DeviceHost, TellsItsPoolsNothingWithoutASynchronize) {
  const auto pool = make_pool();
  EXPECT_FALSE(is_seen(pool, freed_by(make_stream(), pool)));
}

TEST_F(DeviceHost, TellsItsPoolsOfStreamsThatHadEndedBeforeTheSynchronize) {
  const auto pool = make_pool();
  const auto stream = make_stream();
  const auto block = freed_by(stream, pool);
  tell(stream.stream, messages::retire_stream{});
  EXPECT_FALSE(seen_by_host(synchronize()));
  EXPECT_TRUE(is_seen(pool, block));
}

TEST_F(DeviceHost, ReleasesMemoryAtASynchronize) {
  const auto pool = want_pool(0, granule, 0).value();
  freed_by(make_stream(), pool);
  EXPECT_EQ(left(), 7 * granule);
  seen_by_host(synchronize());
  EXPECT_EQ(left(), 8 * granule);
}

// -- what the host has seen otherwise -----------------------------------------------------------------------

TEST_F(DeviceHost, TellsAllItsPoolsWhatTheHostHasSeen) {
  const auto stream = make_stream();
  const auto first = make_pool();
  const auto second = make_pool();
  const auto of_first = freed_by(stream, first);
  const auto of_second = freed_by(stream, second);
  EXPECT_TRUE(host_saw(clock({{stream.id, messages::sequence_number{4}}})).succeeded());
  EXPECT_TRUE(is_seen(first, of_first));
  EXPECT_TRUE(is_seen(second, of_second));
}

TEST_F(DeviceHost, AnswersWhenAllItsPoolsKnow) {
  make_pool();
  make_pool();
  int told = 0;
  wire_tap tap(
      [&told](auto&, const auto& element) { return !carries<messages::host_saw>(element) || ++told < 2; });
  const auto answered = host_saw({});
  EXPECT_EQ(tap.stopped(), 1);
  EXPECT_FALSE(answered.arrived());
  tap.deliver();
  run();
  EXPECT_TRUE(answered.succeeded());
}

TEST_F(DeviceHost, DoesNotWaitForAPoolThatIsLost) {
  make_pool();
  const wire_tap tap(all_but<messages::host_saw>, wire_tap::fate::lose);
  EXPECT_TRUE(host_saw({}).succeeded());
}

TEST_F(DeviceHost, ReleasesOnlyIfItIsToldTo) {
  const auto stream = make_stream();
  const auto pool = want_pool(0, granule, 0).value();
  freed_by(stream, pool);
  const auto seen = clock({{stream.id, messages::sequence_number{2}}});
  host_saw(seen, false);
  EXPECT_EQ(left(), 7 * granule);
  host_saw(seen, true);
  EXPECT_EQ(left(), 8 * granule);
}

}  // namespace
