// Moves granules of a range of memory by mapping: which granule of the memory file lies where can be
// exchanged, without a copy.
//
// The range is a part of a device's backing, which takes it for granted that each granule is in its own
// place: restore() brings that back before the memory goes to the device again. For one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/fault.hpp"
#include "memory/identifiers.hpp"

namespace soma::memory {

class granule_map {
public:
  /// `offset` is where the range begins in the file; it and the range's beginning are whole pages. The file
  /// stays open as long as this lives. Less than a granule at the end of the range does not count.
  granule_map(range memory, int file, std::uint64_t offset);

  /// Exchanges what two granules hold; both are given by their beginnings, which are multiples of a granule
  /// from the beginning of the range. If the system refuses, both are as before, and false is returned.
  [[nodiscard]] bool exchange(address one, address other);

  /// Brings all granules back to their own places, with whatever they hold. If the system refuses, some are
  /// not: then the memory must not be given to anyone else.
  [[nodiscard]] bool restore();

private:
  [[nodiscard]] bool put(std::uint64_t place, std::uint64_t granule) const;

  range memory_;
  int file_;
  std::uint64_t offset_;
  std::vector<std::uint64_t> granules_;  // of the file, by place
};

}  // namespace soma::memory
