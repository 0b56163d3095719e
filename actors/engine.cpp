#include "actors/engine.hpp"

#include <utility>

#include "actors/foreign_code.hpp"
#include "actors/tracing.hpp"

namespace soma::actors {

namespace {

memory::position position_of(const messages::run_tasks& run, std::size_t index) {
  return {run.first.stream, memory::sequence_number{memory::number(run.first.sequence) + index}};
}

// Reads the arguments as the kernel will. If they cannot be read, the kernel fails by that itself.
void tell_arguments(const messages::run_tasks& run, const messages::work& task, std::size_t index) {
  const auto* kernel = std::get_if<messages::kernel_launch>(&task);
  if (kernel == nullptr || !kernel->tell_arguments) {
    return;
  }
  std::vector<memory::access> pointers;
  static_cast<void>(run_work(messages::host_call{
      [&] { pointers = memory::pointers_among(kernel->arguments, kernel->argument_bytes); }}));
  post(run.checker, messages::arguments_read{position_of(run, index), std::move(pointers)});
}

bool is_wish(const messages::run_tasks& run, messages::stop_wish which) {
  return run.wish != nullptr && run.wish->load(std::memory_order_relaxed) == which;
}

std::optional<messages::fault> run_traced(const messages::run_tasks& run, const messages::work& task,
                                          std::size_t index) noexcept {
  const tracing::working traced(task, run.first, index);
  return run_work(task, run.wish);
}

}  // namespace

void engine_state::handle(messages::run_tasks& message) {
  // Of the thread and not of the state: an engine that ends by a fault may be dropped on another thread.
  thread_local const signal_stack stack;
  messages::tasks_run how;
  for (auto& task : message.tasks) {
    if (is_wish(message, messages::stop_wish::run)) {
      break;
    }
    if (message.checker) [[unlikely]] {
      tell_arguments(message, task, how.executed);
    }
    auto failure = run_traced(message, task, how.executed);
    if (failure && listener_ != nullptr) {
      tell_failure(message, task, how.executed, *failure);
    }
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

// The listener is the program's: what goes wrong in it is nobody's affair.
void engine_state::tell_failure(const messages::run_tasks& run, const messages::work& task, std::size_t index,
                                const messages::fault& why) const {
  static_cast<void>(run_work(messages::host_call{[&] {
    (*listener_)({position_of(run, index), task, why});
  }}));
}

void engine_state::handle(messages::stop_engine& /*message*/) {
  stopped_ = true;
  own_.quit();
}

}  // namespace soma::actors
