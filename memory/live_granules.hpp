// In which granules of a window there is something live: a block, or a part of one.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/identifiers.hpp"
#include "memory/short_list.hpp"

namespace soma::memory {

/// Granules, by their numbers in the window, that became live or vacant; only those that a block fills in
/// part.
using turned_granules = short_list<std::uint64_t, 2>;

class live_granules {
public:
  explicit live_granules(range window) noexcept : window_(window) {}

  /// There is a block now. Precondition: not empty, and no other one is in its place.
  turned_granules enter(range block);

  /// It is no more.
  turned_granules leave(range block);

  [[nodiscard]] std::uint64_t granule_of(address inside) const noexcept;
  [[nodiscard]] address begin_of(std::uint64_t granule) const noexcept;
  [[nodiscard]] std::uint64_t count() const noexcept;

  [[nodiscard]] bool is_live(std::uint64_t granule) const noexcept {
    return granule / 64 < live_.size() && (live_[granule / 64] >> (granule % 64) & 1U) != 0;
  }

  /// The first granule from this one on that is live, or is not; the count of all if there is none.
  [[nodiscard]] std::uint64_t next_live(std::uint64_t granule) const noexcept;
  [[nodiscard]] std::uint64_t next_vacant(std::uint64_t granule) const noexcept;

private:
  void grow(std::uint64_t granules);
  void mark(std::uint64_t first, std::uint64_t last, bool live) noexcept;
  [[nodiscard]] std::uint64_t next(std::uint64_t granule, std::uint64_t flipped) const noexcept;

  range window_;
  std::vector<std::uint64_t> live_;     // a bit for each granule, as far as there ever was a block
  std::vector<std::uint16_t> in_part_;  // how many blocks fill it in part
};

}  // namespace soma::memory
