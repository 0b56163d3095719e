// Makes a hang a failure: the process is aborted, with a text, if the object is not destroyed in time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace support {

class watchdog {
public:
  watchdog(std::chrono::seconds limit, std::string watched)
      : watched_(std::move(watched)), thread_([this, limit] { watch(limit); }) {}

  ~watchdog() {
    {
      const std::lock_guard guard(lock_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  watchdog(watchdog&&) = delete;
  watchdog& operator=(watchdog&&) = delete;

private:
  void watch(std::chrono::seconds limit) {
    std::unique_lock guard(lock_);
    if (!changed_.wait_for(guard, limit, [this] { return over_; })) {
      std::fprintf(stderr, "hang: %s was not over after %lld seconds\n", watched_.c_str(),
                   static_cast<long long>(limit.count()));
      std::abort();
    }
  }

  std::string watched_;
  std::mutex lock_;  // guards over_
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace support
