// The random decisions of one operation.
//
// They depend only on the seed, the thread and the number of the operation, so that an operation decides the
// same in every run, whatever the operations before it met.
#pragma once

#include <cstdint>

namespace soma::tools {

class stress_random {
public:
  stress_random(std::uint64_t seed, std::uint64_t thread, std::uint64_t operation) noexcept
      : state_(mix(mix(mix(seed) + thread) + operation)) {}

  std::uint64_t next() noexcept {
    state_ += step;
    return mix(state_);
  }

  /// From 0 to `end` - 1. Precondition: end is not 0.
  std::uint64_t below(std::uint64_t end) noexcept { return next() % end; }

  /// True in this share of all cases; 0 is never, 1 always.
  bool chance(double share) noexcept { return static_cast<double>(next() >> 11) * 0x1p-53 < share; }

private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15;

  /// The finisher of splitmix64.
  static constexpr std::uint64_t mix(std::uint64_t value) noexcept {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }

  std::uint64_t state_;
};

}  // namespace soma::tools
