// The caller's end, with real threads. The states here borrow the protocol of engines.

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "actors/caller.hpp"
#include "real_system.hpp"

namespace {

using namespace actor_tests;
using actors::ask;
using actors::tell;
using messages::engine_actor;
using messages::run_tasks;
using messages::stop_engine;
using messages::tasks_run;
using support::eventually;

constexpr int callers = 8;
constexpr int asks_of_each = 1000;

/// What the actors of a test write down.
struct notes {
  std::atomic<std::thread::id> thread;  // that handled the last request
  std::atomic<std::uint64_t> handled{0};
  std::atomic<int> inside{0};
  std::atomic<bool> overlapped{false};
  std::atomic<bool> stop{false};
};

/// Answers every request at once.
class answering_state {
public:
  using handle_type = engine_actor;
  static constexpr auto name = "answering";

  answering_state(actors::self<handle_type> own, std::shared_ptr<notes> seen)
      : own_(own), notes_(std::move(seen)) {}

  void handle(run_tasks& message) {
    if (notes_->inside.fetch_add(1) != 0) {
      notes_->overlapped = true;
    }
    notes_->thread = std::this_thread::get_id();
    notes_->handled.fetch_add(1);
    notes_->inside.fetch_sub(1);
    message.reply(tasks_run{});
  }
  void handle(stop_engine& /*message*/) { own_.quit(); }

private:
  actors::self<handle_type> own_;
  std::shared_ptr<notes> notes_;
};

/// Passes a request on to the one that answers it.
class relaying_state {
public:
  using handle_type = engine_actor;
  static constexpr auto name = "relaying";

  relaying_state(actors::self<handle_type> /*own*/, engine_actor next) : next_(std::move(next)) {}

  void handle(run_tasks& message) { actors::post(next_, std::move(message)); }
  void handle(stop_engine& message) { actors::post(next_, message); }

private:
  engine_actor next_;
};

/// Runs the functions that it is given, and then asks the next one: as an engine does, which wakes its
/// stream.
class working_state {
public:
  using handle_type = engine_actor;
  static constexpr auto name = "working";

  working_state(actors::self<handle_type> own, engine_actor next) : own_(own), next_(std::move(next)) {}

  void handle(run_tasks& message) {
    for (const auto& task : message.tasks) {
      std::get<messages::host_call>(task).function();
    }
    message.tasks.clear();
    actors::post(next_, std::move(message));
  }
  void handle(stop_engine& /*message*/) { own_.quit(); }

private:
  actors::self<handle_type> own_;
  engine_actor next_;
};

/// Sends itself messages, a number of them or until told to stop.
class restless_state {
public:
  using handle_type = engine_actor;
  static constexpr auto name = "restless";

  restless_state(actors::self<handle_type> own, std::shared_ptr<notes> seen, std::uint64_t rounds,
                 bool answers)
      : own_(own), notes_(std::move(seen)), rounds_(rounds), answers_(answers) {}

  void handle(run_tasks& message) {
    if (answers_) {
      message.reply(tasks_run{});
    } else {
      kept_.push_back(std::move(message));
    }
    actors::post(own_.handle(), stop_engine{});
  }
  void handle(stop_engine& /*message*/) {
    if (notes_->handled.fetch_add(1) + 1 < rounds_ && !notes_->stop) {
      actors::post(own_.handle(), stop_engine{});
    }
  }

private:
  actors::self<handle_type> own_;
  std::shared_ptr<notes> notes_;
  std::uint64_t rounds_;
  bool answers_;
  std::vector<run_tasks> kept_;
};

class Caller : public threaded_fixture {
protected:
  void ask_from_many_threads(actors::caller& by, const engine_actor& whom) {
    std::atomic<int> answered{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < callers; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < asks_of_each; ++n) {
          const auto limit = std::chrono::steady_clock::now() + support::patience;
          answered += ask<tasks_run>(by, whom, run_tasks{}, limit).has_value() ? 1 : 0;
        }
      });
    }
    for (auto& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(answered, callers * asks_of_each);
    EXPECT_EQ(notes_->handled, static_cast<std::uint64_t>(callers * asks_of_each));
    EXPECT_FALSE(notes_->overlapped);
  }

  [[nodiscard]] actors::deadline soon() const {
    return std::chrono::steady_clock::now() + support::short_wait;
  }

  std::shared_ptr<notes> notes_ = std::make_shared<notes>();
  engine_actor answering_ = actors::spawn<answering_state>(system(), notes_);
  actors::inline_caller by_itself_{system()};
  actors::worker_caller by_workers_;
};

TEST_F(Caller, RunsAnIdleActorOnItsOwnThread) {
  for (int n = 0; n < 100; ++n) {
    ASSERT_TRUE(ask<tasks_run>(by_itself_, answering_, run_tasks{}));
    ASSERT_EQ(notes_->thread.load(), std::this_thread::get_id());
    notes_->thread = std::thread::id{};
  }
}

TEST_F(Caller, RunsWhatTheActorWakesOnItsOwnThread) {
  const auto relaying = actors::spawn<relaying_state>(system(), answering_);
  ASSERT_TRUE(ask<tasks_run>(by_itself_, relaying, run_tasks{}));
  EXPECT_EQ(notes_->thread.load(), std::this_thread::get_id());
}

TEST_F(Caller, HasANotificationHandledWhenItReturns) {
  tell(by_itself_, answering_, run_tasks{});
  EXPECT_EQ(notes_->handled, 1U);
  EXPECT_EQ(notes_->thread.load(), std::this_thread::get_id());
}

TEST_F(Caller, LetsAWorkerRunTheActorIfItIsToldTo) {
  ASSERT_TRUE(ask<tasks_run>(by_workers_, answering_, run_tasks{}));
  EXPECT_NE(notes_->thread.load(), std::this_thread::get_id());
  tell(by_workers_, answering_, run_tasks{});
  EXPECT_TRUE(eventually([&] { return notes_->handled == 2; }));
  EXPECT_NE(notes_->thread.load(), std::this_thread::get_id());
}

TEST_F(Caller, AnswersManyThreadsThatRunTheActorThemselves) { ask_from_many_threads(by_itself_, answering_); }

TEST_F(Caller, AnswersManyThreadsThatLetWorkersRunTheActor) {
  ask_from_many_threads(by_workers_, answering_);
}

TEST_F(Caller, AnswersManyThreadsThroughASecondActor) {
  ask_from_many_threads(by_itself_, actors::spawn<relaying_state>(system(), answering_));
}

TEST_F(Caller, LeavesNothingBehindWhenItGoes) {
  constexpr std::uint64_t rounds = 10'000;
  const auto restless = actors::spawn<restless_state>(system(), notes_, rounds, true);
  ASSERT_TRUE(ask<tasks_run>(by_itself_, restless, run_tasks{}));
  EXPECT_TRUE(eventually([&] { return notes_->handled == rounds; }));
}

TEST_F(Caller, LeavesNothingOfANotificationBehindWhenItGoes) {
  constexpr std::uint64_t rounds = 100'000;
  const auto restless = actors::spawn<restless_state>(system(), notes_, rounds, true);
  tell(by_itself_, restless, run_tasks{});
  EXPECT_TRUE(eventually([&] { return notes_->handled == rounds; }));
}

TEST_F(Caller, StopsWaitingAtTheDeadline) {
  const auto silent = actors::spawn<restless_state>(system(), notes_, std::uint64_t{1}, false);
  for (actors::caller* by :
       {static_cast<actors::caller*>(&by_itself_), static_cast<actors::caller*>(&by_workers_)}) {
    const auto limit = soon();
    const auto answer = ask<tasks_run>(*by, silent, run_tasks{}, limit);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, fault_code::timed_out);
    EXPECT_GE(std::chrono::steady_clock::now(), *limit);
  }
}

// An actor that always has something to do must not keep its caller for ever. It stops by itself after a
// while, so that the test ends.
TEST_F(Caller, StopsWaitingAtTheDeadlineForAnActorThatIsNeverIdle) {
  const auto restless = actors::spawn<restless_state>(system(), notes_, ~std::uint64_t{0}, false);
  std::atomic<bool> returned{false};
  std::thread watch([&] {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (!returned && std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
    }
    notes_->stop = true;
  });
  const auto answer = ask<tasks_run>(by_itself_, restless, run_tasks{}, soon());
  const bool in_time = !notes_->stop;
  returned = true;
  watch.join();
  EXPECT_TRUE(in_time);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, fault_code::timed_out);
}

TEST_F(Caller, ForgetsAnAnswerThatComesTooLate) {
  const auto silent = actors::spawn<restless_state>(system(), notes_, std::uint64_t{1}, false);
  ASSERT_FALSE(ask<tasks_run>(by_itself_, silent, run_tasks{}, soon()));
  // The silent actor still has the token, and answers it when it goes, at the end of the test.
}

TEST_F(Caller, GetsActorGoneFromAnActorThatHasEnded) {
  tell(by_itself_, answering_, stop_engine{});
  for (actors::caller* by :
       {static_cast<actors::caller*>(&by_itself_), static_cast<actors::caller*>(&by_workers_)}) {
    const auto answer = ask<tasks_run>(*by, answering_, run_tasks{});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, fault_code::actor_gone);
  }
}

TEST_F(Caller, RunsTheActorOnceMoreForWhatCameMeanwhile) {
  // Two threads ask in turns: whoever finds the actor busy has its message taken along by the other.
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  std::atomic<int> answered{0};
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      go.wait(false);
      for (int n = 0; n < asks_of_each; ++n) {
        tell(by_itself_, answering_, run_tasks{});
        answered += ask<tasks_run>(by_itself_, answering_, run_tasks{}).has_value() ? 1 : 0;
      }
    });
  }
  go = true;
  go.notify_all();
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(answered, 2 * asks_of_each);
  EXPECT_TRUE(eventually([&] { return notes_->handled == 4U * asks_of_each; }));
}

// Both are in the mailbox before the first begins. What the first wakes must run before the second, which
// blocks.
TEST_F(Caller, AThreadOfItsOwnRunsWhatAMessageWokeBeforeTheNextMessage) {
  const auto working = actors::spawn_detached<working_state>(system(), answering_);
  const support::gate both_are_there;
  const support::gate blocked;
  awaited_reply<tasks_run> of_first;
  tell(by_itself_, working, run_tasks{{messages::host_call{both_are_there.task()}}, false, of_first.token()});
  ASSERT_TRUE(both_are_there.wait_until_started());
  tell(by_itself_, working, run_tasks{{messages::host_call{blocked.task()}}, false, {}});
  both_are_there.open();
  ASSERT_TRUE(blocked.wait_until_started());
  EXPECT_TRUE(of_first.get().has_value()) << "it was woken before the one that blocks began";
  blocked.open();
  tell(by_itself_, working, stop_engine{});
}

}  // namespace
