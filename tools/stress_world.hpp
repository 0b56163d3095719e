// What the threads of a stress run share: a device with streams, pools and events, and a queue of blocks that
// one thread hands to another.
//
// Threads use a stream together, and so one of them may end it only where no other is between two calls that
// belong together. shared_stream sees to that. Its lock, and that of a place in a table, is taken in shared
// mode by users, which orders them with the one who replaces, but not with each other.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "soma/soma.hpp"
#include "tools/stress.hpp"
#include "tools/stress_tasks.hpp"

namespace soma::tools {

class shared_stream {
public:
  /// `last` will stand for all that the stream was given.
  shared_stream(stream made, event last)
      : owned_(std::move(made)), stream_(&*owned_), last_(std::move(last)) {}

  /// The default stream of a device, which outlives this object and cannot be retired.
  explicit shared_stream(stream& lasting) noexcept : stream_(&lasting) {}

  /// Calls `submit` with the stream, which lives on meanwhile. Returns false, and calls nothing, if it is
  /// retired.
  template <class Submit>
  bool use(Submit submit) {
    const std::shared_lock lock(using_);
    if (retired_) {
      return false;
    }
    submit(*stream_);
    return true;
  }

  /// Records the last event and destroys the stream. Only the first call does something; it returns the first
  /// error.
  expected<void> retire();

  /// The stream for calls that may meet its end, then invalid_handle is a right answer.
  [[nodiscard]] stream& unguarded() noexcept { return *stream_; }

  /// Precondition: use returned false.
  [[nodiscard]] const event& last() const noexcept { return *last_; }

  [[nodiscard]] bool can_retire() const noexcept { return owned_.has_value(); }
  [[nodiscard]] bool retired() const {
    const std::shared_lock lock(using_);
    return retired_;
  }
  /// True once destroy has returned: every call must now be refused.
  [[nodiscard]] bool destroyed() const noexcept { return destroyed_.load(std::memory_order_acquire); }

private:
  std::optional<stream> owned_;
  stream* stream_;
  std::optional<event> last_;
  mutable std::shared_mutex using_;
  bool retired_ = false;
  std::atomic<bool> destroyed_{false};
};

/// Calls that meet the pool's end get invalid_handle; `retired` is set before it.
struct shared_pool {
  shared_pool(pool made, std::uint64_t with_number) : object(std::move(made)), number(with_number) {}

  pool object;
  std::uint64_t number;  ///< from 1
  std::atomic<bool> retired{false};
};

/// A fixed number of places, each with an object that can be replaced at any time.
template <class T>
class shared_table {
public:
  explicit shared_table(std::size_t size) : places_(size) {}

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }

  [[nodiscard]] std::shared_ptr<T> get(std::size_t index) const {
    const std::shared_lock lock(places_[index].changing);
    return places_[index].object;
  }

  /// Returns what was there.
  std::shared_ptr<T> set(std::size_t index, std::shared_ptr<T> object) {
    const std::unique_lock lock(places_[index].changing);
    places_[index].object.swap(object);
    return object;
  }

private:
  struct place {
    mutable std::shared_mutex changing;
    std::shared_ptr<T> object;
  };

  std::vector<place> places_;
};

/// A block with those who know it.
struct live_block {
  stamped_block block;
  std::shared_ptr<shared_stream> own;
  std::shared_ptr<shared_pool> pool;  ///< null: plain memory
};

class stress_world {
public:
  static expected<std::unique_ptr<stress_world>> create(const stress_settings& settings);

  stress_world(const stress_settings& with, soma::runtime made, soma::device first, soma::device second);

  [[nodiscard]] expected<std::shared_ptr<shared_stream>> make_stream(bool blocking);
  [[nodiscard]] expected<std::shared_ptr<shared_pool>> make_pool();

  /// Leaves the block to whoever takes it; returns false if too many are there already.
  bool hand_over(live_block block);
  std::optional<live_block> take_over();

  const stress_settings& settings;
  soma::runtime runtime;
  soma::device device;
  soma::device other_device;  ///< for calls that mix devices
  stress_findings findings;
  shared_table<shared_stream> streams;  ///< the last is the default stream
  shared_table<shared_pool> pools;
  std::vector<event> events;                      ///< recorded and waited for by all threads
  std::atomic<std::uint64_t> submitted_tasks{0};  ///< relaxed; findings.tasks() of them ran

private:
  expected<void> fill();

  std::atomic<std::uint64_t> pools_made_{0};
  std::mutex handing_;  // guards what follows
  std::deque<live_block> handed_;
};

}  // namespace soma::tools
