// Calls in place: what a caller does to an idle actor himself, and when it may not.

#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>

#include "actors/caller.hpp"
#include "actors/in_place.hpp"
#include "real_system.hpp"
#include "wire_tap.hpp"

namespace {

using namespace actor_tests;
using messages::engine_actor;
using messages::run_tasks;
using messages::stop_engine;
using messages::tasks_run;

/// Writes down what it is told, and calls the functions of a run.
class noted_state {
public:
  using handle_type = engine_actor;
  static constexpr auto name = "noted";

  explicit noted_state(actors::self<handle_type> own) : own_(own) {}

  void handle(run_tasks& message) {
    for (const auto& task : message.tasks) {
      std::get<messages::host_call>(task).function();
    }
    message.reply(tasks_run{message.tasks.size(), {}});
  }
  void handle(stop_engine& /*message*/) { own_.quit(); }

  int count = 0;

private:
  actors::self<handle_type> own_;
};

run_tasks calling(std::function<void()> function) {
  run_tasks made;
  made.tasks.emplace_back(messages::host_call{std::move(function)});
  return made;
}

class InPlace : public threaded_fixture {
protected:
  InPlace() {
    tell([] {});
  }  // actors that have not begun are not taken

  void tell(std::function<void()> function) { actors::post(actor_, calling(std::move(function))); }

  bool count_in_place() {
    return actors::call_in_place<noted_state>(actor_, [](noted_state& state) {
      ++state.count;
      return true;
    });
  }
  int count() {
    int found = -1;
    EXPECT_TRUE(actors::call_in_place<noted_state>(actor_, [&](const noted_state& state) {
      found = state.count;
      return true;
    }));
    return found;
  }

  engine_actor actor_ = actors::spawn<noted_state>(system());
};

TEST_F(InPlace, ChangesTheStateOfAnIdleActor) {
  EXPECT_TRUE(count_in_place());
  EXPECT_TRUE(count_in_place());
  EXPECT_EQ(count(), 2);
}

TEST_F(InPlace, SaysWhatTheFunctionSays) {
  EXPECT_FALSE(actors::call_in_place<noted_state>(actor_, [](noted_state& /*state*/) { return false; }));
}

TEST_F(InPlace, LeavesAnActorAloneThatHasNotBegun) {
  actor_ = actors::spawn<noted_state>(system());
  EXPECT_FALSE(count_in_place());
}

TEST_F(InPlace, DoesNotNestInHandlers) {
  bool called = true;
  const auto other = std::exchange(actor_, actors::spawn<noted_state>(system()));
  tell([] {});
  actors::post(other, calling([&] { called = count_in_place(); }));
  EXPECT_FALSE(called);
  EXPECT_EQ(count(), 0);
}

TEST_F(InPlace, LeavesAnActorAloneThatAnotherThreadRuns) {
  bool called = true;
  tell([&] { std::thread([&] { called = count_in_place(); }).join(); });
  EXPECT_FALSE(called);
}

// What others send during the call is handled behind it, before it returns.
TEST_F(InPlace, HandlesWhatHasComeMeanwhile) {
  bool handled = false;
  bool handled_inside = true;
  EXPECT_TRUE(actors::call_in_place<noted_state>(actor_, [&](noted_state& /*state*/) {
    std::thread([&] { tell([&] { handled = true; }); }).join();
    handled_inside = handled;
    return true;
  }));
  EXPECT_FALSE(handled_inside);
  EXPECT_TRUE(handled);
}

TEST_F(InPlace, EndsTheActorByAnException) {
  EXPECT_FALSE(actors::call_in_place<noted_state>(
      actor_, [](noted_state& /*state*/) -> bool { throw std::runtime_error("on purpose"); }));
  EXPECT_TRUE(actors::has_ended(actor_));
  EXPECT_FALSE(count_in_place());
  awaited_reply<tasks_run> behind;
  auto late = calling([] {});
  late.reply = behind.token();
  actors::post(actor_, std::move(late));
  EXPECT_EQ(behind.get().error().code, fault_code::actor_gone);
}

// -- tried again --------------------------------------------------------------------------------------------

TEST_F(InPlace, SoonCallsOnce) {
  int calls = 0;
  const auto refused = [&](noted_state& /*state*/) {
    ++calls;
    return false;
  };
  EXPECT_FALSE(actors::call_in_place_soon<noted_state>(actor_, refused));
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(actors::call_in_place_soon<noted_state>(actor_, [&](noted_state& /*state*/) {
    ++calls;
    return true;
  }));
  EXPECT_EQ(calls, 2);
}

TEST_F(InPlace, SoonGivesUp) {
  bool called = true;
  tell([&] {
    std::thread([&] {
      called = actors::call_in_place_soon<noted_state>(actor_, [](noted_state& /*state*/) { return true; });
    }).join();
  });
  EXPECT_FALSE(called);
}

// Until it gives up: who runs the actor lets go of it while it is tried.
TEST_F(InPlace, SoonFindsAnActorThatBecomesIdle) {
  EXPECT_TRUE(support::eventually([&] {
    std::atomic<bool> held{false};
    std::atomic<bool> trying{false};
    std::thread other([&] {
      EXPECT_TRUE(actors::call_in_place<noted_state>(actor_, [&](noted_state& /*state*/) {
        held = true;
        while (!trying) {
        }
        return true;
      }));
    });
    EXPECT_TRUE(support::eventually([&] { return held.load(); }));
    trying = true;
    const bool found =
        actors::call_in_place_soon<noted_state>(actor_, [](noted_state& /*state*/) { return true; });
    other.join();
    return found;
  }));
}

// -- two actors ---------------------------------------------------------------------------------------------

class InPlaceTwo : public InPlace {
protected:
  InPlaceTwo() {
    actors::post(other_, calling([] {}));
  }

  /// Calls the other one in place from within the one.
  template <class Function>
  bool with_both(Function function) {
    return actors::call_in_place<noted_state>(actor_, [&](noted_state& one) {
      return actors::call_in_place<noted_state>(other_,
                                                [&](noted_state& other) { return function(one, other); });
    });
  }

  engine_actor other_ = actors::spawn<noted_state>(system());
};

TEST_F(InPlaceTwo, HasBoth) {
  EXPECT_TRUE(with_both([](noted_state& one, noted_state& other) {
    one.count += 2;
    other.count += 3;
    return true;
  }));
  EXPECT_EQ(count(), 2);
  std::swap(actor_, other_);
  EXPECT_EQ(count(), 3);
}

TEST_F(InPlaceTwo, SaysWhatTheFunctionSays) {
  EXPECT_FALSE(with_both([](noted_state& /*one*/, noted_state& /*other*/) { return false; }));
  EXPECT_TRUE(count_in_place());  // both were given back
  std::swap(actor_, other_);
  EXPECT_TRUE(count_in_place());
}

TEST_F(InPlaceTwo, LeavesBothAloneIfOneIsRun) {
  for (int turn = 0; turn < 2; ++turn) {
    bool called = true;
    tell([&] {
      std::thread([&] {
        called = with_both([](noted_state& /*one*/, noted_state& /*other*/) { return true; });
      }).join();
    });
    EXPECT_FALSE(called);
    std::swap(actor_, other_);
  }
  EXPECT_TRUE(count_in_place());
}

TEST_F(InPlaceTwo, LeavesTheOneAloneIfItIsTheOther) {
  other_ = actor_;
  EXPECT_FALSE(with_both([](noted_state& /*one*/, noted_state& /*other*/) { return true; }));
  EXPECT_TRUE(count_in_place());
}

TEST_F(InPlaceTwo, HandlesWhatHasComeMeanwhileForBoth) {
  int handled = 0;
  EXPECT_TRUE(with_both([&](noted_state& /*one*/, noted_state& /*other*/) {
    std::thread([&] {
      tell([&] { ++handled; });
      actors::post(other_, calling([&] { ++handled; }));
    }).join();
    return handled == 0;
  }));
  EXPECT_EQ(handled, 2);
}

// As in a handler.
TEST_F(InPlaceTwo, EndsTheOneThatThrows) {
  EXPECT_FALSE(with_both(
      [](noted_state& /*one*/, noted_state& /*other*/) -> bool { throw std::runtime_error("on purpose"); }));
  EXPECT_FALSE(actors::has_ended(actor_));
  EXPECT_TRUE(actors::has_ended(other_));
  EXPECT_TRUE(count_in_place());
}

}  // namespace
