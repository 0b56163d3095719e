// The threads of the host in a run, of which one runs at a time, and the loop that takes the steps.
//
// Whichever thread has to wait runs the loop itself, until it may go on or another one may: then it hands the
// baton over and sleeps. So a scenario with one thread runs without any switch.
#pragma once

#include <semaphore.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "actors/caller.hpp"
#include "sim/chooser.hpp"
#include "sim/failure.hpp"
#include "sim/world.hpp"

namespace soma::sim {

/// What the thread that may run has. A semaphore of the system, which sleeps at once: one that looks a while
/// first, as the standard library's does, takes many times as long where threads have to share processors.
class baton {
public:
  baton() { ::sem_init(&semaphore_, 0, 0); }
  ~baton() { ::sem_destroy(&semaphore_); }
  baton(const baton&) = delete;
  baton& operator=(const baton&) = delete;

  void release() { ::sem_post(&semaphore_); }
  void acquire() {
    while (::sem_wait(&semaphore_) != 0) {  // a signal came
    }
  }

private:
  sem_t semaphore_{};
};

/// Threads that are used by one run after the other.
class host_threads {
public:
  host_threads() = default;
  ~host_threads();
  host_threads(const host_threads&) = delete;
  host_threads& operator=(const host_threads&) = delete;

  /// Gives the thread with this number something to do once it is woken.
  void give(std::size_t number, std::function<void()> job);
  void wake(std::size_t number);
  /// On such a thread: sleeps until it is woken again.
  void sleep(std::size_t number);

private:
  struct worker {
    baton turn;
    std::function<void()> job;
    std::thread thread;
  };

  std::vector<std::unique_ptr<worker>> workers_;
  baton main_;
};

class stage {
public:
  enum class phase : std::uint8_t {
    unchosen,  // setting up: the first possible step, nothing is recorded
    chosen,    // the chooser decides
    winding,   // after a failure: the first possible step, and waits may end without an answer
  };

  stage(world& in, chooser& by, host_threads& threads) noexcept
      : world_(in), chooser_(by), threads_(threads) {}

  void enter(phase next) noexcept;
  [[nodiscard]] phase now() const noexcept { return phase_; }

  /// Starts a thread of the host: it runs when it is its turn. Its number is its place in the world's hosts.
  void start(std::size_t number, std::function<void()> body);

  /// Waits until the condition holds. Returns false if the run is over.
  bool wait_until(std::function<bool()> condition, std::string what);
  /// Until all other threads have ended. Returns false if the run is over; they have ended all the same.
  bool join();
  /// Runs what is left, without waiting for anything.
  void drain();

  /// For the caller of the runtime.
  bool ask(const actors::caller::sender& send, actors::slot_base& slot, bool may_time_out);
  void tell(const actors::caller::sender& send);

  /// The first failure of the run; later ones are ignored. The run is over then.
  void fail(std::string checker, std::string text);
  [[nodiscard]] bool over() const noexcept { return over_; }
  [[nodiscard]] bool pruned() const noexcept { return pruned_; }
  [[nodiscard]] const std::optional<failure>& failed() const noexcept { return failure_; }
  [[nodiscard]] const std::vector<std::size_t>& choices() const noexcept { return choices_; }
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

private:
  void wait();
  void loop(std::size_t me, bool finished);
  bool step(std::size_t me, bool finished, bool& handed_over);
  void hand_over(std::size_t from, std::size_t to, bool finished);
  void finish(std::size_t me);
  [[nodiscard]] std::size_t current() const noexcept { return world_.current().number & 0xffff; }
  void report_deadlock();

  world& world_;
  chooser& chooser_;
  host_threads& threads_;
  phase phase_ = phase::unchosen;
  bool over_ = false;
  bool pruned_ = false;
  bool draining_ = false;
  std::optional<failure> failure_;
  std::vector<std::size_t> choices_;
  std::vector<option> options_;
  std::size_t steps_ = 0;
};

/// What the runtime calls instead of sending by itself.
class staged_caller final : public actors::caller {
public:
  explicit staged_caller(stage& on) noexcept : stage_(on) {}
  bool send_and_wait(const sender& send, actors::slot_base& answered, actors::deadline limit) override {
    return stage_.ask(send, answered, limit.has_value());
  }
  void send(const sender& send) override { stage_.tell(send); }

private:
  stage& stage_;
};

}  // namespace soma::sim
