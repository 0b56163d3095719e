#include "actors/engine.hpp"

#include <utility>

namespace soma::actors {

void engine_state::handle(messages::run_tasks& message) {
  if (!stack_) {
    stack_.emplace();
  }
  messages::tasks_run how;
  for (auto& task : message.tasks) {
    auto failure = run_work(task);
    task = messages::copy_bytes{};  // drops what the task kept alive, here and not on another's thread
    ++how.executed;
    if (failure && !how.failure) {
      how.failure = std::move(failure);
    }
    if (how.failure && message.stop_on_failure) {
      break;
    }
  }
  // First, so that the stream's next run finds this engine.
  post(device_, messages::engine_idle{own_.handle()});
  message.reply(std::move(how));
}

void engine_state::handle(messages::stop_engine& /*message*/) {
  stopped_ = true;
  stack_.reset();
  own_.quit();
}

}  // namespace soma::actors
