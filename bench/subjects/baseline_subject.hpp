// The baseline as a subject of the benchmarks.
//
// A subject is something with blocks to give: default constructed, with a `name`, a `burst` (how many pairs
// take long enough to be timed as one), and seats. A thread takes a seat and allocates and frees through it;
// free is told the size, since some ask for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bench/baseline/segregated_fit.hpp"

namespace soma::bench {

class baseline_subject {
public:
  static constexpr std::string_view name = "baseline";
  static constexpr std::size_t burst = 50'000;

  class seat {
  public:
    explicit seat(locked_fit& fit) noexcept : fit_(&fit) {
      // nop
    }

    void* allocate(std::size_t bytes) { return reinterpret_cast<void*>(fit_->malloc(bytes).value()); }

    void deallocate(void* block, std::size_t /*bytes*/) {
      fit_->free(reinterpret_cast<std::uintptr_t>(block));
    }

  private:
    locked_fit* fit_;
  };

  seat take_seat() noexcept { return seat(fit_); }

private:
  static constexpr std::uint64_t range_begin = std::uint64_t{1} << 40;
  static constexpr std::uint64_t range_bytes = std::uint64_t{1} << 40;

  locked_fit fit_{range_begin, range_bytes};
};

}  // namespace soma::bench
