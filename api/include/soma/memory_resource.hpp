// Pools as std::pmr::memory_resource, so that containers of the standard library live in them. As that
// interface demands, these throw std::bad_alloc where a pool refuses.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "soma/classic_pools.hpp"
#include "soma/export.hpp"
#include "soma/pool.hpp"
#include "soma/stream.hpp"

namespace soma {

/// Over a pool without stream order, which must outlive it. As thread-safe as the pool. Alignments up to 64
/// bytes: pools of fixed-size blocks give only what their block size has.
class SOMA_API pool_resource final : public std::pmr::memory_resource {
public:
  explicit pool_resource(memory_pool& from) noexcept : pool_(from) {}

private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* address, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  memory_pool& pool_;
};

/// Over a stream-ordered pool, bound to a stream; both must outlive it. Since the host itself uses what is
/// allocated, an allocation waits until the stream has reached it; a free is a task of the stream. Alignments
/// up to 512 bytes.
class SOMA_API stream_resource final : public std::pmr::memory_resource {
public:
  stream_resource(pool& from, stream& on) noexcept : pool_(from), stream_(on) {}

private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* address, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  pool& pool_;
  stream& stream_;
};

}  // namespace soma
