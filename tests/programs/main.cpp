// Runs the scenario that the first argument names.

#include "programs/scenario.hpp"

// The scenarios do on purpose what ThreadSanitizer would report of any program: they end while threads run,
// leave from signal handlers, and go on in a child after fork. The name is the sanitizer's.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_options();
const char* __tsan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "report_thread_leaks=0:report_signal_unsafe=0:die_after_fork=0";
}

int main(int count, char** arguments) {
  const auto found = count == 2 ? scenarios::all().find(arguments[1]) : scenarios::all().end();
  if (found == scenarios::all().end()) {
    std::fprintf(stderr, "usage: %s SCENARIO, one of:\n", arguments[0]);
    for (const auto& [name, run] : scenarios::all()) {
      std::fprintf(stderr, "  %s\n", name.c_str());
    }
    return scenarios::wrong;
  }
  return found->second();
}
