// Pools without stream order: a block may be used from its allocation to its free by whoever has its address,
// and what is freed is free for all at once. For memory that only the host uses, or whose uses are over when
// it is freed.
//
// Every pool takes its memory from a device, as device memory or as host memory, and gives it back when it is
// destroyed; blocks that are live then are gone. All sizes are bytes. Every call may be made from any thread;
// calls on one pool are ordered by their arrival. None waits for tasks.
//
// Here are the pools of one piece of memory. soma/tiered_pool.hpp, fast_allocator.hpp,
// adaptive_allocator.hpp, buffer_reuser.hpp and compactor.hpp have those that are made of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "soma/error.hpp"
#include "soma/export.hpp"
#include "soma/memory_kind.hpp"

namespace soma {

class device;

/// A moment's figures of a pool without stream order. Bytes, unless they are counts.
struct classic_statistics {
  std::uint64_t reserved = 0;  ///< the pool's whole memory
  std::uint64_t reserved_high = 0;
  std::uint64_t used = 0;  ///< live blocks, at their full size
  std::uint64_t used_high = 0;
  std::uint64_t idle = 0;       ///< reserved - used
  std::uint64_t requested = 0;  ///< live blocks, as asked for
  std::uint64_t requested_high = 0;
  std::uint64_t live_blocks = 0;       ///< a count
  std::uint64_t allocations = 0;       ///< a count
  std::uint64_t frees = 0;             ///< a count
  std::uint64_t refusals = 0;          ///< a count
  std::uint64_t reused = 0;            ///< a count: allocations that got memory which was in a block before
  std::uint64_t largest_free = 0;      ///< the largest block to be had now, without more memory of the device
  std::uint64_t backing_requests = 0;  ///< how often memory was taken from the device
  std::uint64_t backing_returns = 0;   ///< how often memory was given back to it
  std::uint64_t backing_requested_bytes = 0;
  std::uint64_t backing_returned_bytes = 0;

  /// 0 if all idle memory could be one block, up to 1 if none of it could be in a block.
  [[nodiscard]] double fragmentation() const noexcept {
    return idle == 0 ? 0.0 : 1.0 - static_cast<double>(largest_free) / static_cast<double>(idle);
  }
};

namespace detail {
class classic_pool_end;
}

/// What the pools below have in common.
class SOMA_API memory_pool {
public:
  memory_pool(memory_pool&&) noexcept;
  memory_pool& operator=(memory_pool&&) noexcept;
  memory_pool(const memory_pool&) = delete;
  memory_pool& operator=(const memory_pool&) = delete;

  /// Gives the pool and its memory up.
  ~memory_pool();

  /// The same as the destructor, with a result: invalid_handle if the pool is gone already.
  expected<void> destroy();

  /// A block of at least so many bytes, not initialised. Errors: invalid_argument (0 bytes, or more than a
  /// block of this pool can have), out_of_memory, not_permitted (from a kernel or host function),
  /// invalid_handle.
  expected<void*> allocate(std::size_t bytes);

  /// Errors: unknown_address (also for a second free), not_permitted, invalid_handle. Nothing changes then.
  expected<void> free(void* address);

  /// All figures at one moment. Errors: not_permitted, invalid_handle.
  [[nodiscard]] expected<classic_statistics> statistics() const;

  /// What the memory that the pool was made with is made of. Looks at every page of it.
  [[nodiscard]] expected<memory_kind_report> kind() const;

protected:
  /// For the kinds of pools: a handle to what the library has of one.
  explicit memory_pool(std::shared_ptr<detail::classic_pool_end> end) noexcept;

  std::shared_ptr<detail::classic_pool_end> end_;
};

/// A pool of one piece of memory.
class SOMA_API contiguous_pool : public memory_pool {
public:
  /// Whether the address is in the pool's memory, live or not.
  [[nodiscard]] bool owns(const void* address) const noexcept;

  /// The pool's memory.
  [[nodiscard]] void* base() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

protected:
  /// As that of memory_pool.
  using memory_pool::memory_pool;
};

/// Blocks of one size. Allocating and freeing take the same few steps however many blocks there are.
class SOMA_API fixed_size_pool : public contiguous_pool {
public:
  /// As many blocks of `block_bytes` as fit into `pool_bytes`. Blocks begin at multiples of their size from
  /// the beginning of the pool, which is aligned to 512 bytes. Errors: invalid_argument (no block fits, or
  /// blocks of 0 bytes), and those of device::malloc.
  static expected<fixed_size_pool> create(device& on, std::size_t pool_bytes, std::size_t block_bytes,
                                          const memory_kind& kind = {});

  /// The size of each block, as the pool was made.
  [[nodiscard]] std::size_t block_bytes() const noexcept { return block_bytes_; }
  /// How many blocks the pool has, live or not; 0 if the object was moved from.
  [[nodiscard]] std::size_t block_count() const noexcept {
    return block_bytes_ == 0 ? 0 : bytes() / block_bytes_;
  }

private:
  fixed_size_pool(std::shared_ptr<detail::classic_pool_end> end, std::size_t block_bytes) noexcept;

  std::size_t block_bytes_;
};

/// Blocks of any size, in multiples of 64 bytes: best fit, split, and merged with both neighbours at once
/// when freed. Each takes a number of steps that grows with the logarithm of the number of pieces.
class SOMA_API variable_size_pool : public contiguous_pool {
public:
  /// Errors: invalid_argument (less than 64 bytes), and those of device::malloc.
  static expected<variable_size_pool> create(device& on, std::size_t pool_bytes,
                                             const memory_kind& kind = {});

private:
  using contiguous_pool::contiguous_pool;
};

}  // namespace soma
