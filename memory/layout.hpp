// How the address range of a runtime is divided among its devices, and that of a device among plain memory,
// host memory and pools.
#pragma once

#include <cstdint>

#include "memory/identifiers.hpp"

namespace soma::memory {

/// The parts of a device's address range; all are whole slots.
struct device_layout {
  range plain;
  range host;
  range pools;

  [[nodiscard]] constexpr range whole() const noexcept {
    return {plain.begin, plain.bytes + host.bytes + pools.bytes};
  }
};

/// The least that a device can do with. Where a range is smaller than the memory of its device (Valgrind
/// allows little), not all of the memory can be had, which is better than nothing.
[[nodiscard]] std::uint64_t least_device_range() noexcept;

/// The part of device `index` of `devices`, where each has this much memory. Precondition: the range is at
/// least `devices` times least_device_range().
[[nodiscard]] device_layout plan_device(range addresses, std::uint32_t index, std::uint32_t devices,
                                        std::uint64_t device_memory) noexcept;

}  // namespace soma::memory
