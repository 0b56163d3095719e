// Looks for leaks, with LeakSanitizer where it is there, when a runtime has ended.
//
// libFuzzer itself would look after any input, and sometimes does not see what a thread has that is on its
// way out at this moment: an engine of a runtime that goes on. So it is told not to (-detect_leaks=0), and
// here the threads of the runtime are waited for first.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <thread>

#include "require.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_LOOKS_FOR_LEAKS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define FUZZ_LOOKS_FOR_LEAKS
#endif
#ifdef FUZZ_LOOKS_FOR_LEAKS
#include <sanitizer/lsan_interface.h>
#endif

namespace fuzz {

/// How many threads the process has.
inline std::size_t threads() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Looks if the process comes down to so many threads, as it does shortly after a runtime has ended.
inline void look_for_leaks(std::size_t threads_before) {
  constexpr std::chrono::milliseconds patience{100};
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (threads() > threads_before) {
    if (std::chrono::steady_clock::now() > deadline) {
      return;
    }
    std::this_thread::yield();
  }
#ifdef FUZZ_LOOKS_FOR_LEAKS
  require(__lsan_do_recoverable_leak_check() == 0, "nothing is leaked");
#endif
}

}  // namespace fuzz
