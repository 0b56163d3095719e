// Writes down what a program asks of its pools, as the trace that `soma replay` reads: SOMA_RECORD=file.
//
// The recorder is one for the process, whatever runtimes there are. It is looked at by every call that it is
// about, which costs a load and a branch while it is off; on, it is a lock and a row in a buffer. It never
// makes a call fail: what it cannot write it tells on standard error, once, and stops.
//
// A free has its row before the pool is told of it, so that the row stands in front of the malloc that gets
// the memory next; the row is kept back from the file until the free has succeeded. docs/recording.md says
// what a trace can tell of a program and what it cannot.
#pragma once

#include <atomic>
#include <cstdint>

#include "api/cpp/ends.hpp"

namespace soma::detail {

/// Marks a free that is being made.
struct begun_free {
  void* output = nullptr;  ///< null: nothing is recorded of it
  std::uint64_t row = 0;
};

class recorder {
public:
  /// The recorder; null while nothing is recorded.
  static recorder* active() noexcept { return active_.load(std::memory_order_acquire); }

  /// Starts recording if the environment asks for it; only the first call of the process does anything.
  static void start_from_environment() noexcept;

  /// Writes what has been recorded so far to its files. Does nothing if nothing is recorded.
  static void flush_all() noexcept;

  virtual void allocated(const pool_end& pool, const stream_end& on, memory::address block,
                         std::uint64_t bytes) noexcept = 0;

  /// To be called before the pool is told; `on` is null for a free at once, by the host.
  virtual begun_free begin_free(memory::address block, const stream_end* on) noexcept = 0;
  virtual void end_free(const begun_free& begun, bool succeeded) noexcept = 0;

  /// How much has been recorded: to be asked before a synchronise begins to wait.
  virtual std::uint64_t now() noexcept = 0;

  /// A synchronise has returned: the host has seen all complete that the stream, or each stream of the
  /// device, had been given when this much had been recorded.
  virtual void synchronized(const stream_end& stream, std::uint64_t since) noexcept = 0;
  virtual void synchronized(const device_end& device, std::uint64_t since) noexcept = 0;

  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  virtual ~recorder() = default;

protected:
  recorder() = default;

  static inline std::atomic<recorder*> active_{nullptr};
};

/// While it lives, synchronises of the calling thread are not recorded: they are the library's own.
class unrecorded_synchronizes {
public:
  unrecorded_synchronizes() noexcept { ++depth_; }
  unrecorded_synchronizes(const unrecorded_synchronizes&) = delete;
  unrecorded_synchronizes& operator=(const unrecorded_synchronizes&) = delete;
  ~unrecorded_synchronizes() { --depth_; }

  static bool any() noexcept { return depth_ != 0; }

private:
  static inline thread_local unsigned depth_ = 0;
};

/// Records a synchronise from its beginning to its end.
template <class End>
class recorded_synchronize {
public:
  explicit recorded_synchronize(const End& end) noexcept : end_(end), recorder_(recorder::active()) {
    if (recorder_ != nullptr) [[unlikely]] {
      recorder_ = unrecorded_synchronizes::any() ? nullptr : recorder_;
      since_ = recorder_ == nullptr ? 0 : recorder_->now();
    }
  }

  /// The host has seen what it waited for.
  void done() noexcept {
    if (recorder_ != nullptr) [[unlikely]] {
      recorder_->synchronized(end_, since_);
    }
  }

private:
  const End& end_;
  recorder* recorder_;
  std::uint64_t since_ = 0;
};

/// Records a free, from before the pool is told of it.
class recorded_free {
public:
  recorded_free(memory::address block, const stream_end* on) noexcept : recorder_(recorder::active()) {
    if (recorder_ != nullptr) [[unlikely]] {
      begun_ = recorder_->begin_free(block, on);
    }
  }
  recorded_free(const recorded_free&) = delete;
  recorded_free& operator=(const recorded_free&) = delete;

  /// Takes the row back if the free has failed.
  ~recorded_free() {
    if (recorder_ != nullptr) [[unlikely]] {
      recorder_->end_free(begun_, succeeded_);
    }
  }

  void done() noexcept { succeeded_ = true; }

private:
  recorder* recorder_;
  begun_free begun_;
  bool succeeded_ = false;
};

}  // namespace soma::detail
