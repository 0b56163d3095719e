// Stream-ordered memory pools.
//
// A pool gives out blocks of device memory as tasks of streams. A block may be used by tasks of the stream it
// was allocated on, from the allocation on, and of every stream that is ordered behind it. A freed block is
// idle: the pool keeps its memory and gives it out again where the order of streams allows that. All sizes
// are bytes. Every call may be made from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "soma/error.hpp"
#include "soma/export.hpp"
#include "soma/memory_kind.hpp"
#include "soma/place.hpp"

namespace soma {

class stream;

/// Memory is taken from and given back to the operating system in granules of this many bytes.
inline constexpr std::uint64_t granule_bytes = std::uint64_t{2} << 20;

/// Which idle blocks another stream than the freeing one may get. A block may always go to the stream that
/// freed it, and to any stream once the host has seen the free complete.
struct reuse_switches {
  bool event = false;          ///< streams that are ordered behind the free by events
  bool opportunistic = false;  ///< any stream, if the free has been executed already
  bool internal = false;       ///< any stream, when the pool cannot grow; that stream is made to wait
};

/// How a pool is made.
struct pool_options {
  /// The most the pool may reserve, rounded up to whole granules; 0 stands for the device's whole memory.
  std::uint64_t limit = 0;
  /// Blocks are multiples of this: a power of two from 512 bytes to one granule.
  std::uint64_t minimum_block = granule_bytes;
  reuse_switches reuse = {};
  /// At the end of each synchronize, idle bytes above this are given back.
  std::uint64_t release_threshold = 0;
  /// Holds for all memory that the pool ever takes, also for what goes back and comes again. A wish that the
  /// system refuses is no error: pool::kind says why. Always device memory.
  memory_kind kind = {};
};

/// How allocations were served, as counts since the pool was created.
struct served_counts {
  std::uint64_t same_stream = 0;
  std::uint64_t event = 0;          ///< ordered behind the free by events, or seen complete by the host
  std::uint64_t opportunistic = 0;  ///< the free had been executed
  std::uint64_t internal = 0;       ///< a wait was inserted
  std::uint64_t new_memory = 0;  ///< without a wait new granules were taken, or no part was in a block before
};

/// A moment's figures of a pool, all taken at the same moment. Bytes, unless they are counts.
struct pool_statistics {
  std::uint64_t limit = 0;
  std::uint64_t reserved = 0;  ///< used + idle: what the pool holds of the device's memory
  std::uint64_t reserved_high = 0;
  std::uint64_t used = 0;  ///< live blocks, rounded up to the minimum block
  std::uint64_t used_high = 0;
  std::uint64_t idle = 0;       ///< reserved - used
  std::uint64_t requested = 0;  ///< live blocks, as asked for
  std::uint64_t requested_high = 0;
  std::uint64_t live_blocks = 0;  ///< a count
  served_counts served;
  /// Granules of 2 MiB: idle memory that went to other addresses, where it made a block together with others.
  std::uint64_t granules_moved = 0;
  std::uint64_t backing_requests = 0;  ///< how often addresses got memory: new, or moved there
  std::uint64_t backing_returns = 0;   ///< how often addresses lost theirs: given back, or moved away
  std::uint64_t backing_requested_bytes = 0;
  std::uint64_t backing_returned_bytes = 0;
};

/// A live block.
struct block_info {
  void* address = nullptr;
  std::uint64_t bytes = 0;      ///< the block's size
  std::uint64_t requested = 0;  ///< the size asked for
};

/// By which step of the search a block was found.
enum class served_by : std::uint8_t { same_stream, event, opportunistic, internal, new_memory };

/// The pool's idle pieces at the moment of an allocation, counted by why each of them could or could not
/// serve it alone.
struct idle_candidates {
  std::uint32_t usable = 0;             ///< the first by the order of the search was taken
  std::uint32_t too_small = 0;          ///< it could be reused, but has fewer bytes
  std::uint32_t event_off = 0;          ///< the taker is ordered behind its free, but that switch is off
  std::uint32_t opportunistic_off = 0;  ///< its free had been executed, but that switch is off
  std::uint32_t not_ordered = 0;        ///< neither: only an inserted wait could make it usable
  std::uint32_t not_looked_at = 0;      ///< beyond the 64 that are looked at; at most 64 are counted
};

/// Why a live block was served as it was. Numbers are 0 where there is nothing to tell.
struct block_explanation {
  served_by served = served_by::new_memory;
  std::uint64_t bytes = 0;  ///< the block's size
  bool joined = false;      ///< it was made of several pieces; the free is that of the first one
  bool stitched = false;    ///< idle granules of the pool were moved there to make it
  /// The host had seen the free complete, so that any stream could have it; it is not remembered whose it
  /// was.
  bool seen_by_host = false;
  std::uint64_t freed_by_stream = 0;  ///< stream::id of the free that made the memory idle
  std::uint64_t freed_by_task = 0;    ///< with served_by::internal the taker waits for this task
  /// The event, by its number in traces, and its record that ordered the taker behind the free. Only if
  /// messages were traced since before the wait (soma/trace.hpp).
  std::uint64_t event = 0;
  std::uint64_t record = 0;
  std::optional<idle_candidates> idle;  ///< only if messages were traced
};

/// The figures and settings that can be read and, where it says so, written one by one.
enum class pool_attribute : std::uint8_t {
  reuse_event,          ///< 0 or 1; writable, non-zero stands for 1
  reuse_opportunistic,  ///< 0 or 1; writable, non-zero stands for 1
  reuse_internal,       ///< 0 or 1; writable, non-zero stands for 1
  release_threshold,    ///< writable, any value
  reserved,
  reserved_high,  ///< only 0 can be written: reads 0 until the next allocation lifts it
  used,
  used_high,  ///< only 0 can be written: reads 0 until the next allocation lifts it
};

namespace detail {
class pool_end;
}

/// A handle to a pool, which is destroyed with it.
class SOMA_API pool {
public:
  pool(pool&&) noexcept;
  pool& operator=(pool&&) noexcept;
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  /// Gives the pool up; returns at once. Live blocks stay usable and can be freed (device::free_async); the
  /// memory goes back when the last free has been executed.
  ~pool();

  /// The same as the destructor, with a result: invalid_handle if the pool is gone already.
  expected<void> destroy();

  /// The index of the pool's device.
  [[nodiscard]] std::uint32_t device_index() const noexcept;

  /// The lowest address that a block of this pool can have. It does not move while the pool exists.
  [[nodiscard]] void* base() const noexcept;

  /// Allocates `bytes` bytes as a task of the stream. The address is valid as a number at return; the memory
  /// may be touched by tasks that come behind. Never waits for tasks, also when the stream is blocked.
  /// Errors: invalid_argument (0 bytes, or so many that rounding up wraps), out_of_memory (the text has
  /// wanted, used, idle, limit, the largest block to be had, and whose frees are pending), wrong_device,
  /// not_permitted, invalid_handle. Nothing changes on an error.
  expected<void*> malloc_async(std::size_t bytes, stream& on, const place& at = place::here());

  /// Frees a block as a task of the stream. The block counts as idle from this call on, and goes to others
  /// as far as they are ordered behind this task. Errors: unknown_address (also for a second free, which
  /// changes nothing), invalid_argument (null, or a block of another pool), not_permitted, invalid_handle.
  expected<void> free_async(void* address, stream& on, const place& at = place::here());

  /// Gives idle memory back until reserved = max(used, `keep` rounded up to whole granules). Memory whose
  /// free has not been executed yet is kept. Errors: invalid_argument (keep above the limit).
  expected<void> trim_to(std::uint64_t keep);

  /// The value of an attribute. Errors: invalid_handle, invalid_argument (there is no such attribute).
  [[nodiscard]] expected<std::uint64_t> get(pool_attribute attribute) const;

  /// Errors: invalid_argument (an attribute that cannot be written, or a value other than 0 for a high mark).
  expected<void> set(pool_attribute attribute, std::uint64_t value);

  /// Sets the three switches, for the allocations that come. Errors: invalid_handle.
  expected<void> set_reuse(reuse_switches switches);

  /// All figures at one moment. Errors: invalid_handle.
  [[nodiscard]] expected<pool_statistics> statistics() const;

  /// What the system said to pool_options::kind, and what the pool's memory is made of. Looks at each page
  /// that was touched, so it takes time in proportion to them. Errors: invalid_handle, actor_gone.
  [[nodiscard]] expected<memory_kind_report> kind() const;

  /// The largest block that malloc_async on this stream would get now without an inserted wait; 0 if none.
  /// Idle memory of other pools is not counted in. The own idle memory is, also where it would be given up so
  /// that the block can go elsewhere.
  [[nodiscard]] expected<std::uint64_t> largest_available(const stream& on) const;

  /// The live block that starts at this address. Errors: unknown_address.
  [[nodiscard]] expected<block_info> block(const void* address) const;

  /// How the live block that starts at this address was served, and why. Errors: unknown_address.
  [[nodiscard]] expected<block_explanation> explain(const void* address) const;

  /// The implementation's end of the pool; of no use outside of the library.
  [[nodiscard]] const std::shared_ptr<detail::pool_end>& end() const noexcept { return end_; }
  explicit pool(std::shared_ptr<detail::pool_end> end) noexcept;

private:
  std::shared_ptr<detail::pool_end> end_;
};

}  // namespace soma
