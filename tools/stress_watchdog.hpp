// Sees whether a stress run still gets on.
//
// The one place of the project where real time decides: a hang can show in no other way.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace soma::tools {

class stress_watchdog {
public:
  /// `progress` returns a number that changes whenever something is completed; when it has stayed the same
  /// for `patience`, `hung` is called, once. Both are called on the watchdog's thread.
  stress_watchdog(std::chrono::milliseconds patience, std::function<std::uint64_t()> progress,
                  std::function<void()> hung);
  stress_watchdog(const stress_watchdog&) = delete;
  stress_watchdog& operator=(const stress_watchdog&) = delete;

  /// Stops watching.
  ~stress_watchdog();

private:
  void watch(std::chrono::milliseconds patience);

  std::function<std::uint64_t()> progress_;
  std::function<void()> hung_;
  std::mutex stopping_;  // guards stopped_
  std::condition_variable stop_asked_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace soma::tools
