#include "soma/memory_resource.hpp"

#include <cstdint>
#include <new>

namespace soma {

namespace {

// The blocks of a pool are aligned as its sizes are; what is not aligned as asked is given back.
bool is_aligned(const void* address, std::size_t alignment) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

}  // namespace

void* pool_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  const auto block = allocate_(pool_, bytes == 0 ? 1 : bytes);
  if (!block) {
    throw std::bad_alloc();
  }
  if (!is_aligned(*block, alignment)) {
    static_cast<void>(free_(pool_, *block));
    throw std::bad_alloc();
  }
  return *block;
}

void pool_resource::do_deallocate(void* address, std::size_t /*bytes*/, std::size_t /*alignment*/) {
  static_cast<void>(free_(pool_, address));
}

bool pool_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  const auto* same = dynamic_cast<const pool_resource*>(&other);
  return same != nullptr && same->pool_ == pool_;
}

void* stream_resource::do_allocate(std::size_t bytes, std::size_t alignment) {
  const auto block = pool_.malloc_async(bytes == 0 ? 1 : bytes, stream_);
  if (!block) {
    throw std::bad_alloc();
  }
  const auto complete = stream_.query();
  const bool usable = (complete && *complete) || stream_.synchronize();
  if (!usable || !is_aligned(*block, alignment)) {
    static_cast<void>(pool_.free_async(*block, stream_));
    throw std::bad_alloc();
  }
  return *block;
}

void stream_resource::do_deallocate(void* address, std::size_t /*bytes*/, std::size_t /*alignment*/) {
  static_cast<void>(pool_.free_async(address, stream_));
}

bool stream_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  const auto* same = dynamic_cast<const stream_resource*>(&other);
  return same != nullptr && &same->pool_ == &pool_ && &same->stream_ == &stream_;
}

}  // namespace soma
