// A hook on the requests to the operating system that makes some of them fail.
#pragma once

#include <atomic>
#include <cerrno>
#include <initializer_list>
#include <set>

#include "memory/system_hook.hpp"

namespace support {

using soma::memory::system_request;

/// In place as long as it exists. Counts the requests of the given kinds, and makes the n-th fail, or all
/// from the n-th on.
class failing_system final : public soma::memory::system_hook {
public:
  enum class how { once, from_then_on };

  failing_system(std::initializer_list<system_request> kinds, int nth, how often = how::once)
      : kinds_(kinds), nth_(nth), often_(often) {
    soma::memory::install(this);
  }

  ~failing_system() override { soma::memory::install(nullptr); }

  failing_system(const failing_system&) = delete;
  failing_system& operator=(const failing_system&) = delete;
  failing_system(failing_system&&) = delete;
  failing_system& operator=(failing_system&&) = delete;

  int before(system_request request) override {
    if (is_over_ || !kinds_.contains(request)) {
      return 0;
    }
    const int number = ++count_;
    if (number != nth_ && (number < nth_ || often_ == how::once)) {
      return 0;
    }
    ++failed_;
    return ENOMEM;
  }

  /// From now on nothing fails.
  void end() { is_over_ = true; }

  [[nodiscard]] int failed() const { return failed_; }

private:
  std::set<system_request> kinds_;
  int nth_;
  how often_;
  std::atomic<bool> is_over_{false};
  std::atomic<int> count_{0};
  std::atomic<int> failed_{0};
};

}  // namespace support
