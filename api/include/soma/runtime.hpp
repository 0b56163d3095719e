// The runtime: the simulated devices of a program and the actors behind them.
//
// A program may create more than one runtime; they share nothing. The parts (devices, streams, events, pools)
// may outlive the runtime object: the last of them to go ends the runtime. Ending waits for queued work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "soma/address_space.hpp"
#include "soma/check.hpp"
#include "soma/device.hpp"
#include "soma/error.hpp"
#include "soma/export.hpp"
#include "soma/metrics.hpp"

namespace soma {

/// A task that has failed, as the program is told of it.
struct failed_task {
  std::uint32_t device = 0;
  std::uint64_t stream = 0;  ///< its id
  std::uint64_t task = 0;    ///< its number in the stream
  std::uint64_t tag = 0;     ///< of the launch (launch_arguments::tagged); 0 for other tasks
  const error& why;
  /// Of a kernel, else null: what was launched, and its arguments, which are valid during the call only.
  kernel_function function = nullptr;
  const void* arguments = nullptr;
  std::size_t argument_bytes = 0;
};

/// How a runtime is made.
struct runtime_options {
  std::uint32_t devices = 1;
  /// The memory of each device in bytes, rounded up to whole granules. It is a budget: nothing is taken from
  /// the machine before it is touched.
  std::uint64_t device_memory = std::uint64_t{64} << 30;
  /// The most threads each device may use for kernels, copies, fills and host functions; 0 is no limit. With
  /// a limit, tasks that block each other across streams can hang.
  std::uint32_t engine_limit = 0;
  /// Switches the race detector on (soma/check.hpp). If nothing is said here, the environment variable
  /// SOMA_CHECK decides; off if it is not set.
  std::optional<check_options> check = std::nullopt;
  /// Called for each task that fails, on the thread of the device that ran it, before the stream goes on. The
  /// same calls are refused in it as in a kernel; what it throws is dropped.
  std::function<void(const failed_task&)> on_failed_task = nullptr;
  /// Whether device::malloc serves up to 2 MiB out of chunks of 2 MiB (plain_pool_statistics).
  bool plain_pool = false;
};

/// Where the memory behind a pointer is.
enum class memory_location : std::uint8_t {
  unknown,      ///< not given out by this runtime: the program's own memory
  host,         ///< in the range of malloc_host
  device,       ///< in the range of a device's malloc
  device_pool,  ///< in the range of a pool
  mapped,       ///< physical memory that the program has mapped, or memory of another process
  managed,      ///< managed memory, for the host and all devices
  registered,   ///< the program's own memory, which is registered
};

namespace detail {
class runtime_end;
}

/// A handle to a runtime.
class SOMA_API runtime {
public:
  /// Errors: invalid_argument (no devices, no memory), system_failure, forked_child.
  static expected<runtime> create(const runtime_options& options = {});

  runtime(runtime&&) noexcept;
  runtime& operator=(runtime&&) noexcept;
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  ~runtime();

  /// What runtime_options::devices was.
  [[nodiscard]] std::uint32_t device_count() const noexcept;

  /// Errors: no_such_device.
  [[nodiscard]] expected<device> get_device(std::uint32_t index = 0) const;

  /// Addresses that the program arranges itself, and memory that is shared with other processes.
  [[nodiscard]] address_space addresses() const;

  /// Where this pointer points to, by its range alone: it does not tell whether a block is live there.
  [[nodiscard]] memory_location locate(const void* address) const noexcept;

  /// Whether the race detector is on.
  [[nodiscard]] bool checked() const noexcept;

  /// What the race detector has found so far, each once for its pair of places; nothing if it is off. Returns
  /// when all of it has been written and given to on_report. Errors: not_permitted, forked_child.
  [[nodiscard]] expected<std::vector<check_report>> check_reports() const;

  /// Ends checking: every block that is live now is reported as a leak, then a summary is written. The end of
  /// the runtime does the same. The runtime itself goes on. Errors: not_permitted, forked_child.
  expected<void> end_check();

  /// Tells the race detector that the calling thread itself uses this memory now, before it makes any other
  /// call. Returns when what is wrong with that was reported. Errors: not_permitted, forked_child.
  expected<void> host_access(std::span<const access> accesses, const place& at = place::here());

  /// All counters, each device and pool at a moment of its own (soma/metrics.hpp). Errors: forked_child,
  /// invalid_handle.
  [[nodiscard]] expected<soma::metrics> metrics() const;

  /// True on a thread that is running a kernel or a host function for any runtime.
  [[nodiscard]] static bool on_engine() noexcept;

  /// True on such a thread if the task is to end (stream::stop_task, stream::abort): it should return soon.
  [[nodiscard]] static bool stop_requested() noexcept;

  /// The implementation's end of the runtime; of no use outside of the library.
  [[nodiscard]] const std::shared_ptr<detail::runtime_end>& end() const noexcept { return end_; }
  explicit runtime(std::shared_ptr<detail::runtime_end> end) noexcept;

private:
  std::shared_ptr<detail::runtime_end> end_;
};

}  // namespace soma
