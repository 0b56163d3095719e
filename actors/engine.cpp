#include "actors/engine.hpp"

#include <utility>

#include "actors/foreign_code.hpp"
#include "actors/tracing.hpp"
#include "actors/wire.hpp"
#include "messages/task_feed.hpp"

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

// In a burst of tasks the next one is often less than a microsecond away, and needs no message if it is
// waited for. Looks now and then only: each look takes the cache line from the thread that pushes. Returns
// whether there is one.
bool has_next(const messages::task_feed& feed, bool waits) noexcept {
  constexpr int most_looks = 64;
  constexpr int pauses_between = 4;
  for (int look = 0; feed.empty() && waits && look < most_looks && !feed.ended(); ++look) {
    for (int pause = 0; pause < pauses_between; ++pause) {
      __builtin_ia32_pause();
    }
  }
  return !feed.empty();
}

}  // namespace

void engine_state::handle(messages::run_tasks& message) {
  // Of the thread and not of the state: an engine that ends by a fault may be dropped on another thread.
  thread_local const signal_stack stack;
  auto how = execute_all(message);
  next_ = position_of(message, how.executed);
  // First, so that the stream's next run finds this engine.
  post(device_, messages::engine_idle{own_.handle(), number_});
  message.reply(std::move(how));
}

messages::tasks_run engine_state::execute_all(messages::run_tasks& run) const {
  messages::tasks_run how;
  for (auto& task : run.tasks) {
    if (!execute(run, task, how)) {
      return how;
    }
  }
  if (run.feed != nullptr) {
    execute_fed(run, how);
  }
  return how;
}

// Waits for more only in a burst: behind a run of the same stream for which nobody has waited, or when this
// one has grown already. A program that waits after each launch would find the engine looking around, and one
// that turns from stream to stream would find all engines doing so, and each stream would get a thread of its
// own.
void engine_state::execute_fed(const messages::run_tasks& run, messages::tasks_run& how) const {
  auto& feed = *run.feed;
  bool waits = run.in_burst && run.first == next_ && wire::hook() == nullptr;
  while (has_next(feed, waits && !how.failure) && !is_wish(run, messages::stop_wish::run)) {
    auto task = feed.take();
    if (!execute(run, task, how)) {
      return;
    }
    waits = true;
  }
}

// Returns false if the run ends with this task, or in front of it.
bool engine_state::execute(const messages::run_tasks& run, messages::work& task,
                           messages::tasks_run& how) const {
  if (is_wish(run, messages::stop_wish::run)) {
    return false;
  }
  if (run.checker) [[unlikely]] {
    tell_arguments(run, task, how.executed);
  }
  auto failure = run_traced(run, task, how.executed);
  if (failure && listener_ != nullptr) {
    tell_failure(run, task, how.executed, *failure);
  }
  task = messages::copy_bytes{};  // drops what the task kept alive, here and not on another's thread
  ++how.executed;
  if (failure && !how.failure) {
    how.failure = std::move(failure);
    how.failed = how.executed - 1;
  }
  return !(how.failure && run.stop_on_failure);
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
