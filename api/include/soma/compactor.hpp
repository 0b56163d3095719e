// A pool whose blocks can be moved together, so that free memory is in one piece again.
//
// A block is held by an object, and has an address only while it is pinned. Compacting moves the blocks that
// are not pinned by a task of a stream, ordered like every task:
//   - what still uses a block by an address that it had must be ordered ahead of that task, as ahead of a
//   free;
//   - who pins the block after compact() has returned gets its new address at once; its bytes are there for
//     what is ordered behind the task, for the host after a synchronize. That is so also for a block that was
//     just allocated, and that nobody has pinned yet.
// What the task leaves is given out again when it has run. Should the stream drop the task, since it was
// aborted or has stopped, the moves are made all the same.
//
// All sizes are bytes. Every call may be made from any thread, but one object is for one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "soma/classic_pools.hpp"
#include "soma/error.hpp"
#include "soma/export.hpp"

namespace soma {

class stream;

namespace detail {
class compactor_end;
}

/// Keeps a block where it is. The block may be pinned several times, and can be moved when all of them are
/// gone.
class SOMA_API pinned_block {
public:
  /// Takes the pin over; the other object has none then.
  pinned_block(pinned_block&& other) noexcept;
  /// The same. The pin that this object had is given up.
  pinned_block& operator=(pinned_block&& other) noexcept;
  pinned_block(const pinned_block&) = delete;
  pinned_block& operator=(const pinned_block&) = delete;
  ~pinned_block();

  /// Where the block is; null if the object was moved from.
  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }  ///< as asked for

private:
  friend class movable_block;
  pinned_block(std::shared_ptr<detail::compactor_end> end, std::uint64_t id, void* data,
               std::size_t bytes) noexcept;

  std::shared_ptr<detail::compactor_end> end_;
  std::uint64_t id_ = 0;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A block of a compactor, which is freed with the object; where it is pinned then, when it is unpinned.
class SOMA_API movable_block {
public:
  /// Takes the block over; the other object has none then. Pins of the block stay as they are.
  movable_block(movable_block&& other) noexcept;
  /// The same. The block that this object had is freed.
  movable_block& operator=(movable_block&& other) noexcept;
  movable_block(const movable_block&) = delete;
  movable_block& operator=(const movable_block&) = delete;
  ~movable_block();

  /// Keeps the block where it is, until the object that is returned goes. Errors: invalid_handle (moved from,
  /// or its compactor was destroyed), not_permitted.
  [[nodiscard]] expected<pinned_block> pin() const;

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }  ///< as asked for

private:
  friend class compactor;
  movable_block(std::shared_ptr<detail::compactor_end> end, std::uint64_t id, std::size_t bytes) noexcept;

  std::shared_ptr<detail::compactor_end> end_;
  std::uint64_t id_ = 0;
  std::size_t bytes_ = 0;
};

/// What a compaction does. Fragmentation is as in classic_statistics.
struct compaction_report {
  std::uint64_t blocks_moved = 0;   ///< a count
  std::uint64_t bytes_copied = 0;   ///< moved by copying
  std::uint64_t bytes_mapped = 0;   ///< whole granules, moved by mapping their memory elsewhere
  std::uint64_t blocks_pinned = 0;  ///< a count: what could not be moved
  double fragmentation_before = 0;
  double fragmentation_after = 0;  ///< when the task has run
};

/// A pool of one piece of a device's memory, whose blocks it may move while nobody has them pinned.
class SOMA_API compactor {
public:
  /// Takes a granule more from the device than is asked for, so that blocks can begin at granules of the
  /// pool. Errors: invalid_argument (less than 64 bytes), and those of device::malloc.
  static expected<compactor> create(device& on, std::size_t pool_bytes, const memory_kind& kind = {});

  /// Takes the pool over; blocks stay as they are.
  compactor(compactor&&) noexcept;
  /// The same. The pool that this object had is given up, as by destroy().
  compactor& operator=(compactor&&) noexcept;
  compactor(const compactor&) = delete;
  compactor& operator=(const compactor&) = delete;
  ~compactor();

  /// Gives the pool up. Blocks that are live are gone; the memory goes back when a compaction that is on its
  /// way has run. invalid_handle if the pool is gone already.
  expected<void> destroy();

  /// Blocks of a granule or more are whole granules, others multiples of 64 bytes. Not initialised. Errors:
  /// invalid_argument (0 bytes, or more than the pool has), out_of_memory, not_permitted, invalid_handle.
  expected<movable_block> allocate(std::size_t bytes);

  /// Moves the blocks that are not pinned towards the beginning of the pool, by a task of the stream. Waits
  /// for no task. Errors: not_complete (an earlier compaction has not run yet: synchronize its stream first),
  /// wrong_device, not_permitted, invalid_handle.
  expected<compaction_report> compact(stream& on);

  /// All figures at one moment. Errors: not_permitted, invalid_handle.
  [[nodiscard]] expected<classic_statistics> statistics() const;

  /// What the pool's memory is made of. Looks at every page of it. Errors: invalid_handle.
  [[nodiscard]] expected<memory_kind_report> kind() const;

  /// A block that never moves, to be freed by its address. As memory_pool::allocate and memory_pool::free.
  expected<void*> allocate_fixed(std::size_t bytes);
  expected<void> free_fixed(void* address);

private:
  explicit compactor(std::shared_ptr<detail::compactor_end> end) noexcept;

  std::shared_ptr<detail::compactor_end> end_;
};

}  // namespace soma
