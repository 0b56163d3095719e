// The shell: what holds for every actor, whatever its state. The states here borrow the protocol of engines.

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <caf/send.hpp>

#include "fixture.hpp"
#include "wire_tap.hpp"

namespace {

using namespace actor_tests;
using messages::engine_actor;
using messages::run_tasks;
using messages::stop_engine;

/// Keeps every request without answering it; throws when it is told to stop.
class fragile_state {
public:
  using handle_type = engine_actor;
  static constexpr auto name = "fragile";

  explicit fragile_state(actors::self<handle_type> /*own*/, std::shared_ptr<int> kept = {})
      : kept_alive_(std::move(kept)) {}

  void handle(run_tasks& message) { requests_.push_back(std::move(message)); }
  void handle(stop_engine& /*message*/) { throw std::runtime_error("for the test"); }

private:
  std::shared_ptr<int> kept_alive_;
  std::vector<run_tasks> requests_;
};

/// Answers requests; ends when it is told to stop, keeping the first request that came behind.
class tidy_state {
public:
  using handle_type = engine_actor;
  static constexpr auto name = "tidy";

  explicit tidy_state(actors::self<handle_type> own) : own_(own) {}

  void handle(run_tasks& message) { message.reply(messages::tasks_run{message.tasks.size(), {}}); }
  void handle(stop_engine& /*message*/) { own_.quit(); }

private:
  actors::self<handle_type> own_;
};

/// Writes down when it begins and ends to handle something; sends to the next in between.
class talking_state {
public:
  using handle_type = engine_actor;
  using journal = std::shared_ptr<std::vector<std::string>>;
  static constexpr auto name = "talking";

  talking_state(actors::self<handle_type> /*own*/, std::string called, journal log, engine_actor next)
      : called_(std::move(called)), log_(std::move(log)), next_(std::move(next)) {}

  void handle(run_tasks& /*message*/) {
    log_->push_back(called_ + " begins");
    if (next_) {
      actors::post(next_, run_tasks{});
      actors::post(next_, run_tasks{});
    }
    log_->push_back(called_ + " ends");
  }
  void handle(stop_engine& /*message*/) {}

private:
  std::string called_;
  journal log_;
  engine_actor next_;
};

class Shell : public actor_fixture {
protected:
  engine_actor fragile_ = actors::spawn<fragile_state>(system());
};

// -- the end of an actor ------------------------------------------------------------------------------------

TEST_F(Shell, AnswersWhatTheStateKeptWhenAHandlerThrows) {
  const auto kept = ask(fragile_, run_tasks{});
  ASSERT_FALSE(kept.arrived());
  tell(fragile_, stop_engine{});
  EXPECT_TRUE(kept.failed_with(fault_code::actor_gone));
}

TEST_F(Shell, AnswersWhatIsInTheMailboxWhenAHandlerThrows) {
  send(fragile_, stop_engine{});
  const auto behind = request(fragile_, run_tasks{});
  const auto last = request(fragile_, run_tasks{});
  run();
  EXPECT_TRUE(behind.failed_with(fault_code::actor_gone));
  EXPECT_TRUE(last.failed_with(fault_code::actor_gone));
}

TEST_F(Shell, AnswersWhatIsSentAfterAHandlerHasThrown) {
  tell(fragile_, stop_engine{});
  EXPECT_TRUE(request(fragile_, run_tasks{}).failed_with(fault_code::actor_gone));
}

TEST_F(Shell, DropsTheStateWhenAHandlerThrows) {
  const auto watched = std::make_shared<int>(0);
  const auto actor = actors::spawn<fragile_state>(system(), watched);
  ASSERT_EQ(watched.use_count(), 2);
  tell(actor, stop_engine{});
  EXPECT_EQ(watched.use_count(), 1);
}

TEST_F(Shell, LeavesOtherActorsAloneWhenAHandlerThrows) {
  const auto other = actors::spawn<tidy_state>(system());
  tell(fragile_, stop_engine{});
  EXPECT_TRUE(ask(other, run_tasks{}).succeeded());
}

TEST_F(Shell, HandlesWhatCameBeforeTheEnd) {
  const auto tidy = actors::spawn<tidy_state>(system());
  const auto before = request(tidy, run_tasks{});
  send(tidy, stop_engine{});
  const auto behind = request(tidy, run_tasks{});
  run();
  EXPECT_TRUE(before.succeeded());
  EXPECT_TRUE(behind.failed_with(fault_code::actor_gone));
}

TEST_F(Shell, DropsTheStateWhenNobodyHasAHandleAnyMore) {
  const auto kept = ask(fragile_, run_tasks{});
  fragile_ = nullptr;
  EXPECT_TRUE(kept.failed_with(fault_code::actor_gone));
}

TEST_F(Shell, DropsTheStateOfAnActorThatNeverRan) {
  const auto watched = std::make_shared<int>(0);
  static_cast<void>(actors::spawn<fragile_state>(system(), watched));
  EXPECT_EQ(watched.use_count(), 1);
}

// -- the wire -----------------------------------------------------------------------------------------------

TEST_F(Shell, ShowsTheWireEveryMessage) {
  const auto tidy = actors::spawn<tidy_state>(system());
  auto asker = make_probe<messages::stream_actor>();
  const wire_tap tap([](auto&, const auto&) { return true; });
  run_tasks request;
  request.reply = actors::answer_to<messages::tasks_run>(asker.handle(), 5);
  tell(tidy, std::move(request));
  EXPECT_EQ(tap.seen(), 2);  // the request, and its answer
  EXPECT_EQ(asker.take<messages::answered<messages::tasks_run>>().ticket, 5U);
}

TEST_F(Shell, ShowsTheWireExits) {
  const wire_tap tap([](auto&, const auto&) { return true; });
  const auto kept = ask(fragile_, run_tasks{});
  caf::anon_send_exit(fragile_.pointer(), caf::exit_reason::kill);
  run();
  EXPECT_EQ(tap.seen(), 2);
  EXPECT_TRUE(kept.failed_with(fault_code::actor_gone));
}

TEST_F(Shell, LetsTheWireHoldAMessageBack) {
  const auto tidy = actors::spawn<tidy_state>(system());
  wire_tap tap(all_but<run_tasks>);
  const auto held = ask(tidy, run_tasks{});
  ASSERT_EQ(tap.stopped(), 1);
  ASSERT_FALSE(held.arrived());
  tap.deliver();
  run();
  EXPECT_TRUE(held.succeeded());
}

TEST_F(Shell, LetsTheWireLoseAMessage) {
  const auto tidy = actors::spawn<tidy_state>(system());
  const wire_tap tap(all_but<run_tasks>, wire_tap::fate::lose);
  EXPECT_TRUE(request(tidy, run_tasks{}).failed_with(fault_code::actor_gone));
}

TEST_F(Shell, AsksNoHookThatHasGone) {
  const auto tidy = actors::spawn<tidy_state>(system());
  { const wire_tap tap(all_but<run_tasks>, wire_tap::fate::lose); }
  EXPECT_TRUE(ask(tidy, run_tasks{}).succeeded());
}

// -- the order of handlers ----------------------------------------------------------------------------------

class ShellOrder : public Shell {
protected:
  talking_state::journal log_ = std::make_shared<std::vector<std::string>>();
  engine_actor last_ = actors::spawn<talking_state>(system(), "last", log_, engine_actor{});
  engine_actor middle_ = actors::spawn<talking_state>(system(), "middle", log_, last_);
  engine_actor first_ = actors::spawn<talking_state>(system(), "first", log_, middle_);

  void expect_no_nesting() const {
    ASSERT_EQ(log_->size(), 2U * (1 + 2 + 4));
    for (std::size_t i = 0; i < log_->size(); i += 2) {
      const auto who = log_->at(i).substr(0, log_->at(i).find(' '));
      EXPECT_EQ(log_->at(i), who + " begins");
      EXPECT_EQ(log_->at(i + 1), who + " ends");
    }
  }
};

TEST_F(ShellOrder, HandlesWhatAHandlerSendsAfterIt) {
  tell(first_, run_tasks{});
  expect_no_nesting();
}

TEST_F(ShellOrder, HandlesWhatAHandlerSendsAfterItWhereSendersRunActors) {
  const actors::unit_scope outside_of_actors(nullptr);
  actors::post(first_, run_tasks{});
  expect_no_nesting();
}

TEST_F(ShellOrder, KeepsTheOrderOfOneSenderToOneReceiver) {
  auto receiver = make_probe<engine_actor>();
  send(receiver.handle(), run_tasks{{}, true, {}});
  send(receiver.handle(), stop_engine{});
  send(receiver.handle(), run_tasks{{}, false, {}});
  run();
  EXPECT_TRUE(receiver.take<run_tasks>().stop_on_failure);
  receiver.take<stop_engine>();
  EXPECT_FALSE(receiver.take<run_tasks>().stop_on_failure);
}

}  // namespace
