#include "tools/stress_watchdog.hpp"

#include <algorithm>
#include <utility>

namespace soma::tools {

stress_watchdog::stress_watchdog(std::chrono::milliseconds patience, std::function<std::uint64_t()> progress,
                                 std::function<void()> hung)
    : progress_(std::move(progress)), hung_(std::move(hung)), thread_([this, patience] { watch(patience); }) {
  // nop
}

stress_watchdog::~stress_watchdog() {
  {
    const std::lock_guard lock(stopping_);
    stopped_ = true;
  }
  stop_asked_.notify_one();
  thread_.join();
}

void stress_watchdog::watch(std::chrono::milliseconds patience) {
  const auto look_every =
      std::clamp(patience / 10, std::chrono::milliseconds(1), std::chrono::milliseconds(500));
  auto last = progress_();
  auto changed = std::chrono::steady_clock::now();
  std::unique_lock lock(stopping_);
  while (!stop_asked_.wait_for(lock, look_every, [this] { return stopped_; })) {
    const auto now = std::chrono::steady_clock::now();
    if (const auto current = progress_(); current != last) {
      last = current;
      changed = now;
    } else if (now - changed >= patience) {
      lock.unlock();
      hung_();
      return;
    }
  }
}

}  // namespace soma::tools
