#include "memory/layout.hpp"

#include <algorithm>

#include "memory/sizes.hpp"
#include "memory/window_list.hpp"

namespace soma::memory {

namespace {

// A heap in a window of just its limit could find no room between blocks that lie badly; addresses cost
// nothing, so windows are larger where the range allows it.
constexpr std::uint64_t generous = 4;

}  // namespace

std::uint64_t least_device_range() noexcept { return 4 * slot_bytes; }

device_layout plan_device(range addresses, std::uint32_t index, std::uint32_t devices,
                          std::uint64_t device_memory) noexcept {
  const auto share = round_down(addresses.bytes / devices, slot_bytes);
  const auto begin = addresses.begin + index * share;
  const auto wanted = generous * round_up(device_memory, slot_bytes);
  device_layout layout;
  layout.plain = {begin, std::min(wanted, round_down(share / 4, slot_bytes))};
  layout.host = {layout.plain.end(), std::max(slot_bytes, round_down(share / 8, slot_bytes))};
  layout.pools = {layout.host.end(), share - layout.plain.bytes - layout.host.bytes};
  return layout;
}

}  // namespace soma::memory
