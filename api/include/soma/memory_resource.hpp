// Pools as std::pmr::memory_resource, so that containers of the standard library live in them. As that
// interface demands, these throw std::bad_alloc where a pool refuses.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <type_traits>

#include "soma/buffer_reuser.hpp"
#include "soma/error.hpp"
#include "soma/export.hpp"
#include "soma/pool.hpp"
#include "soma/stream.hpp"

namespace soma {

/// Over any pool without stream order, which must outlive it: what has allocate and free, as in
/// soma/classic_pools.hpp, or a compactor, of which it takes blocks that never move. As thread-safe as the
/// pool. Alignments up to 64 bytes; a pool of fixed-size blocks has only those that its block size has.
class SOMA_API pool_resource final : public std::pmr::memory_resource {
public:
  /// Keeps a reference to the pool, which stays where it is and is not owned.
  template <class Pool>
  requires(!std::is_base_of_v<std::pmr::memory_resource, Pool>) explicit pool_resource(Pool& from) noexcept
      : pool_(&from) {
    if constexpr (requires { from.allocate_fixed(1); }) {
      allocate_ = [](void* pool, std::size_t bytes) {
        return static_cast<Pool*>(pool)->allocate_fixed(bytes);
      };
      free_ = [](void* pool, void* address) { return static_cast<Pool*>(pool)->free_fixed(address); };
    } else {
      allocate_ = [](void* pool, std::size_t bytes) { return static_cast<Pool*>(pool)->allocate(bytes); };
      free_ = [](void* pool, void* address) { return static_cast<Pool*>(pool)->free(address); };
    }
  }

private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* address, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  void* pool_;
  expected<void*> (*allocate_)(void* pool, std::size_t bytes) = nullptr;
  expected<void> (*free_)(void* pool, void* address) = nullptr;
};

/// Over a stream-ordered pool, bound to a stream; both must outlive it. Since the host itself uses what is
/// allocated, an allocation waits until the stream has reached it; a free is a task of the stream. Alignments
/// up to 512 bytes.
class SOMA_API stream_resource final : public std::pmr::memory_resource {
public:
  /// Keeps references to both, which stay where they are and are not owned.
  stream_resource(pool& from, stream& on) noexcept : pool_(from), stream_(on) {}

private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* address, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  pool& pool_;
  stream& stream_;
};

}  // namespace soma
