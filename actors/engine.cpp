#include "actors/engine.hpp"

#include <utility>

#include "actors/foreign_code.hpp"
#include "actors/tracing.hpp"

namespace soma::actors {

namespace {

// Reads the arguments as the kernel will. If they cannot be read, the kernel fails by that itself.
void tell_arguments(const messages::run_tasks& run, const messages::work& task, std::size_t index) {
  const auto* kernel = std::get_if<messages::kernel_launch>(&task);
  if (kernel == nullptr || !kernel->tell_arguments) {
    return;
  }
  std::vector<memory::access> pointers;
  static_cast<void>(run_work(messages::host_call{
      [&] { pointers = memory::pointers_among(kernel->arguments, kernel->argument_bytes); }}));
  const memory::position at{run.first.stream,
                            memory::sequence_number{memory::number(run.first.sequence) + index}};
  post(run.checker, messages::arguments_read{at, std::move(pointers)});
}

std::optional<messages::fault> run_traced(const messages::run_tasks& run, const messages::work& task,
                                          std::size_t index) noexcept {
  const tracing::working traced(task, run.first, index);
  return run_work(task);
}

}  // namespace

void engine_state::handle(messages::run_tasks& message) {
  // Of the thread and not of the state: an engine that ends by a fault may be dropped on another thread.
  thread_local const signal_stack stack;
  messages::tasks_run how;
  for (auto& task : message.tasks) {
    if (message.checker) [[unlikely]] {
      tell_arguments(message, task, how.executed);
    }
    auto failure = run_traced(message, task, how.executed);
    task = messages::copy_bytes{};  // drops what the task kept alive, here and not on another's thread
    ++how.executed;
    if (failure && !how.failure) {
      how.failure = std::move(failure);
      how.failed = how.executed - 1;
    }
    if (how.failure && message.stop_on_failure) {
      break;
    }
  }
  // First, so that the stream's next run finds this engine.
  post(device_, messages::engine_idle{own_.handle(), number_});
  message.reply(std::move(how));
}

void engine_state::handle(messages::stop_engine& /*message*/) {
  stopped_ = true;
  own_.quit();
}

}  // namespace soma::actors
