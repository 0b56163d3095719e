// Which piece is the first that begins in a granule, for look-ups by any address in a piece.
//
// Windows are much larger than what is in use of them, so the table comes in parts that are made when needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/piece.hpp"

namespace soma::memory {

class granule_index {
public:
  /// For the granules from 0 up to this number.
  explicit granule_index(std::uint64_t granules);

  [[nodiscard]] node_id at(std::uint64_t granule) const noexcept {
    const auto place = part_of_[granule / part_granules];
    return place == 0 ? node_id::none : parts_[place].first[granule % part_granules];
  }

  /// None takes the entry away.
  void set(std::uint64_t granule, node_id first);

  /// The entry of the last granule before this one that has an entry. Precondition: there is one.
  [[nodiscard]] node_id last_before(std::uint64_t granule) const noexcept;

private:
  static constexpr std::size_t part_granules = 512;
  static constexpr std::size_t part_words = part_granules / 64;

  struct part {
    std::array<std::uint64_t, part_words> filled{};
    std::array<node_id, part_granules> first{};
    std::size_t count = 0;
  };

  [[nodiscard]] static std::size_t last_in(const part& here, std::size_t end) noexcept;

  std::vector<part> parts_{1};          // the first stands for none
  std::vector<std::uint32_t> part_of_;  // by granule / part_granules
};

}  // namespace soma::memory
