// The base of tests of what pools lend: a pool of small blocks, and what is live in it.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace support {

using soma::granule_bytes;

inline constexpr std::uint64_t keep_everything = ~std::uint64_t{0};

class lending_fixture : public cpp_fixture {
protected:
  void TearDown() override {
    for (auto* block : std::set<void*>(live_)) {
      must(device_.free_async(block, s3_));
    }
    static_cast<void>(pool_.destroy());
    cpp_fixture::TearDown();
  }

  void* malloc(std::uint64_t bytes, soma::stream& on) {
    auto* block = must(pool_.malloc_async(bytes, on));
    live_.insert(block);
    return block;
  }
  void free(void* block, soma::stream& on) {
    must(pool_.free_async(block, on));
    live_.erase(block);
  }
  auto now() { return must(pool_.statistics()); }

  /// A pool with other options. The one before has no live block.
  void make_pool_with(const soma::pool_options& options) {
    must(pool_.destroy());
    pool_ = make_pool(options);
  }

  static soma::pool_options small_blocks() {
    soma::pool_options options;
    options.limit = 4 * granule_bytes;
    options.minimum_block = 512;
    options.release_threshold = keep_everything;
    return options;
  }

  soma::pool pool_ = make_pool(small_blocks());
  std::set<void*> live_;
};

}  // namespace support
