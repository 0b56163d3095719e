// Buffers with counted users, given again to requests that they are large enough for.
#pragma once

#include <cstddef>
#include <memory>

#include "soma/classic_pools.hpp"
#include "soma/error.hpp"
#include "soma/export.hpp"

namespace soma {

/// A buffer of a buffer_reuser, with counted users: every copy of the object is one. When the last copy goes,
/// the buffer is kept for another request. An empty object has no buffer. Copies may be made and dropped on
/// any thread, in tasks too; one object is for one thread at a time.
class SOMA_API shared_buffer {
public:
  shared_buffer() noexcept = default;
  /// One user more of the same buffer. Waits for nothing.
  shared_buffer(const shared_buffer& other);
  /// Takes the other's place as a user; the other object is empty then.
  shared_buffer(shared_buffer&& other) noexcept;
  /// A user of the other's buffer, and no longer of the one that the object had.
  shared_buffer& operator=(shared_buffer other) noexcept;
  ~shared_buffer();

  /// Where the buffer is; null if the object is empty. The memory is the pool's, and goes with it, whoever
  /// uses the buffer.
  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }  ///< as asked for
  /// Whether the object has a buffer.
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
  /// Errors: invalid_argument (less than 64 bytes), and those of device::malloc.
  static expected<buffer_reuser> create(device& on, std::size_t pool_bytes, const memory_kind& kind = {});

  /// A buffer of at least so many bytes, not initialised, with one user. Errors: as memory_pool::allocate.
  expected<shared_buffer> acquire(std::size_t bytes);

private:
  friend class pool_resource;
  using memory_pool::allocate;
  using memory_pool::free;
  using memory_pool::memory_pool;
};

}  // namespace soma
