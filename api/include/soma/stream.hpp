// Streams: tasks are executed in the order in which they were submitted.
//
// Every call may be made from any thread; calls from several threads on one stream are ordered by their
// arrival. A call that submits a task returns when the task is queued, not when it has run: an error of the
// task itself is returned by the stream's next synchronize. Kernels and host functions may not call anything
// here that submits or waits (not_permitted); query, id and the like they may.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>

#include "soma/error.hpp"
#include "soma/export.hpp"
#include "soma/kernel.hpp"
#include "soma/place.hpp"

namespace soma {

class event;

/// What a stream does after a task has failed.
enum class failure_mode : std::uint8_t {
  proceed,  ///< later tasks run; the error is returned by the next synchronize
  stop,     ///< later kernels, copies, fills and host functions are dropped and new ones refused
};

/// How a stream is made.
struct stream_options {
  /// A blocking stream and its device's default stream wait for each other: a task of the default stream
  /// starts after the tasks that were submitted to blocking streams before it, and the other way round. So a
  /// synchronize of the default stream waits for blocking streams too.
  bool blocking = false;
  failure_mode on_failure = failure_mode::proceed;
  /// Streams of one device that have the same group (other than 0) and the mode stop, stop together. One that
  /// is made with this mode after its group has stopped is stopped from the start.
  std::uint64_t failure_group = 0;
  /// From 0, the highest. It is noted, but all streams are served alike.
  std::uint32_t priority = 0;
  /// Bits of the program's own, to be read again.
  std::uint32_t flags = 0;
};

/// What is noted of a stream for others to read. Nothing of it changes how tasks are executed.
enum class stream_note : std::uint8_t {
  priority,
  flags,
  overflow_check,
  custom_tag,
  cache_operators,
  cube_cores,    ///< the most that tasks are to use; 0: no limit of its own
  vector_cores,  ///< the same
};

/// How a stream compares a word in memory with a value.
enum class value_test : std::uint8_t {
  at_least,  ///< word - value, as a signed number, is not below 0
  equal,
  any_bit,      ///< a bit of the value is set in the word
  missing_bit,  ///< some bit is set in neither
};

/// What a stream waits for in memory.
struct value_condition {
  std::uint64_t value = 0;
  value_test test = value_test::equal;
  bool clear = false;                     ///< set the word to 0 when it passes, as one step
  std::chrono::nanoseconds limit{0};      ///< then the wait is a failed task (task_timed_out); 0: none
  std::shared_ptr<void> owner = nullptr;  ///< kept as long as the task, if it keeps the word's memory
};

/// How a kernel gets its arguments.
class SOMA_API launch_arguments {
public:
  /// No arguments: the kernel gets a null pointer and 0 bytes.
  launch_arguments() = default;

  /// The bytes are copied at the call; the caller may reuse them at once.
  static launch_arguments copied(const void* arguments, std::size_t bytes);

  /// The value's bytes are copied at the call.
  template <class T>
  static launch_arguments value(const T& arguments) {
    static_assert(std::is_trivially_copyable_v<T>);
    return copied(&arguments, sizeof(T));
  }

  /// The kernel reads the bytes where they are when it runs; they must stay valid until then.
  static launch_arguments in_place(const void* arguments, std::size_t bytes);

  /// The task keeps the buffer alive until it has run.
  static launch_arguments shared(std::shared_ptr<const std::byte[]> arguments, std::size_t bytes);

  /// The same with a number of the program's own, which it is told if the task fails.
  [[nodiscard]] launch_arguments tagged(std::uint64_t tag) const {
    auto made = *this;
    made.tag_ = tag;
    return made;
  }

  /// What was given. The owner is null for bytes that are read in place.
  [[nodiscard]] std::uint64_t tag() const noexcept { return tag_; }
  [[nodiscard]] const void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::shared_ptr<const std::byte[]>& owner() const noexcept { return owner_; }

private:
  std::shared_ptr<const std::byte[]> owner_;
  const void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t tag_ = 0;
};

/// Memory that a task uses, as a program declares it for the race detector. 0 bytes: from `begin` on, it is
/// not said how many.
struct access {
  const void* begin = nullptr;
  std::size_t bytes = 0;
  bool writes = false;
};

namespace detail {
class stream_end;
}

/// A handle to a stream, which is given up with it.
class SOMA_API stream {
public:
  stream(stream&&) noexcept;
  stream& operator=(stream&&) noexcept;
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  /// Gives the stream up; returns at once. Work that is queued completes, and its frees count.
  ~stream();

  /// The same as the destructor, with a result: invalid_handle if the stream is gone already.
  expected<void> destroy();

  /// A number that no other stream of the runtime has or ever gets.
  [[nodiscard]] std::uint64_t id() const noexcept;

  /// The index of the stream's device.
  [[nodiscard]] std::uint32_t device_index() const noexcept;

  /// Queues a kernel to be run for each block index below `blocks`.
  /// Errors: invalid_argument (no function, blocks is 0), stream_stopped, not_permitted, invalid_handle.
  /// For the race detector, every word of the arguments (each at a multiple of 8 bytes) that is an address in
  /// a block is a use of that block.
  expected<void> launch(const kernel& function, const launch_arguments& arguments, std::uint32_t blocks,
                        const place& at = place::here());

  /// As above, with all that the kernel uses; the arguments are not looked at.
  expected<void> launch(const kernel& function, const launch_arguments& arguments, std::uint32_t blocks,
                        std::span<const access> accesses, const place& at = place::here());

  /// Queues a function of the host. It runs on a thread of the device; an exception is a failed task.
  expected<void> call(std::function<void()> function, const place& at = place::here());

  /// As above, with the device memory that the function uses, for the race detector.
  expected<void> call(std::function<void()> function, std::span<const access> accesses,
                      const place& at = place::here());

  /// Queues a copy of `bytes` bytes; the ranges may overlap. Both must be valid until the task has run.
  expected<void> copy(void* destination, const void* source, std::size_t bytes,
                      const place& at = place::here());

  /// As call, for work that is not the program's own: its failure is told by `name`, a literal.
  expected<void> built_in(const char* name, std::function<void()> function, std::span<const access> accesses,
                          const place& at = place::here());

  /// Queues setting `bytes` bytes to `value`.
  expected<void> fill(void* destination, std::uint8_t value, std::size_t bytes,
                      const place& at = place::here());

  /// Queues a record of the event: the event then stands for everything submitted to this stream so far.
  expected<void> record(event& recorded);

  /// Makes what is submitted to this stream from now on wait for the event's latest record. An event that
  /// was never recorded is no wait at all.
  expected<void> wait(const event& awaited);

  /// As wait. A wait that takes longer than the limit, counted from when the stream gets there, is a failure
  /// (task_timed_out) that the next synchronize returns. It does not end before the record is executed, since
  /// memory may have been given to the stream on the strength of it. 0: no limit.
  expected<void> wait(const event& awaited, std::chrono::nanoseconds limit);

  /// Queues storing a value in a word at a multiple of 8 bytes. Errors: invalid_argument (null, unaligned).
  /// `owner` is kept as long as the task, if it keeps the word's memory.
  expected<void> write_value(std::uint64_t* word, std::uint64_t value, std::shared_ptr<void> owner = nullptr,
                             place at = place::here());

  /// Queues a wait until the word passes a test. It may be written by anybody: a task, the host, or another
  /// process. It orders nothing for memory pools and the race detector. Errors: as write_value.
  expected<void> wait_value(std::uint64_t* word, value_condition until, place at = place::here());

  /// Ends the task that is running, as soon as it can be: a kernel between two blocks, a host function when
  /// it asks (runtime::stop_requested), a wait for a value at once. It counts as failed (task_stopped), also
  /// if it had come to its end. What is queued behind it stays. Returns at once.
  expected<void> stop_task();

  /// Drops all work that was submitted so far, and ends the task that is running as stop_task does; returns
  /// when nothing of it runs any more. Frees, records and waits for events among it take effect. Who waits
  /// for the stream gets stream_aborted.
  expected<void> abort();

  /// What is noted of the stream.
  [[nodiscard]] expected<std::uint64_t> note(stream_note which) const;
  expected<void> set_note(stream_note which, std::uint64_t value);

  /// Waits until everything submitted so far has run. Errors: task_failed if a task has failed since the
  /// last synchronize (the stream is clean again afterwards), not_permitted, invalid_handle.
  /// At its end pools give idle memory above their threshold back.
  expected<void> synchronize();

  /// As synchronize, but waits at most this long: timed_out, and the work goes on.
  expected<void> synchronize_for(std::chrono::milliseconds limit);

  /// True if everything submitted so far has run. Never waits for tasks.
  [[nodiscard]] expected<bool> query() const;

  /// As query, but what has run does not count as seen by the host: memory pools and the race detector are
  /// told nothing. False for a stream that is gone.
  [[nodiscard]] bool has_run_all() const;

  /// Changes what happens after a failed task. Errors: invalid_argument for going back from stop to proceed.
  expected<void> set_failure_mode(failure_mode mode);

  /// The implementation's end of the stream; of no use outside of the library.
  [[nodiscard]] const std::shared_ptr<detail::stream_end>& end() const noexcept { return end_; }
  explicit stream(std::shared_ptr<detail::stream_end> end) noexcept;

private:
  std::shared_ptr<detail::stream_end> end_;
};

}  // namespace soma
