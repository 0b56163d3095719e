// The standard library's pool for several threads as a subject. Only sizes count: its upstream is the C
// library's allocator, and what it gives out is never touched by the benchmark.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <string_view>

namespace soma::bench {

class pmr_subject {
public:
  static constexpr std::string_view name = "pmr";
  static constexpr std::size_t burst = 50'000;

  class seat {
  public:
    explicit seat(std::pmr::synchronized_pool_resource& pool) noexcept : pool_(&pool) {
      // nop
    }

    void* allocate(std::size_t bytes) { return pool_->allocate(bytes); }

    void deallocate(void* block, std::size_t bytes) { pool_->deallocate(block, bytes); }

  private:
    std::pmr::synchronized_pool_resource* pool_;
  };

  seat take_seat() noexcept { return seat(pool_); }

private:
  std::pmr::synchronized_pool_resource pool_;
};

}  // namespace soma::bench
