// Pools without stream order: a block may be used from its allocation to its free by whoever has its address,
// and what is freed is free for all at once. For memory that only the host uses, or whose uses are over when
// it is freed.
//
// Every pool takes its memory from a device when it is created, as device memory or as host memory, and gives
// it back when it is destroyed; blocks that are live then are gone. All sizes are bytes. Every call may be
// made from any thread; calls on one pool are ordered by their arrival. None waits for tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "soma/error.hpp"
#include "soma/export.hpp"

namespace soma {

class device;

/// What a pool's memory is.
enum class pool_memory : std::uint8_t {
  device,  ///< as device::malloc: counts against the device's budget
  host,    ///< as device::malloc_host
};

/// A moment's figures of a pool without stream order. Bytes, unless they are counts.
struct classic_statistics {
  std::uint64_t reserved = 0;  ///< the pool's whole memory
  std::uint64_t used = 0;      ///< live blocks, at their full size
  std::uint64_t used_high = 0;
  std::uint64_t idle = 0;       ///< reserved - used
  std::uint64_t requested = 0;  ///< live blocks, as asked for
  std::uint64_t requested_high = 0;
  std::uint64_t live_blocks = 0;   ///< a count
  std::uint64_t allocations = 0;   ///< a count
  std::uint64_t frees = 0;         ///< a count
  std::uint64_t refusals = 0;      ///< a count
  std::uint64_t reused = 0;        ///< a count: allocations that got memory which was in a block before
  std::uint64_t largest_free = 0;  ///< the largest block to be had now

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

  [[nodiscard]] expected<classic_statistics> statistics() const;

  /// Whether the address is in the pool's memory, live or not.
  [[nodiscard]] bool owns(const void* address) const noexcept;

  /// The pool's memory.
  [[nodiscard]] void* base() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

protected:
  explicit memory_pool(std::shared_ptr<detail::classic_pool_end> end) noexcept;

  std::shared_ptr<detail::classic_pool_end> end_;
};

/// Blocks of one size. Allocating and freeing take the same few steps however many blocks there are.
class SOMA_API fixed_size_pool : public memory_pool {
public:
  /// As many blocks of `block_bytes` as fit into `pool_bytes`. Blocks begin at multiples of their size from
  /// the beginning of the pool, which is aligned to 512 bytes. Errors: invalid_argument (no block fits, or
  /// blocks of 0 bytes), and those of device::malloc.
  static expected<fixed_size_pool> create(device& on, std::size_t pool_bytes, std::size_t block_bytes,
                                          pool_memory memory = pool_memory::device);

  [[nodiscard]] std::size_t block_bytes() const noexcept { return block_bytes_; }
  [[nodiscard]] std::size_t block_count() const noexcept {
    return block_bytes_ == 0 ? 0 : bytes() / block_bytes_;
  }

private:
  fixed_size_pool(std::shared_ptr<detail::classic_pool_end> end, std::size_t block_bytes) noexcept;

  std::size_t block_bytes_;
};

/// Blocks of any size, in multiples of 64 bytes: best fit, split, and merged with both neighbours at once
/// when freed. Each takes a number of steps that grows with the logarithm of the number of pieces.
class SOMA_API variable_size_pool : public memory_pool {
public:
  /// Errors: invalid_argument (less than 64 bytes), and those of device::malloc.
  static expected<variable_size_pool> create(device& on, std::size_t pool_bytes,
                                             pool_memory memory = pool_memory::device);

private:
  using memory_pool::memory_pool;
};

/// A part of a tiered pool.
struct tier {
  std::size_t block_bytes = 0;
  std::size_t blocks = 0;
};

struct tier_statistics {
  std::size_t block_bytes = 0;  ///< 0: the variable-size pool below the tiers
  std::uint64_t fell_through =
      0;  ///< requests for which this tier was the first choice and a later one served
  classic_statistics statistics;
};

/// Fixed-size pools by block size over a variable-size pool over the device: a request goes to the smallest
/// block size that fits, and falls through to the next larger one if that is full, then to the variable-size
/// pool, and, if it is asked for, to the device itself.
class SOMA_API tiered_pool {
public:
  struct options {
    std::vector<tier> tiers;         ///< in any order; sizes are rounded up to 64 bytes
    std::size_t variable_bytes = 0;  ///< of the pool below them; at least 64
    bool over_device = true;         ///< what does not fit below either is allocated from the device
    pool_memory memory = pool_memory::device;
  };

  /// Errors: invalid_argument (a tier without blocks, two of one size, sizes whose sum wraps), and those of
  /// device::malloc.
  static expected<tiered_pool> create(device& on, const options& parts);

  tiered_pool(tiered_pool&&) noexcept;
  tiered_pool& operator=(tiered_pool&&) noexcept;
  tiered_pool(const tiered_pool&) = delete;
  tiered_pool& operator=(const tiered_pool&) = delete;
  ~tiered_pool();

  /// As memory_pool::allocate and memory_pool::free.
  expected<void*> allocate(std::size_t bytes);
  expected<void> free(void* address);

  /// Of the tiers and the variable-size pool together, without what the device gave.
  [[nodiscard]] expected<classic_statistics> statistics() const;

  /// Of each tier by rising block size, and of the variable-size pool.
  [[nodiscard]] expected<std::vector<tier_statistics>> tiers() const;

  /// How many live blocks the device gave, and with how many bytes.
  [[nodiscard]] std::uint64_t device_blocks() const;
  [[nodiscard]] std::uint64_t device_bytes() const;

private:
  class parts;
  explicit tiered_pool(std::unique_ptr<parts> made) noexcept;

  std::unique_ptr<parts> parts_;
};

/// Picks among the pools that it is given: the smallest block size that fits, the next larger one when that
/// is full, and the variable-size pool last.
class SOMA_API fast_allocator {
public:
  explicit fast_allocator(std::vector<fixed_size_pool> pools,
                          std::optional<variable_size_pool> last = std::nullopt);

  /// As memory_pool::allocate; invalid_argument if no pool has blocks of this size, out_of_memory if all that
  /// have are full.
  expected<void*> allocate(std::size_t bytes);
  expected<void> free(void* address);

  /// The pools by rising block size.
  [[nodiscard]] const std::vector<fixed_size_pool>& pools() const noexcept { return pools_; }
  [[nodiscard]] const std::optional<variable_size_pool>& last() const noexcept { return last_; }

private:
  std::vector<fixed_size_pool> pools_;
  std::optional<variable_size_pool> last_;
};

/// A buffer of a buffer_reuser, with counted users: every copy of the object is one. When the last copy goes,
/// the buffer is kept for another request. An empty object has no buffer.
class SOMA_API shared_buffer {
public:
  shared_buffer() noexcept = default;
  shared_buffer(const shared_buffer& other);
  shared_buffer(shared_buffer&& other) noexcept;
  shared_buffer& operator=(shared_buffer other) noexcept;
  ~shared_buffer();

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }  ///< as asked for
  explicit operator bool() const noexcept { return data_ != nullptr; }

private:
  friend class buffer_reuser;
  shared_buffer(std::shared_ptr<detail::classic_pool_end> end, void* data, std::size_t bytes) noexcept;

  std::shared_ptr<detail::classic_pool_end> end_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Gives buffers that nobody uses any more again to requests that they are large enough for: the smallest
/// such buffer, unless it is more than twice what is asked for. Out of memory, it merges the buffers that
/// nobody uses.
class SOMA_API buffer_reuser : public memory_pool {
public:
  static expected<buffer_reuser> create(device& on, std::size_t pool_bytes,
                                        pool_memory memory = pool_memory::device);

  /// Errors: as memory_pool::allocate.
  expected<shared_buffer> acquire(std::size_t bytes);

private:
  using memory_pool::allocate;
  using memory_pool::free;
  using memory_pool::memory_pool;
};

}  // namespace soma
