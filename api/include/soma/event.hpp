// Events: marks in a stream that other streams and the host can wait for.
//
// An event may be recorded any number of times; each record is one of its own. A wait or a query is about the
// latest record at the time of the call, and stays with it when the event is recorded again. Every call may
// be made from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "soma/error.hpp"
#include "soma/export.hpp"

namespace soma {

class stream;

namespace detail {
class event_end;
}

/// A handle to an event, which is given up with it.
class SOMA_API event {
public:
  event(event&&) noexcept;
  event& operator=(event&&) noexcept;
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  /// Gives the event up; returns at once. Waits that are queued keep their record.
  ~event();

  /// The same as the destructor, with a result: invalid_handle if the event is gone already.
  expected<void> destroy();

  /// A number that no other event of the runtime has or ever gets.
  [[nodiscard]] std::uint64_t id() const noexcept;

  /// The index of the event's device.
  [[nodiscard]] std::uint32_t device_index() const noexcept;

  /// True once the event was recorded (executed or not) and has not been reset since.
  [[nodiscard]] bool recorded() const noexcept;

  /// Forgets the records so far: from now on the event counts as never recorded, until it is recorded again.
  /// Waits that are queued keep their record. The reset takes its place among the calls on `ordered_by`.
  expected<void> reset(stream& ordered_by);

  /// True if the latest record has been executed, or there is none. Never waits for tasks.
  [[nodiscard]] expected<bool> query() const;

  /// Waits for the latest record; returns at once if there is none. Errors: task_failed if a task before the
  /// record failed and no synchronize has returned that yet, not_permitted, invalid_handle.
  /// At its end pools give idle memory above their threshold back.
  expected<void> synchronize();

  /// As synchronize, but waits at most this long: timed_out.
  expected<void> synchronize_for(std::chrono::milliseconds limit);

  /// When the latest record was executed, on the steady clock of this machine.
  /// Errors: not_recorded, not_complete, invalid_handle.
  [[nodiscard]] expected<std::chrono::steady_clock::time_point> time() const;

  /// The implementation's end of the event; of no use outside of the library.
  [[nodiscard]] const std::shared_ptr<detail::event_end>& end() const noexcept { return end_; }
  explicit event(std::shared_ptr<detail::event_end> end) noexcept;

private:
  std::shared_ptr<detail::event_end> end_;
};

}  // namespace soma
