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

struct stream_options {
  /// A blocking stream and its device's default stream wait for each other: a task of the default stream
  /// starts after the tasks that were submitted to blocking streams before it, and the other way round. So a
  /// synchronize of the default stream waits for blocking streams too.
  bool blocking = false;
  failure_mode on_failure = failure_mode::proceed;
  /// Streams of one device that have the same group (other than 0) and the mode stop, stop together.
  std::uint64_t failure_group = 0;
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

  [[nodiscard]] const void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::shared_ptr<const std::byte[]>& owner() const noexcept { return owner_; }

private:
  std::shared_ptr<const std::byte[]> owner_;
  const void* data_ = nullptr;
  std::size_t bytes_ = 0;
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
                        place at = place::here());

  /// As above, with all that the kernel uses; the arguments are not looked at.
  expected<void> launch(const kernel& function, const launch_arguments& arguments, std::uint32_t blocks,
                        std::span<const access> accesses, place at = place::here());

  /// Queues a function of the host. It runs on a thread of the device; an exception is a failed task.
  expected<void> call(std::function<void()> function, place at = place::here());

  /// As above, with the device memory that the function uses, for the race detector.
  expected<void> call(std::function<void()> function, std::span<const access> accesses,
                      place at = place::here());

  /// Queues a copy of `bytes` bytes; the ranges may overlap. Both must be valid until the task has run.
  expected<void> copy(void* destination, const void* source, std::size_t bytes, place at = place::here());

  /// As call, for work that is not the program's own: its failure is told by `name`, a literal.
  expected<void> built_in(const char* name, std::function<void()> function, std::span<const access> accesses,
                          place at = place::here());

  /// Queues setting `bytes` bytes to `value`.
  expected<void> fill(void* destination, std::uint8_t value, std::size_t bytes, place at = place::here());

  /// Queues a record of the event: the event then stands for everything submitted to this stream so far.
  expected<void> record(event& recorded);

  /// Makes what is submitted to this stream from now on wait for the event's latest record. An event that
  /// was never recorded is no wait at all.
  expected<void> wait(const event& awaited);

  /// Waits until everything submitted so far has run. Errors: task_failed if a task has failed since the
  /// last synchronize (the stream is clean again afterwards), not_permitted, invalid_handle.
  /// At its end pools give idle memory above their threshold back.
  expected<void> synchronize();

  /// As synchronize, but waits at most this long: timed_out, and the work goes on.
  expected<void> synchronize_for(std::chrono::milliseconds limit);

  /// True if everything submitted so far has run. Never waits for tasks.
  [[nodiscard]] expected<bool> query() const;

  /// Changes what happens after a failed task. Errors: invalid_argument for going back from stop to proceed.
  expected<void> set_failure_mode(failure_mode mode);

  /// The implementation's end of the stream; of no use outside of the library.
  [[nodiscard]] const std::shared_ptr<detail::stream_end>& end() const noexcept { return end_; }
  explicit stream(std::shared_ptr<detail::stream_end> end) noexcept;

private:
  std::shared_ptr<detail::stream_end> end_;
};

}  // namespace soma
