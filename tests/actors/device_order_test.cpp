// What the device remembers of what the host has seen, so that clocks can forget it.

#include "device_fixture.hpp"

namespace {

using namespace actor_tests;

class DeviceOrder : public device_fixture {
protected:
  static messages::order_clock tasks(const messages::created_stream& of, std::uint64_t sequence) {
    messages::order_clock made;
    made.add({of.id, messages::sequence_number{sequence}});
    return made;
  }
  messages::order_clock seen_among(const messages::order_clock& asked) {
    return ask(device_, messages::find_seen{asked, {}}).value().seen;
  }
  void host_saw(const messages::order_clock& seen) {
    EXPECT_TRUE(ask(device_, messages::host_saw_tasks{seen, false, {}}).succeeded());
  }
  /// A stream that has executed one task.
  messages::created_stream make_used_stream() {
    auto made = make_stream();
    ask(made.stream, messages::record_event{event_.handle(), messages::record_number{1}, {}});
    return made;
  }
  void retire(const messages::created_stream& stream) { tell(stream.stream, messages::retire_stream{}); }
};

TEST_F(DeviceOrder, KnowsHowFarAStreamWasSeen) {
  const auto stream = make_stream();
  const auto other = make_stream();
  EXPECT_TRUE(seen_among(tasks(stream, 1)).empty());
  host_saw(tasks(stream, 3));
  EXPECT_EQ(seen_among(tasks(stream, 3)), tasks(stream, 3));
  EXPECT_TRUE(seen_among(tasks(stream, 4)).empty());
  EXPECT_TRUE(seen_among(tasks(other, 1)).empty());
  auto both = tasks(stream, 2);
  both.add(tasks(other, 1));
  EXPECT_EQ(seen_among(both), tasks(stream, 2));
}

TEST_F(DeviceOrder, KnowsThatAStreamWasSeenToItsEnd) {
  const auto stream = make_used_stream();
  host_saw(tasks(stream, 1));
  retire(stream);
  EXPECT_EQ(seen_among(tasks(stream, 1)), tasks(stream, 1));
}

TEST_F(DeviceOrder, KnowsThatAStreamHasEndedUnseen) {
  const auto stream = make_used_stream();
  retire(stream);
  EXPECT_TRUE(seen_among(tasks(stream, 1)).empty());
  host_saw(tasks(stream, 1));
  EXPECT_EQ(seen_among(tasks(stream, 1)), tasks(stream, 1));
}

TEST_F(DeviceOrder, KnowsThatAStreamHasEndedWithoutATask) {
  const auto stream = make_stream();
  retire(stream);
  EXPECT_EQ(seen_among(tasks(stream, 1)), tasks(stream, 1));
}

TEST_F(DeviceOrder, TellsOfAnEndedStreamUntilItIsSeen) {
  const auto stream = make_used_stream();
  retire(stream);
  EXPECT_EQ(synchronize().value().seen, tasks(stream, 1));
  EXPECT_TRUE(seen_among(tasks(stream, 1)).empty()) << "the pools do not know it yet";
  host_saw(tasks(stream, 1));
  EXPECT_EQ(seen_among(tasks(stream, 1)), tasks(stream, 1));
  EXPECT_TRUE(synchronize().value().seen.empty());
}

TEST_F(DeviceOrder, TellsNothingOfAnEndedStreamThatWasSeen) {
  const auto stream = make_used_stream();
  host_saw(tasks(stream, 1));
  retire(stream);
  EXPECT_TRUE(synchronize().value().seen.empty());
}

// Another device may have it, and its tasks may not be executed.
TEST_F(DeviceOrder, KnowsNothingOfStreamsOfOtherDevices) {
  auto settings = addresses_.settings(device_memory);
  settings.only_one = false;
  const auto numbers = std::make_shared<actors::number_source>();
  const auto second = actors::spawn<actors::device_state>(system(), settings, addresses_.backing(), numbers);
  const auto unknown = clock({at(77, 1)});
  EXPECT_TRUE(ask(second, messages::find_seen{unknown, {}}).value().seen.empty());
  ask(second, messages::host_saw_tasks{unknown, false, {}});
  EXPECT_EQ(ask(second, messages::find_seen{unknown, {}}).value().seen, unknown);
  EXPECT_TRUE(ask(second, messages::shut_down{}).arrived());
}

}  // namespace
