// A pool of soma as a subject, through the C++ interface. Each seat has a stream of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "bench/support/must.hpp"
#include "soma/soma.hpp"

namespace soma::bench {

/// A runtime with one device and one pool, which keeps its memory at synchronizes.
struct pool_world {
  explicit pool_world(std::uint64_t minimum_block = 512,
                      std::uint64_t device_memory = std::uint64_t{64} << 30)
      : runtime(must(soma::runtime::create({.device_memory = device_memory}))),
        device(must(runtime.get_device())),
        pool(must(device.create_pool({.minimum_block = minimum_block,
                                      .reuse = {.event = true},
                                      .release_threshold = ~std::uint64_t{0}}))) {
    // nop
  }

  soma::runtime runtime;
  soma::device device;
  soma::pool pool;
};

/// A kernel that does nothing.
inline soma::kernel empty_kernel() {
  return soma::kernel::from_function([](const void* /*arguments*/, std::size_t /*bytes*/,
                                        std::uint32_t /*block*/, std::uint32_t /*blocks*/) { return 0; },
                                     "empty");
}

class soma_subject {
public:
  static constexpr std::string_view name = "soma";
  static constexpr std::size_t burst = 50'000;

  explicit soma_subject(std::uint64_t minimum_block = 512) : world_(minimum_block) {
    // nop
  }

  class seat {
  public:
    seat(soma::pool& pool, soma::stream stream) noexcept : pool_(&pool), stream_(std::move(stream)) {
      // nop
    }

    void* allocate(std::size_t bytes) { return must(pool_->malloc_async(bytes, stream_)); }

    void deallocate(void* block, std::size_t /*bytes*/) { must(pool_->free_async(block, stream_)); }

  private:
    soma::pool* pool_;
    soma::stream stream_;
  };

  seat take_seat() { return {world_.pool, must(world_.device.create_stream())}; }

private:
  pool_world world_;
};

/// The same with blocks of whole granules, as all pools of the C interface have.
class soma_granules_subject : public soma_subject {
public:
  static constexpr std::string_view name = "soma_granules";

  soma_granules_subject() : soma_subject(soma::granule_bytes) {
    // nop
  }
};

}  // namespace soma::bench
