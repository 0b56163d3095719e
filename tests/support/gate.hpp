// What tests use to force an order between tasks, without sleeping and without measuring time.
//
// A gate blocks the tasks that pass it until it is opened; its destructor opens it, so that a failed
// assertion leaves nothing blocked. A witness notes whether it ran before or after a gate was opened. Their
// tasks may outlive the objects themselves. How a task is queued is in acl_fixture.hpp and cpp_fixture.hpp.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <thread>

namespace support {

/// How long a test waits for something that has to happen, before it counts as failed.
inline constexpr std::chrono::seconds patience{30};

/// How long a test waits where the wait has to run out: it looks at the result, not at the time.
inline constexpr std::chrono::milliseconds short_wait{10};

/// A release threshold that keeps all.
inline constexpr std::uint64_t keep_all = std::numeric_limits<std::uint64_t>::max();

inline namespace literals {
/// 2^20 bytes.
constexpr std::size_t operator""_M(unsigned long long count) { return static_cast<std::size_t>(count) << 20; }
}  // namespace literals

/// Waits until the condition holds; false if it does not in time.
template <class Condition>
bool eventually(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

/// Where a block starts, as a number.
inline std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// True if `bytes` bytes at `inner` lie within `outer_bytes` bytes at `outer`.
inline bool inside(const void* inner, std::size_t bytes, const void* outer, std::size_t outer_bytes) {
  return number(inner) >= number(outer) && number(inner) + bytes <= number(outer) + outer_bytes;
}

/// True if two ranges share no byte.
inline bool apart(const void* one, std::size_t one_bytes, const void* other, std::size_t other_bytes) {
  return number(one) + one_bytes <= number(other) || number(other) + other_bytes <= number(one);
}

/// True if all bytes have this value.
inline bool all_bytes_are(const void* bytes, std::size_t count, std::uint8_t value) {
  const auto* first = static_cast<const std::uint8_t*>(bytes);
  return count == 0 || (*first == value && std::memcmp(first, first + 1, count - 1) == 0);
}

inline void* advance(void* address, std::size_t bytes) { return static_cast<std::byte*>(address) + bytes; }

class gate {
public:
  gate() = default;

  ~gate() { open(); }

  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  gate(gate&&) = delete;
  gate& operator=(gate&&) = delete;

  void open() const noexcept {
    shared_->open.store(true);
    shared_->open.notify_all();
  }

  /// True once as many tasks as this have come to the gate.
  [[nodiscard]] bool wait_until_started(int tasks = 1) const {
    return eventually([&] { return shared_->started.load() >= tasks; });
  }

  /// A task that blocks until the gate is open.
  [[nodiscard]] std::function<void()> task() const {
    return [shared = shared_] {
      shared->started.fetch_add(1);
      shared->open.wait(false);
    };
  }

  /// Asks later, from anywhere, whether the gate is open.
  [[nodiscard]] std::function<bool()> asks_open() const {
    return [shared = shared_] { return shared->open.load(); };
  }

private:
  struct shared_part {
    std::atomic<bool> open{false};
    std::atomic<int> started{0};
  };

  std::shared_ptr<shared_part> shared_ = std::make_shared<shared_part>();
};

class witness {
public:
  /// A witness that only notes that it ran.
  witness() : is_open_([] { return true; }) {}

  /// A witness that also notes whether the gate was open by then.
  explicit witness(const gate& watched) : is_open_(watched.asks_open()) {}

  [[nodiscard]] std::function<void()> task() const {
    return [seen = seen_, is_open = is_open_] { seen->store(is_open() ? 2 : 1); };
  }

  [[nodiscard]] bool ran() const { return seen_->load() != 0; }

  [[nodiscard]] bool ran_behind_the_gate() const { return seen_->load() == 2; }

  [[nodiscard]] bool wait_until_ran() const {
    return eventually([this] { return ran(); });
  }

private:
  std::function<bool()> is_open_;
  std::shared_ptr<std::atomic<int>> seen_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace support
