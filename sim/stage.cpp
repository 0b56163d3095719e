#include "sim/stage.hpp"

#include <algorithm>
#include <utility>

namespace soma::sim {

namespace {

// Far above what any scenario needs; a run that is longer goes round in circles.
constexpr std::size_t most_steps = 200'000;

}  // namespace

// -- threads ------------------------------------------------------------------------------------------------

host_threads::~host_threads() {
  for (auto& one : workers_) {
    one->job = nullptr;
    one->turn.release();
    one->thread.join();
  }
}

void host_threads::give(std::size_t number, std::function<void()> job) {
  while (workers_.size() < number) {
    auto& made = *workers_.emplace_back(std::make_unique<worker>());
    made.thread = std::thread([&made] {
      while (true) {
        made.turn.acquire();
        if (made.job == nullptr) {
          return;
        }
        std::exchange(made.job, nullptr)();
      }
    });
  }
  workers_[number - 1]->job = std::move(job);
}

void host_threads::wake(std::size_t number) {
  if (number == 0) {
    main_.release();
  } else {
    workers_[number - 1]->turn.release();
  }
}

void host_threads::sleep(std::size_t number) {
  if (number == 0) {
    main_.acquire();
  } else {
    workers_[number - 1]->turn.acquire();
  }
}

// -- waiting ------------------------------------------------------------------------------------------------

void stage::enter(phase next) noexcept {
  phase_ = next;
  if (next == phase::winding) {
    over_ = false;
  }
  world_.log_from_now_on(next == phase::chosen);
}

void stage::start(std::size_t number, std::function<void()> body) {
  auto& started = *world_.hosts()[number];
  started.now = host::state::waiting;
  started.condition = [] { return true; };
  started.waits_for = "its start";
  threads_.give(number, [this, number, body = std::move(body)] {
    body();
    finish(number);
  });
}

void stage::wait() {
  if (over_) {
    return;
  }
  auto& me = world_.current();
  loop(current(), false);
  world_.set_current(me);
  me.now = host::state::busy;
}

bool stage::wait_until(std::function<bool()> condition, std::string what) {
  auto& me = world_.current();
  me.now = host::state::waiting;
  me.condition = std::move(condition);
  me.waits_for = std::move(what);
  wait();
  return !over_;
}

bool stage::join() {
  if (world_.hosts().size() == 1) {
    return !over_;
  }
  const auto all_ended = [this] {
    return std::all_of(world_.hosts().begin() + 1, world_.hosts().end(),
                       [](const auto& one) { return one->now == host::state::finished; });
  };
  wait_until(all_ended, "the end of the other threads");
  // When the run is over the others leave as they are woken.
  while (over_ && !all_ended()) {
    for (std::size_t number = 1; number < world_.hosts().size(); ++number) {
      if (world_.hosts()[number]->now != host::state::finished) {
        world_.set_current(*world_.hosts()[number]);
        threads_.wake(number);
        threads_.sleep(0);
        world_.set_current(*world_.hosts()[0]);
      }
    }
  }
  return !over_;
}

void stage::drain() {
  auto& me = world_.current();
  me.now = host::state::waiting;
  me.condition = [] { return false; };
  draining_ = true;
  wait();
  draining_ = false;
}

bool stage::ask(const actors::caller::sender& send, actors::slot_base& slot, bool may_time_out) {
  auto& me = world_.current();
  me.now = host::state::asking;
  me.slot = &slot;
  me.may_time_out = may_time_out;
  me.answered = false;
  me.woken = false;
  ++me.waits;
  send(world_.unit());
  wait();
  me.slot = nullptr;
  return slot.filled();
}

void stage::tell(const actors::caller::sender& send) {
  world_.current().now = host::state::sending;
  send(world_.unit());
  wait();
}

// A thread of the scenario has come to its end: it goes on to take steps until another one may go on.
void stage::finish(std::size_t me) {
  world_.hosts()[me]->now = host::state::finished;
  if (over_) {
    threads_.wake(0);
    return;
  }
  loop(me, true);
}

// -- the loop -----------------------------------------------------------------------------------------------

// The other one goes on from its own wait. Whoever ends does not come back.
void stage::hand_over(std::size_t from, std::size_t to, bool finished) {
  world_.set_current(*world_.hosts()[to]);
  threads_.wake(to);
  if (!finished) {
    threads_.sleep(from);
  }
}

void stage::loop(std::size_t me, bool finished) {
  bool handed_over = false;
  while (!over_ && step(me, finished, handed_over)) {
  }
  if (!handed_over && finished && over_) {  // the main thread sees to it that the others end
    world_.set_current(*world_.hosts()[0]);
    threads_.wake(0);
  }
}

// Takes one step. Returns false if this thread goes on, or another one does and this one has ended.
bool stage::step(std::size_t me, bool finished, bool& handed_over) {
  world_.settle();
  if (over_) {  // a checker has found something
    return false;
  }
  world_.collect(options_);
  // What the only thread does is no choice: it touches nothing that anyone else does.
  std::size_t chosen = options_.size();
  if (world_.single_host()) {
    const auto own = std::find_if(options_.begin(), options_.end(),
                                  [](const option& one) { return one.kind == step_kind::go_on; });
    chosen = static_cast<std::size_t>(own - options_.begin());
  }
  if (options_.empty()) {
    if (phase_ != phase::winding && !draining_) {
      report_deadlock();
    }
    return false;
  }
  if (++steps_ > most_steps) {
    fail("deadlock", "the run has not come to an end after " + std::to_string(most_steps) + " steps");
    over_ = true;
    return false;
  }
  if (chosen == options_.size()) {
    chosen = 0;
    if (phase_ == phase::chosen) {
      chosen = chooser_.pick(options_);
      if (chosen == chooser::prune) {
        pruned_ = over_ = true;
        return false;
      }
      if (options_.size() > 1) {
        choices_.push_back(chosen);
      }
    }
  }
  const auto taken = options_[chosen];
  if (taken.kind == step_kind::flush || taken.kind == step_kind::run) {
    world_.execute(taken);
    return true;
  }
  const auto to = static_cast<std::size_t>(taken.party & 0xffff);
  auto& next = *world_.hosts()[to];
  ++next.turns;
  world_.note({taken.kind == step_kind::go_on ? log_entry::kind::goes_on : log_entry::kind::times_out, &next,
               nullptr, nullptr, nullptr});
  next.now = host::state::busy;
  if (to != me) {
    handed_over = true;
    hand_over(me, to, finished);
    handed_over = finished;
  }
  return false;
}

// -- failures -----------------------------------------------------------------------------------------------

void stage::fail(std::string checker, std::string text) {
  if (phase_ == phase::winding || over_) {
    return;
  }
  failure_ = failure{std::move(checker), std::move(text)};
  over_ = true;
}

void stage::report_deadlock() {
  std::string text = "nothing can go on:";
  for (const auto& one : world_.hosts()) {
    if (one->now == host::state::asking || one->now == host::state::waiting) {
      text += "\n  " + one->name + " waits for " + one->waits_for;
    }
  }
  for (const auto& held : world_.held_engines()) {
    text += "\n  " + held;
  }
  fail("deadlock", text);
  over_ = true;
}

}  // namespace soma::sim
