// The feed of a run: tasks that a stream adds to the run that an engine has, without a message.
//
// A ring with one writer, whoever runs the stream, and one reader, the engine that has the run. Nobody closes
// it: an engine that ends its run stops reading, and what it has not taken the stream takes back when it is
// told of the run's end. So a task that is pushed too late is not lost, and nothing has to be agreed upon.
//
// Invariants:
//   F1  What is in the feed comes behind the tasks of the run and in front of all others of the stream.
//   F2  The stream pushes only while an engine has the run, and takes back only when none has it any more.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "messages/engine.hpp"

namespace soma::messages {

class task_feed {
public:
  static constexpr std::uint32_t capacity = 64;

  task_feed() = default;
  ~task_feed() { clear(); }
  task_feed(const task_feed&) = delete;
  task_feed& operator=(const task_feed&) = delete;

  // -- the stream ---------------------------------------------------------------------------------

  /// Returns false, and leaves the task alone, if the feed is full.
  [[nodiscard]] bool push(work& task) {
    const auto at = pushed_.load(std::memory_order_relaxed);
    if (at - room_from_ == capacity) {
      room_from_ = taken_.load(std::memory_order_acquire);
      if (at - room_from_ == capacity) {
        return false;
      }
    }
    if (ring_ == nullptr) {
      ring_ = std::make_unique_for_overwrite<ring>();
    }
    std::construct_at(ring_->place(at), std::move(task));
    pushed_.store(at + 1, std::memory_order_release);
    return true;
  }

  /// Nothing more is pushed into this run: the engine need not look for it.
  void end() noexcept { ended_.store(true, std::memory_order_release); }

  /// For the next run. Precondition: it is empty, and no engine has it.
  void begin() noexcept {
    pushed_.store(0, std::memory_order_relaxed);
    taken_.store(0, std::memory_order_relaxed);
    room_from_ = 0;
    ended_.store(false, std::memory_order_relaxed);
  }

  /// How many tasks the engine has taken since begin(). Precondition: no engine has it.
  [[nodiscard]] std::uint32_t taken() const noexcept { return taken_.load(std::memory_order_relaxed); }

  /// Drops what the engine has not taken. Precondition: no engine has it.
  void clear() noexcept {
    while (!empty()) {
      static_cast<void>(take());
    }
  }

  /// Gives back the memory. Precondition: it is empty, and no engine has it.
  void release() noexcept { ring_.reset(); }

  // -- the engine (the stream, when no engine has it) ---------------------------------------------

  /// Whether there is no task now.
  [[nodiscard]] bool empty() const noexcept {
    return taken_.load(std::memory_order_relaxed) == pushed_.load(std::memory_order_acquire);
  }

  /// The next task, which is in the feed no more. Precondition: it is not empty.
  [[nodiscard]] work take() noexcept {
    const auto at = taken_.load(std::memory_order_relaxed);
    auto* const place = ring_->place(at);
    auto taken = std::move(*place);
    std::destroy_at(place);
    taken_.store(at + 1, std::memory_order_release);
    return taken;
  }

  [[nodiscard]] bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }

private:
  static constexpr std::size_t cache_line = 64;

  // Memory without tasks in it; each begins on a cache line of its own, since two threads use neighbours.
  class ring {
  public:
    [[nodiscard]] work* place(std::uint32_t number) noexcept {
      return reinterpret_cast<work*>(places_[number % capacity].bytes.data());
    }

  private:
    struct alignas(cache_line) one_place {
      alignas(work) std::array<std::byte, sizeof(work)> bytes;
    };
    std::array<one_place, capacity> places_;
  };

  // What the writer writes, and the reader looks at, ...
  alignas(cache_line) std::atomic<std::uint32_t> pushed_{0};
  std::atomic<bool> ended_{true};
  std::uint32_t room_from_ = 0;  // as taken_ was when the writer looked last
  std::unique_ptr<ring> ring_;
  // ... and what the reader writes.
  alignas(cache_line) std::atomic<std::uint32_t> taken_{0};
};

}  // namespace soma::messages
