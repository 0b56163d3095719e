#include "actors/value_work.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include "actors/foreign_code.hpp"

namespace soma::actors {

namespace {

bool passes(std::uint64_t word, std::uint64_t value, messages::value_test test) noexcept {
  switch (test) {
  case messages::value_test::at_least:
    return static_cast<std::int64_t>(word - value) >= 0;
  case messages::value_test::equal:
    return word == value;
  case messages::value_test::any_bit:
    return (word & value) != 0;
  case messages::value_test::missing_bit:
    return ~(word | value) != 0;
  }
  return false;
}

// Looks at the word; takes it away if it passes and is to be cleared, unless another waiter was first.
bool take(const messages::await_value& wait) noexcept {
  auto word = __atomic_load_n(wait.at, __ATOMIC_ACQUIRE);
  if (!passes(word, wait.value, wait.test)) {
    return false;
  }
  return !wait.clear ||
         __atomic_compare_exchange_n(wait.at, &word, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

// How long a thread that waits sleeps between two looks: not at all in the beginning, then longer and longer.
class pause {
public:
  void rest() {
    if (looks_ < without_sleep) {
      ++looks_;
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(next_);
      next_ = std::min(2 * next_, longest);
    }
  }

private:
  static constexpr int without_sleep = 64;
  static constexpr std::chrono::microseconds longest{500};
  int looks_ = 0;
  std::chrono::microseconds next_{4};
};

}  // namespace

void store(const messages::write_value& write) noexcept {
  __atomic_store_n(write.at, write.value, __ATOMIC_RELEASE);
}

std::optional<messages::fault> wait_for(const messages::await_value& wait) {
  const auto since = std::chrono::steady_clock::now();
  for (pause between; !take(wait); between.rest()) {
    if (stop_is_wished()) {
      return messages::fault{messages::fault_code::task_stopped, "a wait for a value was stopped"};
    }
    if (wait.limit > wait.limit.zero() && std::chrono::steady_clock::now() - since > wait.limit) {
      const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(wait.limit);
      return messages::fault{messages::fault_code::task_timed_out,
                             "a wait for a value did not end within its limit of " +
                                 std::to_string(limit.count()) + " milliseconds"};
    }
  }
  return std::nullopt;
}

}  // namespace soma::actors
