// Turns: messages that a thread hands out without mailboxes, in the order that mailboxes would give them. The
// actors here do what the test says, inside their handlers; they borrow the protocol of engines.

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "actors/caller.hpp"
#include "real_system.hpp"
#include "wire_tap.hpp"

namespace {

using namespace actor_tests;
using messages::engine_actor;
using messages::run_tasks;
using messages::stop_engine;
using messages::tasks_run;

/// Calls the functions of a run, and answers it. Ends when it is told to.
class obedient_state {
public:
  using handle_type = engine_actor;
  static constexpr auto name = "obedient";

  explicit obedient_state(actors::self<handle_type> own, std::shared_ptr<void> kept = {})
      : own_(own), kept_(std::move(kept)) {}

  void handle(run_tasks& message) {
    for (const auto& task : message.tasks) {
      std::get<messages::host_call>(task).function();
    }
    message.reply(tasks_run{message.tasks.size(), {}});
  }
  void handle(stop_engine& /*message*/) { own_.quit(); }

private:
  actors::self<handle_type> own_;
  std::shared_ptr<void> kept_;
};

run_tasks calling(std::function<void()> function) {
  run_tasks made;
  made.tasks.emplace_back(messages::host_call{std::move(function)});
  return made;
}

/// Calls a function when it goes.
std::shared_ptr<void> at_the_end(std::function<void()> function) {
  return {nullptr, [called = std::move(function)](void* /*nothing*/) { called(); }};
}

class Turn : public threaded_fixture {
protected:
  engine_actor make(std::shared_ptr<void> kept = {}) {
    return actors::spawn<obedient_state>(system(), std::move(kept));
  }
  /// In a turn of this thread, or of the handler that is running.
  void tell(const engine_actor& to, std::function<void()> function) {
    actors::post(to, calling(std::move(function)));
  }
  /// A message that writes its name down.
  void tell(const engine_actor& to, char name) {
    tell(to, [this, name] { log_.push_back(name); });
  }
  /// The same, by another thread that has sent it when this returns.
  void tell_elsewhere(const engine_actor& to, char name) {
    std::thread([&] { tell(to, name); }).join();
  }

  std::string log_;
  engine_actor first_ = make();
  engine_actor second_ = make();
  engine_actor third_ = make();
};

TEST_F(Turn, HandsOutInTheOrderOfSending) {
  tell(first_, [&] {
    tell(second_, 'a');
    tell(third_, 'b');
    tell(second_, 'c');
    log_ += '-';
  });
  EXPECT_EQ(log_, "-abc");
}

TEST_F(Turn, HandlesOnTheThreadThatSends) {
  std::thread::id by;
  tell(first_, [&] { tell(second_, [&] { by = std::this_thread::get_id(); }); });
  EXPECT_EQ(by, std::this_thread::get_id());
}

TEST_F(Turn, LetsAnActorSendToItself) {
  tell(first_, [&] {
    tell(first_, 'b');
    log_ += 'a';
  });
  EXPECT_EQ(log_, "ab");
}

// The second is taken by the turn, so that what the other thread sends waits behind what the turn has.
TEST_F(Turn, HandlesWhatItHasBeforeWhatOthersSendMeanwhile) {
  tell(first_, [&] {
    tell(second_, 'a');
    tell_elsewhere(second_, 'b');
  });
  EXPECT_EQ(log_, "ab");
}

// What the first sends last may have come about by what the other thread has sent before.
TEST_F(Turn, PutsWhatItSendsBehindWhatOthersHaveSent) {
  tell(first_, [&] {
    tell(second_, 'a');
    tell_elsewhere(second_, 'b');
    tell(second_, 'c');
  });
  EXPECT_EQ(log_, "abc");
}

TEST_F(Turn, PutsWhatOthersSendBecauseOfItBehindIt) {
  tell(first_, [&] {
    tell(second_, [&] { tell(third_, 'b'); });
    tell(third_, 'a');
    tell(second_, [&] { tell_elsewhere(third_, 'd'); });
    tell(third_, 'c');
  });
  EXPECT_EQ(log_, "acbd");
}

TEST_F(Turn, DropsWhatItHasForAnActorThatEnds) {
  awaited_reply<tasks_run> before;
  awaited_reply<tasks_run> behind;
  tell(first_, [&] {
    run_tasks early = calling([&] { log_ += 'a'; });
    early.reply = before.token();
    actors::post(second_, std::move(early));
    actors::post(second_, stop_engine{});
    run_tasks late = calling([&] { log_ += 'b'; });
    late.reply = behind.token();
    actors::post(second_, std::move(late));
  });
  EXPECT_TRUE(before.get().has_value());
  EXPECT_EQ(behind.get().error().code, fault_code::actor_gone);
  EXPECT_EQ(log_, "a");
}

TEST_F(Turn, SendsToAnActorThatHasEndedInItWithoutEffect) {
  awaited_reply<tasks_run> late;
  tell(first_, [&] {
    actors::post(second_, stop_engine{});
    tell(third_, [&] {
      run_tasks message;
      message.reply = late.token();
      actors::post(second_, std::move(message));
    });
  });
  EXPECT_EQ(late.get().error().code, fault_code::actor_gone);
}

TEST_F(Turn, SendsWhatAnActorLeavesBehind) {
  auto last = make(at_the_end([&] { tell(third_, 'b'); }));
  tell(first_, [&] {
    tell(last, 'a');
    last = nullptr;
  });
  EXPECT_EQ(log_, "ab");
}

TEST_F(Turn, SendsToMoreActorsThanItTakes) {
  constexpr int many = 50;
  std::vector<engine_actor> actors;
  for (int made = 0; made < many; ++made) {
    actors.push_back(make());
  }
  tell(first_, [&] {
    for (const auto& one : actors) {
      tell(one, 'x');
    }
  });
  EXPECT_EQ(log_, std::string(many, 'x'));
}

// More than it keeps without allocating, and more than it hands out by itself.
TEST_F(Turn, SendsMoreThanItHandsOut) {
  constexpr int many = 1000;
  std::vector<int> order;
  tell(first_, [&] {
    for (int sent = 0; sent < many; ++sent) {
      tell(second_, [&order, sent] { order.push_back(sent); });
    }
  });
  ASSERT_EQ(order.size(), static_cast<std::size_t>(many));
  for (int at = 0; at < many; ++at) {
    ASSERT_EQ(order[static_cast<std::size_t>(at)], at);
  }
}

TEST_F(Turn, LastsNotForEverWhenActorsSendAndSend) {
  std::atomic<int> rounds{0};
  constexpr int many = 20'000;
  std::function<void()> again = [&] {
    if (++rounds < many) {
      actors::post(rounds % 2 == 0 ? first_ : second_, calling(again));
    }
  };
  tell(first_, again);
  EXPECT_TRUE(support::eventually([&] { return rounds == many; }));
}

TEST_F(Turn, TakesNoActorThatHasAThread) {
  const auto with_thread = actors::spawn_detached<obedient_state>(system());
  awaited_reply<tasks_run> answered;
  std::thread::id by;
  tell(first_, [&] {
    run_tasks message = calling([&] { by = std::this_thread::get_id(); });
    message.reply = answered.token();
    actors::post(with_thread, std::move(message));
  });
  ASSERT_TRUE(answered.get().has_value());
  EXPECT_NE(by, std::this_thread::get_id());
  actors::post(with_thread, stop_engine{});
}

TEST_F(Turn, ShowsEachMessageToAHook) {
  const wire_tap tap([](auto&, const auto&) { return true; });
  tell(first_, [&] {
    tell(second_, 'a');
    tell(third_, 'b');
  });
  EXPECT_EQ(tap.seen(), 3);
  EXPECT_EQ(log_, "ab");
}

// Each thread passes a message around all actors, again and again; none is lost, and no actor is run by two.
TEST_F(Turn, LosesNothingBetweenManyThreads) {
  constexpr int threads = 4;
  constexpr int rounds = 2000;
  struct counter {
    engine_actor actor;
    std::atomic<int> inside{0};
    int handled = 0;
  };
  std::vector<std::unique_ptr<counter>> ring;
  for (int made = 0; made < 5; ++made) {
    ring.push_back(std::make_unique<counter>());
    ring.back()->actor = make();
  }
  std::atomic<bool> overlapped{false};
  std::function<void(std::size_t)> pass_on = [&](std::size_t place) {
    auto& here = *ring[place];
    overlapped = here.inside.fetch_add(1) != 0 || overlapped;
    ++here.handled;
    if (place + 1 < ring.size()) {
      actors::post(ring[place + 1]->actor, calling([&pass_on, place] { pass_on(place + 1); }));
    }
    here.inside.fetch_sub(1);
  };
  std::vector<std::thread> started;
  for (int number = 0; number < threads; ++number) {
    started.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) {
        tell(ring[0]->actor, [&pass_on] { pass_on(0); });
      }
    });
  }
  for (auto& one : started) {
    one.join();
  }
  actors::inline_caller caller(system());
  for (auto& one : ring) {  // what others have taken along is behind this then
    EXPECT_TRUE(actors::ask<tasks_run>(caller, one->actor, run_tasks{}));
    EXPECT_EQ(one->handled, threads * rounds);
  }
  EXPECT_FALSE(overlapped);
}

}  // namespace
