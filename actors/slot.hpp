// A place for one answer that one thread waits for, with the system call futex: no lock, no condition
// variable, and a wait that can end by a time limit.
//
// Shared between the asking thread and the answer's token; whoever lets go last frees it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "messages/answer.hpp"
#include "messages/trace_id.hpp"

namespace soma::actors {

using deadline = std::optional<std::chrono::steady_clock::time_point>;  // none: wait for ever

class slot_base {
public:
  [[nodiscard]] bool filled() const noexcept { return state_.load(std::memory_order_acquire) == full; }

  /// The call that waits, for traces.
  void set_asking(messages::trace_id call) noexcept { asking_ = call; }

  /// The asker gives up. Returns false if it is too late for that: the slot is filled.
  bool abandon() noexcept;

  /// Blocks the thread until the slot is filled, or the deadline is over. Returns filled().
  bool wait_until(deadline limit) noexcept;

  slot_base(const slot_base&) = delete;
  slot_base& operator=(const slot_base&) = delete;

protected:
  slot_base() = default;
  ~slot_base() = default;

  /// Returns false if the asker has given up.
  bool publish() noexcept;

private:
  static constexpr std::uint32_t empty = 0;
  static constexpr std::uint32_t waited_for = 1;
  static constexpr std::uint32_t full = 2;
  static constexpr std::uint32_t abandoned = 3;

  std::atomic<std::uint32_t> state_{empty};
  messages::trace_id asking_ = messages::trace_id::none;
};

template <class T>
class slot final : public slot_base {
public:
  /// Returns false if the asker has given up.
  bool fill(messages::result<T> value) {
    value_.emplace(std::move(value));
    return publish();
  }

  /// Precondition: filled().
  messages::result<T> take() { return std::move(*value_); }

private:
  std::optional<messages::result<T>> value_;
};

}  // namespace soma::actors
