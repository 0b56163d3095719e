// Threads of the program that call its functions when streams have got there.
//
// A stream's task puts a call into the thread's queue, and, if the stream is to wait for it, blocks the
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

class callback_thread {
public:
  /// From a task of the stream with this handle.
  void put(const void* stream, std::function<void()> call, bool wait);

  /// Makes the calls that are ready; waits for one if there is none. False if none came in time.
  bool process(std::optional<std::chrono::milliseconds> limit);

  /// No stream with this handle counts on the thread any more: drops its calls.
  void drop(const void* stream);

private:
  struct entry {
    const void* stream;
    std::function<void()> call;
    std::shared_ptr<bool> done;  // null if nobody waits
  };

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<entry> entries_;
};

/// The threads that streams are subscribed to, for one kind of call. Never destroyed.
class callback_threads {
public:
  /// The thread of this number for streams of this device; made if there is none. Null if it serves another
  /// device. Counts one more stream of it.
  std::shared_ptr<callback_thread> subscribe(std::uint64_t thread, std::uint32_t device);

  /// One stream less; the thread is forgotten with the last.
  void unsubscribe(std::uint64_t thread);

  /// Null if no stream is subscribed to it.
  std::shared_ptr<callback_thread> find(std::uint64_t thread);

private:
  struct entry {
    std::shared_ptr<callback_thread> thread;
    std::uint32_t device;
    std::size_t streams;
  };

  std::mutex lock_;
  std::map<std::uint64_t, entry> entries_;
};

}  // namespace soma::acl
