// Which parts of a device's address range are taken: pools get windows of whole slots.
//
// A slot is large, so the slot of an address, and with it the window's owner, is found by one division. Taken
// and given back windows are kept as a list of free runs, lowest address first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "memory/identifiers.hpp"

namespace soma::memory {

/// Windows are multiples of this many bytes.
inline constexpr std::uint64_t slot_bytes = std::uint64_t{4} << 30;

class window_list {
public:
  /// The range consists of whole slots.
  explicit window_list(range addresses);

  /// The lowest free window of at least `bytes` bytes (rounded up to slots), or nothing.
  std::optional<range> take(std::uint64_t bytes);

  /// Half of the largest free run of slots, but at least one slot; nothing if there is none.
  std::optional<range> take_half();

  /// Takes back a window that was taken.
  void give_back(range window);

  [[nodiscard]] std::uint64_t free_bytes() const noexcept;

private:
  std::map<address, std::uint64_t> free_runs_;  // begin -> bytes; no two touch
};

}  // namespace soma::memory
