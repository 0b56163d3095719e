// What a point in the program is ordered after: for each stream, the last task that happens before it.
//
// This is a vector clock, kept as a sorted list since most points know few streams. Copies share the list
// until one of them changes: a clock goes along with each message, and changes rarely. A clock itself is for
// one thread at a time; copies of it may be used by others.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "memory/identifiers.hpp"

namespace soma::memory {

/// A clock of so many streams is worth the question what of it can be forgotten.
inline constexpr std::size_t long_clock = 64;

class order_clock {
public:
  order_clock() noexcept = default;
  order_clock(const order_clock& other) noexcept : list_(other.list_) {
    if (list_ != nullptr) {
      list_->users.fetch_add(1, std::memory_order_relaxed);
    }
  }
  order_clock(order_clock&& other) noexcept : list_(std::exchange(other.list_, nullptr)) {}
  order_clock& operator=(order_clock other) noexcept {
    std::swap(list_, other.list_);
    return *this;
  }
  ~order_clock() { let_go(list_); }

  /// The last task of the stream that happens before this point; none if there is none.
  [[nodiscard]] sequence_number of(stream_id stream) const noexcept;

  /// Whether the task happens before this point.
  [[nodiscard]] bool covers(position task) const noexcept { return of(task.stream) >= task.sequence; }

  /// Adds one task, and with it all tasks of its stream before it. Returns whether that was new.
  bool add(position task);

  /// Adds everything that the other point is ordered after. Returns whether any of it was new.
  bool add(const order_clock& other);

  /// Forgets what the other point is ordered after as well: of each stream that it knows as far as this one.
  void forget(const order_clock& other);

  [[nodiscard]] bool empty() const noexcept { return list_ == nullptr; }

  /// One for each stream, by rising stream id.
  [[nodiscard]] const std::vector<position>& positions() const noexcept;

  friend bool operator==(const order_clock& one, const order_clock& other) noexcept {
    return one.list_ == other.list_ || one.positions() == other.positions();
  }

private:
  // Nobody changes the positions while there is more than one user.
  struct list {
    std::atomic<std::uint32_t> users{1};
    std::vector<position> positions;
  };

  static void let_go(list* of) noexcept {
    if (of != nullptr && of->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete of;
    }
  }

  std::vector<position>& own();
  void replace(list* by) noexcept { let_go(std::exchange(list_, by)); }

  list* list_ = nullptr;  // null, or with a position at least
};

}  // namespace soma::memory
