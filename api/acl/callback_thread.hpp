// Threads of the program that call its functions when streams have got there.
//
// A stream's task puts a call into its thread's queue, and, if the stream is to wait for it, blocks the
// engine until the thread has made it, or nobody will: the stream was unsubscribed, or its task is to end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace soma::acl {

class callback_thread;

/// The calls that a thread is to make, for all of its streams.
class callback_queue {
public:
  /// Makes the calls that are ready; waits for one if there is none. False if none came in time.
  bool process(std::optional<std::chrono::milliseconds> limit);

private:
  friend class callback_thread;

  struct entry {
    const callback_thread* stream;
    std::function<void()> call;
    std::shared_ptr<bool> done;  // null if nobody waits
  };

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<entry> entries_;
};

/// The thread of one stream, from its subscription to the end of that. Tasks that are queued keep it.
class callback_thread {
public:
  explicit callback_thread(std::shared_ptr<callback_queue> queue) : queue_(std::move(queue)) {}

  /// From a task of the stream. A call that comes after the end is dropped.
  void put(std::function<void()> call, bool wait);

  /// Drops the calls that were not made.
  void end();

  [[nodiscard]] const std::shared_ptr<callback_queue>& queue() const noexcept { return queue_; }

private:
  std::shared_ptr<callback_queue> queue_;
  bool ended_ = false;  // guarded by the queue's lock
};

/// The threads that streams are subscribed to, for one kind of call. Never destroyed.
class callback_threads {
public:
  /// The thread of this number for one more stream of this device. Null if it serves another device.
  std::shared_ptr<callback_thread> subscribe(std::uint64_t thread, std::uint32_t device);

  /// One stream less; the thread is forgotten with the last.
  void unsubscribe(std::uint64_t thread);

  /// What the thread of this number is to call; null if no stream is subscribed to it.
  std::shared_ptr<callback_queue> find(std::uint64_t thread);

private:
  struct entry {
    std::shared_ptr<callback_queue> queue;
    std::uint32_t device;
    std::size_t streams;
  };

  std::mutex lock_;
  std::map<std::uint64_t, entry> entries_;
};

}  // namespace soma::acl
