// The device's engines, with real threads.

#include <algorithm>
#include <functional>
#include <vector>

#include "device_fixture.hpp"
#include "messages/task_feed.hpp"
#include "real_system.hpp"

namespace {

using namespace actor_tests;
using messages::tasks_run;
using support::gate;
using support::witness;

class DeviceEngines : public threaded_fixture {
protected:
  void TearDown() override {
    if (device_) {
      EXPECT_TRUE(shut_down().get());
    }
    device_ = nullptr;
  }

  void make_device(std::uint32_t engine_limit, std::uint32_t kept_engines) {
    auto settings = addresses_.settings(granule);
    settings.engine_limit = engine_limit;
    settings.kept_engines = kept_engines;
    device_ = actors::spawn<actors::device_state>(system(), settings, addresses_.backing(),
                                                  std::make_shared<actors::number_source>());
  }

  awaited_reply<tasks_run> start(std::function<void()> task) {
    awaited_reply<tasks_run> answered;
    messages::run_tasks run;
    run.tasks.emplace_back(messages::host_call{std::move(task)});
    run.reply = answered.token();
    messages::enqueue(device_, std::move(run), nullptr);
    return answered;
  }

  awaited_reply<messages::done> shut_down() {
    awaited_reply<messages::done> answered;
    messages::enqueue(device_, messages::shut_down{answered.token()}, nullptr);
    return answered;
  }

  device_addresses addresses_;
  messages::device_actor device_;
};

TEST_F(DeviceEngines, RunTasks) {
  make_device(0, 2);
  const witness seen;
  const auto how = start(seen.task()).get();
  ASSERT_TRUE(how);
  EXPECT_EQ(how->executed, 1U);
  EXPECT_TRUE(seen.ran());
}

TEST_F(DeviceEngines, AreMadeWhenAllAreBusy) {
  make_device(0, 2);
  const gate held;
  std::vector<awaited_reply<tasks_run>> runs;
  for (int n = 0; n < 5; ++n) {
    runs.push_back(start(held.task()));
  }
  EXPECT_TRUE(held.wait_until_started(5));  // at once, although none ends
  held.open();
  for (auto& run : runs) {
    EXPECT_TRUE(run.get());
  }
}

TEST_F(DeviceEngines, AreUsedAgainWhenTheyAreIdle) {
  make_device(0, 1);
  for (int n = 0; n < 100; ++n) {
    ASSERT_TRUE(start([] {}).get());
    ASSERT_LE(system().registry().running(), 2U);  // the device and one engine
  }
}

TEST_F(DeviceEngines, EndWhenMoreAreIdleThanAreKept) {
  for (const std::uint32_t kept : {0U, 1U, 3U}) {
    make_device(0, kept);
    std::vector<awaited_reply<tasks_run>> runs;
    {
      const gate held;
      for (int n = 0; n < 5; ++n) {
        runs.push_back(start(held.task()));
      }
      EXPECT_TRUE(held.wait_until_started(5));
    }
    for (auto& run : runs) {
      EXPECT_TRUE(run.get());
    }
    EXPECT_TRUE(eventually_running(1 + kept)) << kept;
    EXPECT_TRUE(start([] {}).get());
    EXPECT_TRUE(shut_down().get());
    device_ = nullptr;
  }
}

TEST_F(DeviceEngines, AreNoMoreThanTheLimit) {
  make_device(1, 1);
  const gate held;
  auto first = start(held.task());
  ASSERT_TRUE(held.wait_until_started());
  const witness second(held);
  const witness third(held);
  std::vector<int> order;
  auto second_run = start([&, task = second.task()] {
    task();
    order.push_back(2);
  });
  auto third_run = start([&, task = third.task()] {
    task();
    order.push_back(3);
  });
  EXPECT_FALSE(second_run.arrived());
  held.open();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second_run.get());
  EXPECT_TRUE(third_run.get());
  EXPECT_TRUE(second.ran_behind_the_gate());
  EXPECT_TRUE(third.ran_behind_the_gate());
  EXPECT_EQ(order, (std::vector<int>{2, 3}));
}

TEST_F(DeviceEngines, EndWithTheDevice) {
  make_device(0, 2);
  EXPECT_TRUE(start([] {}).get());
  EXPECT_TRUE(shut_down().get());
  EXPECT_TRUE(eventually_running(0));
  device_ = nullptr;
}

TEST_F(DeviceEngines, FinishTheirTasksBeforeTheDeviceEnds) {
  make_device(0, 2);
  const gate held;
  auto running = start(held.task());
  ASSERT_TRUE(held.wait_until_started());
  auto down = shut_down();
  EXPECT_FALSE(down.arrived());
  held.open();
  EXPECT_TRUE(running.get());
  EXPECT_TRUE(down.get());
  device_ = nullptr;
}

TEST_F(DeviceEngines, RunTheTasksOfStreams) {
  make_device(0, 2);
  awaited_reply<messages::created_stream> made;
  messages::enqueue(device_, messages::create_stream{messages::on_failure::proceed, 0, made.token()},
                    nullptr);
  const auto stream = made.get();
  ASSERT_TRUE(stream);
  std::vector<int> order;
  for (int n = 0; n < 100; ++n) {
    messages::enqueue(stream->stream,
                      messages::submit_work{messages::host_call{[&order, n] { order.push_back(n); }}, {}},
                      nullptr);
  }
  awaited_reply<messages::stream_seen> synchronized;
  messages::enqueue(stream->stream, messages::synchronize_stream{synchronized.token()}, nullptr);
  const auto seen = synchronized.get();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->seen, clock({{stream->id, messages::sequence_number{100}}}));
  ASSERT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  messages::enqueue(stream->stream, messages::retire_stream{}, nullptr);
}

// An engine that ends by a fault is counted out once, be it idle, or told to end already.
TEST_F(DeviceEngines, AreCountedOutWhenTheyEndByThemselves) {
  make_device(0, 1);
  ASSERT_TRUE(start([] {}).get());
  for (std::uint64_t number = 1; number < 4; ++number) {
    messages::enqueue(device_, messages::engine_ended{1}, nullptr);
  }
  ASSERT_TRUE(start([] {}).get());
  EXPECT_TRUE(shut_down().get());
  device_ = nullptr;
}

// A stream that always has more must not keep the only engine from the others.
TEST_F(DeviceEngines, TakeNothingFromTheFeedWhereTheyAreFew) {
  for (const std::uint32_t limit : {0U, 1U}) {
    make_device(limit, 1);
    messages::task_feed feed;
    messages::work fed = messages::host_call{[] {}};
    ASSERT_TRUE(feed.push(fed));
    awaited_reply<tasks_run> answered;
    messages::run_tasks run;
    run.tasks.emplace_back(messages::host_call{[] {}});
    run.feed = &feed;
    run.reply = answered.token();
    messages::enqueue(device_, std::move(run), nullptr);
    EXPECT_EQ(answered.get().value().executed, limit == 0 ? 2U : 1U);
    EXPECT_TRUE(shut_down().get());
    device_ = nullptr;
  }
}

}  // namespace
