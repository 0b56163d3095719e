// Running code that is not soma's own: kernels and host functions. Only engines do this.
//
// What such code throws, and the fatal signals it raises, become a fault of the task. After a signal the
// code's frames are left without running their destructors.
#pragma once

#include <csetjmp>

#include <optional>

#include "messages/engine.hpp"

namespace soma::actors {

/// Runs the work of one task on this thread. Returns the fault if it failed. The task ends early by a wish;
/// one that is about this task alone is used up.
std::optional<messages::fault> run_work(const messages::work& work,
                                        std::atomic<messages::stop_wish>* wish = nullptr) noexcept;

/// Whether the task that this thread runs is wished to end.
bool stop_is_wished() noexcept;

namespace of_this_thread {

/// Where a fatal signal returns to, while this thread is in foreign code; else null.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local sigjmp_buf* way_out;

}  // namespace of_this_thread

/// True while this thread is inside of a kernel or host function.
inline bool in_foreign_code() noexcept { return of_this_thread::way_out != nullptr; }

/// Catches fatal signals on threads that run work, as long as one of these exists. Signals elsewhere go to
/// the handlers that were there before.
class signal_guard {
public:
  signal_guard();
  ~signal_guard();
  signal_guard(const signal_guard&) = delete;
  signal_guard& operator=(const signal_guard&) = delete;
};

/// A stack for signal handlers of this thread, so that an overflow of its own stack can be caught.
class signal_stack {
public:
  signal_stack();
  ~signal_stack();
  signal_stack(const signal_stack&) = delete;
  signal_stack& operator=(const signal_stack&) = delete;

private:
  void* memory_;
};

}  // namespace soma::actors
