// A clock for traces: ticks of the processor's counter where that runs evenly, else nanoseconds. Reading the
// counter costs less than the steady clock, which is worth it three times a message.
#pragma once

#include <cstdint>

#include <chrono>

namespace soma::actors {

/// Whether the processor says that its counter runs at one rate, whatever it does.
bool has_even_counter() noexcept;

namespace detail {
inline const bool even_counter = has_even_counter();
}

inline std::uint64_t steady_nanoseconds() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                    std::chrono::nanoseconds(1));
}

inline std::uint64_t tick_now() noexcept {
  return detail::even_counter ? __builtin_ia32_rdtsc() : steady_nanoseconds();
}

/// The same moment on both clocks.
struct tick_pair {
  std::uint64_t tick = 0;
  std::uint64_t nanoseconds = 0;

  static tick_pair now() noexcept {
    const auto before = tick_now();
    const auto nanoseconds = steady_nanoseconds();
    return {before + (tick_now() - before) / 2, nanoseconds};
  }
};

}  // namespace soma::actors
