// The engine runs runs of tasks, and tells the device that it is idle.

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

#include "actors/engine.hpp"
#include "fixture.hpp"
#include "messages/task_feed.hpp"

namespace {

using namespace actor_tests;
using messages::host_call;

class Engine : public actor_fixture {
protected:
  auto run_all(std::vector<messages::work> tasks, bool stop_on_failure = false) {
    return ask(engine_, messages::run_tasks{std::move(tasks), stop_on_failure, {}});
  }
  messages::work note(int number) {
    return host_call{[this, number] { noted_.push_back(number); }};
  }
  static messages::work failing(const char* text) {
    return host_call{[text] { throw std::runtime_error(text); }};
  }

  static constexpr std::uint64_t own = 4;

  std::vector<int> noted_;
  probe<messages::device_actor> device_ = make_probe<messages::device_actor>();
  messages::engine_actor engine_ = actors::spawn<actors::engine_state>(system(), device_.handle(), own);
};

TEST_F(Engine, RunsTasksInOrder) {
  const auto how = run_all({note(1), note(2), note(3)});
  EXPECT_EQ(how.value().executed, 3U);
  EXPECT_FALSE(how.value().failure);
  EXPECT_EQ(noted_, (std::vector<int>{1, 2, 3}));
}

TEST_F(Engine, CopiesAndFills) {
  std::array<std::uint8_t, 4> from{1, 2, 3, 4};
  std::array<std::uint8_t, 4> to{9, 9, 9, 9};
  run_all({messages::copy_bytes{to.data(), from.data(), 2}, messages::fill_bytes{from.data(), 7, 3}});
  EXPECT_EQ(to, (std::array<std::uint8_t, 4>{1, 2, 9, 9}));
  EXPECT_EQ(from, (std::array<std::uint8_t, 4>{7, 7, 7, 4}));
}

TEST_F(Engine, TellsTheDeviceThatItIsIdleBeforeItAnswers) {
  messages::run_tasks run_of_one;
  bool told = false;
  run_of_one.reply = messages::answer<messages::tasks_run>([&](const auto& /*how*/) {
    actors::post(device_.handle(), messages::shut_down{});
    told = true;
  });
  tell(engine_, std::move(run_of_one));
  EXPECT_TRUE(told);
  const auto idle = device_.take<messages::engine_idle>();
  EXPECT_EQ(idle.engine, engine_);
  EXPECT_EQ(idle.number, own);
  device_.take<messages::shut_down>();
}

TEST_F(Engine, GoesOnAfterAFailedTask) {
  const auto how = run_all({note(1), failing("first"), failing("second"), note(4)});
  EXPECT_EQ(how.value().executed, 4U);
  ASSERT_TRUE(how.value().failure);
  EXPECT_THAT(how.value().failure->text, testing::HasSubstr("first"));
  EXPECT_EQ(noted_, (std::vector<int>{1, 4}));
}

TEST_F(Engine, StopsAfterAFailedTaskIfItIsToldTo) {
  const auto how = run_all({note(1), failing("first"), note(3)}, true);
  EXPECT_EQ(how.value().executed, 2U);
  EXPECT_TRUE(how.value().failure);
  EXPECT_EQ(noted_, std::vector<int>{1});
}

TEST_F(Engine, TakesTheNextRunAfterAFailure) {
  run_all({failing("first")}, true);
  EXPECT_FALSE(run_all({note(1)}).value().failure);
  EXPECT_EQ(noted_, std::vector<int>{1});
}

TEST_F(Engine, DropsATaskBeforeItRunsTheNext) {
  const auto kept = std::make_shared<int>(0);
  long uses_in_first = 0;
  long uses_in_second = 0;
  std::vector<messages::work> tasks;
  tasks.emplace_back(host_call{[&uses_in_first, kept] { uses_in_first = kept.use_count(); }});
  tasks.emplace_back(host_call{[&uses_in_second, &kept] { uses_in_second = kept.use_count(); }});
  run_all(std::move(tasks));
  EXPECT_EQ(uses_in_first, 2);
  EXPECT_EQ(uses_in_second, 1);
}

// -- the feed -----------------------------------------------------------------------------------------------

class FedEngine : public Engine {
protected:
  void push(messages::work task) { ASSERT_TRUE(feed_.push(task)); }
  /// A task behind which another one comes.
  messages::work note_and_push(int number, int next) {
    return host_call{[this, number, next] {
      noted_.push_back(number);
      push(note(next));
    }};
  }
  auto run_fed(std::vector<messages::work> tasks, messages::position first = at(1, 1),
               bool stop_on_failure = false) {
    messages::run_tasks run{std::move(tasks), stop_on_failure, {}};
    run.first = first;
    run.feed = &feed_;
    run.in_burst = true;
    return ask(engine_, std::move(run));
  }

  messages::task_feed feed_;
};

TEST_F(FedEngine, RunsWhatIsInTheFeedBehindTheRun) {
  push(note(2));
  push(note(3));
  EXPECT_EQ(run_fed({note(1)}).value().executed, 3U);
  EXPECT_EQ(noted_, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(feed_.taken(), 2U);
}

TEST_F(FedEngine, TakesWhatComesWhileItRuns) {
  EXPECT_EQ(run_fed({note_and_push(1, 2)}).value().executed, 2U);
  push(note_and_push(4, 5));
  EXPECT_EQ(run_fed({note(3)}, at(1, 3)).value().executed, 3U);
  EXPECT_EQ(noted_, (std::vector<int>{1, 2, 3, 4, 5}));
}

// Behind a run of the same stream it waits a little, which must come to an end by itself, and at once if
// nothing comes any more.
TEST_F(FedEngine, DoesNotWaitForEver) {
  run_fed({note(1)});
  EXPECT_EQ(run_fed({note(2)}, at(1, 2)).value().executed, 1U);
  feed_.end();
  EXPECT_EQ(run_fed({note(3)}, at(1, 3)).value().executed, 1U);
}

TEST_F(FedEngine, CountsAFailureInTheFeed) {
  push(note(2));
  push(failing("third"));
  push(note(4));
  const auto how = run_fed({note(1)});
  EXPECT_EQ(how.value().executed, 4U);
  EXPECT_EQ(text_of(how.value().failure), text_of(run_all({failing("third")}).value().failure));
  EXPECT_EQ(how.value().failed, 2U);
}

TEST_F(FedEngine, LeavesTheRestOfTheFeedAfterAFailureIfItIsToldTo) {
  push(failing("second"));
  push(note(3));
  EXPECT_EQ(run_fed({note(1)}, at(1, 1), true).value().executed, 2U);
  EXPECT_FALSE(feed_.empty());
  EXPECT_EQ(noted_, std::vector<int>{1});
}

TEST_F(FedEngine, LeavesTheFeedAfterAFailureInTheRunIfItIsToldTo) {
  push(note(2));
  EXPECT_EQ(run_fed({failing("first")}, at(1, 1), true).value().executed, 1U);
  EXPECT_FALSE(feed_.empty());
}

// What comes behind an abort is in no feed; what the engine does not run the stream drops or keeps.
TEST_F(FedEngine, LeavesTheFeedAloneIfTheRunIsToEnd) {
  std::atomic<messages::stop_wish> wish{messages::stop_wish::none};
  push(note(2));
  messages::run_tasks run{{host_call{[&] { wish = messages::stop_wish::run; }}}, false, {}};
  run.feed = &feed_;
  run.wish = &wish;
  EXPECT_EQ(ask(engine_, std::move(run)).value().executed, 1U);
  EXPECT_FALSE(feed_.empty());
  EXPECT_EQ(feed_.taken(), 0U);
}

TEST_F(FedEngine, DropsATaskOfTheFeedBeforeItRunsTheNext) {
  auto kept = std::make_shared<int>(0);
  const std::weak_ptr<int> seen = kept;
  bool gone = false;
  push(host_call{[kept] {}});
  push(host_call{[&] { gone = seen.expired(); }});
  kept.reset();
  run_fed({note(1)});
  EXPECT_TRUE(gone);
}

TEST_F(FedEngine, WhatIsNotTakenGoesWithTheFeed) {
  auto kept = std::make_shared<int>(0);
  {
    messages::task_feed lost;
    messages::work task = host_call{[kept] {}};
    ASSERT_TRUE(lost.push(task));
    task = host_call{};
    EXPECT_EQ(kept.use_count(), 2);
  }
  EXPECT_EQ(kept.use_count(), 1);
}

// -- the end ------------------------------------------------------------------------------------------------

TEST_F(Engine, EndsWhenItIsToldTo) {
  tell(engine_, messages::stop_engine{});
  EXPECT_TRUE(run_all({note(1)}).failed_with(fault_code::actor_gone));
  EXPECT_TRUE(noted_.empty());
}

}  // namespace
