// How processes of which a trace is taken end, beyond what the other scenarios do.

#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "programs/scenario.hpp"
#include "soma/soma.hpp"
#include "support/gate.hpp"

namespace {

using scenarios::check;

/// A runtime with a block; it is never destroyed.
struct traced_program {
  soma::runtime runtime = soma::runtime::create().value();
  soma::device device = runtime.get_device().value();
  soma::stream stream = device.create_stream().value();
  soma::pool pool = device.create_pool({.limit = std::uint64_t{1} << 30}).value();
  void* block = pool.malloc_async(4096, stream).value();
};

traced_program& start() { return *new traced_program; }

SCENARIO(trace_abort) {
  start();
  std::abort();
}

// On purpose, so that no sanitizer has to say so.
__attribute__((no_sanitize("undefined"))) void write_through_null() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

SCENARIO(trace_fault) {
  start();
  write_through_null();
  return scenarios::wrong;
}

SCENARIO(trace_raised_fault) {
  start();
  std::raise(SIGSEGV);
  return scenarios::wrong;
}

SCENARIO(trace_terminated) {
  start();
  ::kill(::getpid(), SIGTERM);
  ::pause();
  return scenarios::wrong;
}

SCENARIO(trace_killed_by_interrupt) {
  start();
  std::raise(SIGINT);
  return scenarios::wrong;
}

SCENARIO(trace_own_handler) {
  std::signal(SIGTERM, [](int) { std::quick_exit(12); });
  start();
  std::raise(SIGTERM);
  return scenarios::wrong;
}

SCENARIO(trace_fault_in_a_task) {
  auto& program = start();
  check(program.stream.call(write_through_null).has_value(), "the task was not taken");
  const auto done = program.stream.synchronize();
  check(!done && done.error().code == soma::errc::task_failed, "the task did not fail");
  return 0;
}

}  // namespace
