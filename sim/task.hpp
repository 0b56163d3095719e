// The tasks of a scenario, and how the simulator finds them again in the messages between the actors.
#pragma once

#include <functional>
#include <vector>

#include "messages/engine.hpp"
#include "sim/party.hpp"

namespace soma::sim {

struct task {
  const statement* what = nullptr;
  std::size_t number = 0;
  bool started = false;
  bool done = false;
  bool ahead = false;                      // of the engine, which calls it later
  std::optional<messages::fault> failure;  // if it was done ahead
  past submitted;                          // with the stream's message to the device
};

/// The host function that is submitted for a task.
class task_call {
public:
  using body = std::function<void(task&)>;

  task_call(const body* what, task* of) noexcept : body_(what), task_(of) {}
  void operator()() const { (*body_)(*task_); }

  [[nodiscard]] task& called() const noexcept { return *task_; }

  /// The task behind a piece of work; null if the simulator did not submit it.
  static task* find(const messages::work& work) noexcept {
    const auto* call = std::get_if<messages::host_call>(&work);
    const auto* found = call == nullptr ? nullptr : call->function.target<task_call>();
    return found == nullptr ? nullptr : found->task_;
  }

private:
  const body* body_;
  task* task_;
};

/// The run in an engine's mailbox. Precondition: it is one.
inline const messages::run_tasks& run_in(const envelope& mail) {
  return *static_cast<const messages::run_tasks*>(mail.content);
}

}  // namespace soma::sim
