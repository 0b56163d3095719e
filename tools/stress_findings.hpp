// What a stress run found wrong, and what it verified. Any thread may add to it.
//
// Counts are relaxed atomics and findings are rare, so that the account adds no order between threads that
// the library itself would have to make.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace soma::tools {

class stress_findings {
public:
  explicit stress_findings(std::uint64_t seed) noexcept : seed_(seed) {}

  /// Keeps the first ten, each with the seed behind it.
  void add(const std::string& finding);

  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::vector<std::string> all() const;

  void count_task() noexcept { tasks_.fetch_add(1, std::memory_order_relaxed); }
  void count_check(std::uint64_t verified, std::uint64_t bytes) noexcept;

  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t checks() const noexcept { return checks_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t verified() const noexcept { return verified_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

private:
  std::uint64_t seed_;
  std::atomic<bool> any_{false};
  std::atomic<std::uint64_t> tasks_{0};
  std::atomic<std::uint64_t> checks_{0};
  std::atomic<std::uint64_t> verified_{0};
  std::atomic<std::uint64_t> bytes_{0};
  mutable std::mutex adding_;  // guards what follows
  std::vector<std::string> found_;
};

}  // namespace soma::tools
