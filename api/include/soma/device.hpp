// A simulated device: it owns a budget of memory, and makes streams, events and pools.
//
// Device objects are handles: several may stand for the same device, and giving one up ends nothing. All
// sizes are bytes. Every call may be made from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "soma/error.hpp"
#include "soma/event.hpp"
#include "soma/export.hpp"
#include "soma/pool.hpp"
#include "soma/stream.hpp"

namespace soma {

/// The device's budget. free + what pools reserve + what malloc gave out = total.
struct memory_info {
  std::uint64_t free = 0;
  std::uint64_t total = 0;
};

/// What is noted of a device for others to read.
enum class device_note : std::uint8_t {
  saturation_mode,
  cube_cores,    ///< the most that tasks are to use
  vector_cores,  ///< the same
  peer_access,   ///< of the device with this index: whether it was enabled
  stack_limit,   ///< of the kind with this index, in bytes
};

/// How busy a device is.
struct device_load {
  std::uint32_t busy_engines = 0;  ///< threads that run tasks now
  std::uint32_t waiting_runs = 0;  ///< of tasks that wait for such a thread
};

/// How plain memory is wanted.
struct malloc_options {
  /// Blocks are whole pages: a power of two, at least 512. If all allocations ask for pages of at least one
  /// size, up to a granule, addresses are multiples of it.
  std::uint64_t page_bytes = 512;
  bool read_only = false;  ///< for tasks; not enforced. A plain pool keeps such memory apart
};

/// A live block of any kind of the device's memory.
struct memory_block_info {
  void* address = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t requested = 0;
  std::uint64_t page_bytes = 0;
};

/// A moment's figures of the device's plain pool; all 0 if it has none (runtime_options::plain_pool).
struct plain_pool_statistics {
  std::uint64_t chunks = 0;       ///< a count
  std::uint64_t free_chunks = 0;  ///< a count: without a live block
  std::uint64_t used = 0;
  std::uint64_t reserved = 0;
  std::uint64_t live_blocks = 0;  ///< a count
  std::uint64_t served = 0;       ///< a count: allocations so far
  std::uint64_t bypassed = 0;     ///< a count: requests above 2 MiB, which went to the device
  std::uint64_t released = 0;     ///< a count: chunks given back to the device
};

namespace detail {
class device_end;
}

/// A handle to a device.
class SOMA_API device {
public:
  device(device&&) noexcept;
  device& operator=(device&&) noexcept;
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  ~device();

  /// From 0, by which runtime::get_device finds it.
  [[nodiscard]] std::uint32_t index() const noexcept;

  /// Makes a stream. Errors: invalid_handle, forked_child.
  expected<stream> create_stream(const stream_options& options = {});
  /// Makes an event, which was not recorded yet. Errors: invalid_handle, forked_child.
  expected<event> create_event();

  /// Errors: invalid_argument (limit above the device's memory, minimum_block not a power of two or outside
  /// of 512 bytes to one granule), out_of_memory (no address range left).
  expected<pool> create_pool(const pool_options& options = {});

  /// The stream that blocking streams are ordered with. It lives as long as the device and cannot be
  /// destroyed.
  stream& default_stream();

  /// Allocates plain device memory, aligned to 512 bytes and not initialised. When the device has too little
  /// left, idle memory of pools whose frees were executed is given back first.
  /// Errors: invalid_argument (0 bytes, or so many that rounding up wraps), out_of_memory, not_permitted.
  expected<void*> malloc(std::size_t bytes, const place& at = place::here());
  expected<void*> malloc(std::size_t bytes, const malloc_options& options, const place& at = place::here());

  /// The live block that the address is in, of plain or host memory or of a pool. Errors: unknown_address.
  [[nodiscard]] expected<memory_block_info> find_block(const void* inside) const;

  /// The figures of the plain pool at this moment.
  [[nodiscard]] expected<plain_pool_statistics> plain_pool() const;

  /// Frees plain memory or a block of a pool at once and waits for nothing; no task may use it any more.
  /// Errors: unknown_address, not_permitted.
  expected<void> free(void* address, const place& at = place::here());

  /// Frees plain memory or a block of any pool of this device, also of a destroyed one, as a task of the
  /// stream. Errors: unknown_address, invalid_argument (null), not_permitted, invalid_handle.
  expected<void> free_async(void* address, stream& on, const place& at = place::here());

  /// Host memory that copies can use while the host goes on; aligned to 512 bytes, not part of the budget.
  expected<void*> malloc_host(std::size_t bytes, const place& at = place::here());
  expected<void*> malloc_host(std::size_t bytes, const malloc_options& options,
                              const place& at = place::here());
  expected<void> free_host(void* address, const place& at = place::here());

  /// The budget at this moment.
  [[nodiscard]] expected<memory_info> memory() const;

  /// Waits for everything submitted so far to all streams, destroyed ones included, and returns the first
  /// error of a task that no synchronize has returned yet. At its end pools give idle memory above their
  /// threshold back.
  expected<void> synchronize();

  /// As synchronize, but waits at most this long: timed_out.
  expected<void> synchronize_for(std::chrono::milliseconds limit);

  /// Aborts all streams, as stream::abort does one; who waits gets device_aborted. With a limit: timed_out,
  /// and the streams end their work later.
  expected<void> abort();
  expected<void> abort_for(std::chrono::milliseconds limit);

  /// What is noted of the device; nothing if it never was.
  [[nodiscard]] expected<std::optional<std::uint64_t>> note(device_note which, std::uint32_t index = 0) const;
  expected<void> set_note(device_note which, std::uint64_t value, std::uint32_t index = 0);

  /// How busy the device is at this moment.
  [[nodiscard]] expected<device_load> load() const;

  /// The implementation's end of the device; of no use outside of the library.
  [[nodiscard]] const std::shared_ptr<detail::device_end>& end() const noexcept { return end_; }
  explicit device(std::shared_ptr<detail::device_end> end) noexcept;

private:
  std::shared_ptr<detail::device_end> end_;
  stream default_stream_;
};

}  // namespace soma
