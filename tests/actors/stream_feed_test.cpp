// Launches in place behind a run that an engine has: they come into its feed, without a message.

#include <optional>
#include <utility>
#include <vector>

#include "actors/in_place.hpp"
#include "messages/task_feed.hpp"
#include "stream_fixture.hpp"

namespace {

using namespace actor_tests;
using messages::task_feed;

class StreamFeed : public stream_fixture {
protected:
  explicit StreamFeed(messages::on_failure mode = messages::on_failure::proceed) : stream_fixture(mode) {}

  /// As a caller's thread does it. The numbers say later which task it is.
  bool launch(std::uint64_t number) {
    const actors::unit_scope outside_of_actors(nullptr);
    return actors::call_in_place<actors::stream_state>(stream_, [number](auto& stream) {
      messages::submit_work message{numbered(number), {}};
      return stream.submit_here(message);
    });
  }
  void launch_all(std::uint64_t first, std::uint64_t last) {
    for (auto number = first; number <= last; ++number) {
      EXPECT_TRUE(launch(number));
    }
  }
  bool query_here() {
    const actors::unit_scope outside_of_actors(nullptr);
    messages::stream_status status;
    EXPECT_TRUE(actors::call_in_place<actors::stream_state>(
        stream_, [&](auto& stream) { return stream.query_here(status); }));
    return status.complete;
  }

  /// The first task of a run, and what an engine has of it then.
  messages::run_tasks begin_run() {
    submit();
    return device_.take<messages::run_tasks>();
  }

  /// What an engine does with the feed: takes up to so many, and says which.
  static std::vector<std::uint64_t> take(task_feed& feed, std::size_t most) {
    std::vector<std::uint64_t> taken;
    while (taken.size() < most && !feed.empty()) {
      taken.push_back(number_of(feed.take()));
    }
    return taken;
  }
  static std::vector<std::uint64_t> take_all(task_feed& feed) { return take(feed, ~std::size_t{0}); }

  static std::vector<std::uint64_t> numbers_in(const messages::run_tasks& run) {
    std::vector<std::uint64_t> numbers;
    for (const auto& task : run.tasks) {
      numbers.push_back(number_of(task));
    }
    return numbers;
  }
  static std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> numbers;
    for (auto number = first; number <= last; ++number) {
      numbers.push_back(number);
    }
    return numbers;
  }

  void end(const messages::run_tasks& run, std::size_t executed,
           std::optional<messages::fault> failure = {}) {
    answer(run.reply, messages::tasks_run{executed, std::move(failure)});
  }

private:
  static messages::work numbered(std::uint64_t number) { return messages::write_value{nullptr, number}; }
  static std::uint64_t number_of(const messages::work& task) {
    const auto* value = std::get_if<messages::write_value>(&task);
    return value == nullptr ? 0 : value->value;
  }
};

TEST_F(StreamFeed, HasWhatIsLaunchedBehindARun) {
  const auto run = begin_run();
  launch_all(1, 3);
  EXPECT_EQ(take_all(*run.feed), from_to(1, 3));
  EXPECT_FALSE(run.feed->ended());
  const auto behind = synchronize();
  end(run, 4);
  EXPECT_TRUE(behind.succeeded());
  EXPECT_TRUE(query().value().complete);
  EXPECT_FALSE(is_running());
}

TEST_F(StreamFeed, GivesBackWhatTheEngineHasNotTaken) {
  const auto run = begin_run();
  launch_all(1, 3);
  EXPECT_EQ(take(*run.feed, 1), from_to(1, 1));
  record();  // behind them
  end(run, 2);
  const auto rest = device_.take<messages::run_tasks>();
  EXPECT_EQ(numbers_in(rest), from_to(2, 3));
  EXPECT_EQ(rest.first, at(own, 3));
  EXPECT_FALSE(query().value().complete);
  end(rest, 2);
  EXPECT_TRUE(query().value().complete);
  event_.take<messages::event_recorded>();
  event_.take<messages::event_reached>();
}

// An engine that gives up before the stream knows takes nothing any more; nothing is lost.
TEST_F(StreamFeed, TakesWhatComesWhenTheEngineHasLeft) {
  const auto run = begin_run();
  launch_all(1, 2);
  EXPECT_EQ(take_all(*run.feed), from_to(1, 2));
  launch_all(3, 3);
  end(run, 3);
  const auto next = device_.take<messages::run_tasks>();
  EXPECT_EQ(numbers_in(next), from_to(3, 3));
  launch_all(4, 4);
  EXPECT_EQ(take_all(*next.feed), from_to(4, 4));
  end(next, 2);
  EXPECT_TRUE(query().value().complete);
}

TEST_F(StreamFeed, LeavesTheRestToTheNextRunWhenItIsFull) {
  const auto run = begin_run();
  launch_all(1, task_feed::capacity + 2);
  EXPECT_TRUE(run.feed->ended());
  EXPECT_EQ(take_all(*run.feed), from_to(1, task_feed::capacity));
  launch_all(task_feed::capacity + 3, task_feed::capacity + 3);  // behind those that found it full
  EXPECT_TRUE(run.feed->empty());
  end(run, 1 + task_feed::capacity);
  const auto next = device_.take<messages::run_tasks>();
  EXPECT_EQ(numbers_in(next), from_to(task_feed::capacity + 1, task_feed::capacity + 3));
  end(next, 3);
  EXPECT_TRUE(query().value().complete);
}

TEST_F(StreamFeed, GoesRoundItsRing) {
  const auto run = begin_run();
  for (std::uint64_t number = 1; number <= 5 * task_feed::capacity; ++number) {
    ASSERT_TRUE(launch(number));
    ASSERT_EQ(take_all(*run.feed), from_to(number, number));
  }
  EXPECT_FALSE(run.feed->ended());
  end(run, 1 + 5 * task_feed::capacity);
  EXPECT_TRUE(query().value().complete);
}

// An engine that looks around for more would keep who waits for each task.
TEST_F(StreamFeed, IsNotWaitedForWhereEachTaskIs) {
  auto run = begin_run();
  EXPECT_FALSE(run.in_burst);
  end(run, 1);
  run = begin_run();
  EXPECT_TRUE(run.in_burst);
  const auto waiting = synchronize();
  end(run, 1);
  EXPECT_TRUE(waiting.succeeded());
  run = begin_run();
  EXPECT_FALSE(run.in_burst);
  end(run, 1);
  EXPECT_TRUE(query_here());
  run = begin_run();
  EXPECT_FALSE(run.in_burst);
  end(run, 1);
  EXPECT_TRUE(begin_run().in_burst);
}

// Whoever waits must not be held up by what is submitted behind.
TEST_F(StreamFeed, EndsWhereSomebodyWaits) {
  const auto run = begin_run();
  launch_all(1, 1);
  const auto waiting = synchronize();
  EXPECT_TRUE(run.feed->ended());
  launch_all(2, 2);
  EXPECT_EQ(take_all(*run.feed), from_to(1, 1));
  end(run, 2);
  EXPECT_TRUE(waiting.succeeded());
  EXPECT_EQ(numbers_in(device_.take<messages::run_tasks>()), from_to(2, 2));
}

TEST_F(StreamFeed, EndsWhereSomebodyAsks) {
  const auto run = begin_run();
  EXPECT_FALSE(query_here());
  EXPECT_TRUE(run.feed->ended());
}

TEST_F(StreamFeed, EndsWhereAnotherStreamWaits) {
  const auto run = begin_run();
  const auto waiting = await_task(1);
  EXPECT_TRUE(run.feed->ended());
  end(run, 1);
  EXPECT_TRUE(waiting.succeeded());
}

TEST_F(StreamFeed, EndsWhereSomethingElseComes) {
  const auto run = begin_run();
  record();
  EXPECT_TRUE(run.feed->ended());
  launch_all(1, 1);  // behind the record
  EXPECT_TRUE(run.feed->empty());
}

// A run is started while somebody waits for what is behind it: nothing is fed into that either.
TEST_F(StreamFeed, HasNothingWhileSomebodyWaits) {
  submit();
  submit();
  const auto waiting = synchronize();
  end(device_.take<messages::run_tasks>(), 1);
  const auto run = device_.take<messages::run_tasks>();
  EXPECT_TRUE(run.feed->ended());
  launch_all(1, 1);
  EXPECT_TRUE(run.feed->empty());
  end(run, 1);
  EXPECT_TRUE(waiting.succeeded());
}

TEST_F(StreamFeed, IsDroppedByAnAbort) {
  const auto run = begin_run();
  launch_all(1, 2);
  EXPECT_EQ(take(*run.feed, 1), from_to(1, 1));
  const auto aborted = ask(stream_, messages::abort_stream{{fault_code::stream_aborted, "on purpose"}, {}});
  EXPECT_TRUE(run.feed->ended());
  end(run, 2);
  EXPECT_TRUE(aborted.succeeded());
  EXPECT_FALSE(is_running());
  EXPECT_TRUE(query().value().complete);
}

// What the engine was told of a task that is to be stopped must not reach one that is launched behind.
TEST_F(StreamFeed, EndsWhereATaskIsStopped) {
  const auto run = begin_run();
  ask(stream_, messages::stop_task{});
  launch_all(1, 1);
  EXPECT_TRUE(run.feed->empty());
  end(run, 1, messages::fault{fault_code::task_stopped, "stopped"});
  EXPECT_EQ(numbers_in(device_.take<messages::run_tasks>()), from_to(1, 1));
}

// What waits in the backlog is to be accepted behind the run: nothing else may come in between.
TEST_F(StreamFeed, HasNothingInFrontOfWhatIsAcceptedLate) {
  for (const bool aborts : {false, true}) {
    const auto undecided = ask(stream_, messages::malloc_async{pool_.handle(), granule, {}});
    tell(stream_, messages::submit_work{messages::host_call{[] {}}, {}});
    const auto waiting = synchronize();
    const auto aborted =
        aborts ? request(stream_, messages::abort_stream{{fault_code::stream_aborted, "on purpose"}, {}})
               : reply<messages::done>{};
    run();
    grant();
    ASSERT_TRUE(undecided.succeeded());
    const auto running = device_.take<messages::run_tasks>();
    EXPECT_TRUE(running.feed->ended());
    launch_all(1, 1);
    EXPECT_TRUE(running.feed->empty());
    end(running, 1);
    EXPECT_EQ(waiting.succeeded(), !aborts);
    EXPECT_EQ(aborted.succeeded(), aborts);
    const auto behind = device_.take<messages::run_tasks>();
    EXPECT_EQ(numbers_in(behind), from_to(1, 1));
    end(behind, 1);
  }
}

TEST_F(StreamFeed, TellsOfAFailure) {
  const auto run = begin_run();
  launch_all(1, 2);
  EXPECT_EQ(take_all(*run.feed), from_to(1, 2));
  end(run, 3, broken("of the second"));
  EXPECT_EQ(text_of(synchronize().value().failure), "of the second");
}

// The next launch finds room that a former run has used.
TEST_F(StreamFeed, BeginsAnewWithEachRun) {
  for (int turn = 0; turn < 3; ++turn) {
    const auto run = begin_run();
    launch_all(1, task_feed::capacity);
    EXPECT_EQ(take_all(*run.feed), from_to(1, task_feed::capacity));
    end(run, 1 + task_feed::capacity);
    ASSERT_TRUE(query().value().complete);
  }
}

class StoppingStreamFeed : public StreamFeed {
protected:
  StoppingStreamFeed() : StreamFeed(messages::on_failure::stop) {}
};

TEST_F(StoppingStreamFeed, IsDroppedByAFailure) {
  const auto run = begin_run();
  launch_all(1, 2);
  EXPECT_EQ(take(*run.feed, 1), from_to(1, 1));
  end(run, 2, broken());
  device_.take<messages::group_failed>();
  EXPECT_FALSE(is_running());
  EXPECT_TRUE(query().value().complete);
  EXPECT_FALSE(launch(3));  // refused by a message
}

}  // namespace
