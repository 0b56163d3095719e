// What a point in the program is ordered after: for each stream, the last task that happens before it.
//
// This is a vector clock, kept as a sorted list since most points know few streams; of many it is a tree,
// which shares most of itself with the clocks that it was made from. Copies share all until one of them
// changes: a clock goes along with each message, and changes rarely. A clock itself is for one thread at a
// time; copies of it may be used by others.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "memory/clock_tree.hpp"
#include "memory/identifiers.hpp"

namespace soma::memory {

/// A clock of so many streams is worth the question what of it can be forgotten.
inline constexpr std::size_t long_clock = 64;

class order_clock {
public:
  order_clock() noexcept = default;
  order_clock(const order_clock& other) noexcept : body_(other.body_) {
    if (body_ != nullptr) {
      body_->users.fetch_add(1, std::memory_order_relaxed);
    }
  }
  order_clock(order_clock&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  order_clock& operator=(order_clock other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~order_clock() { let_go(body_); }

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

  [[nodiscard]] bool empty() const noexcept { return body_ == nullptr; }

  /// The number of streams that it knows.
  [[nodiscard]] std::size_t size() const noexcept {
    return empty() ? 0 : body_->is_tree() ? body_->tree.size() : body_->list.size();
  }

  /// Visits the position of each stream, by rising stream id.
  template <class Visit>
  void for_each(Visit visit) const {
    if (empty()) {
      return;
    }
    if (body_->is_tree()) {
      body_->tree.for_each(visit);
      return;
    }
    for (const auto& task : body_->list) {
      visit(task);
    }
  }

  /// All of them as a list.
  [[nodiscard]] std::vector<position> positions() const;

  friend bool operator==(const order_clock& one, const order_clock& other);

private:
  // Never without a position: in the list, or in the tree if there are many. Nobody changes them while there
  // is more than one user.
  struct body {
    std::atomic<std::uint32_t> users{1};
    std::vector<position> list;
    clock_tree tree;

    [[nodiscard]] bool is_tree() const noexcept { return !tree.empty(); }
  };

  static void let_go(body* of) noexcept {
    if (of != nullptr && of->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete of;
    }
  }

  body& own();
  void replace(body* by) noexcept { let_go(std::exchange(body_, by)); }

  [[nodiscard]] static clock_tree tree_of(const body& of);
  bool add_to_list(const std::vector<position>& theirs);
  bool add_to_tree(const body& theirs);
  void forget_of_list(const order_clock& other);
  void replace_by(clock_tree tree);

  body* body_ = nullptr;
};

}  // namespace soma::memory
