// Free memory in several regions: the smallest free piece that fits, at the lowest address; what is left of
// it stays free, and what is put back merges with both of its neighbours. Regions come and go as a whole, and
// pieces of two regions never merge. Each step takes a time that grows with the logarithm of the number of
// pieces.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "memory/identifiers.hpp"

namespace soma::memory {

class region_heap {
public:
  void add(range fresh);

  /// Precondition: nothing of the region is taken.
  void remove(range idle);

  struct piece {
    range where;
    bool was_used = false;  // some of it was taken before
  };

  /// Takes memory. Nothing if no free piece is large enough.
  [[nodiscard]] std::optional<piece> take(std::uint64_t bytes);

  /// Precondition: it was taken as it is.
  void put(range memory);

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }
  [[nodiscard]] std::uint64_t largest_free() const noexcept {
    return by_size_.empty() ? 0 : by_size_.rbegin()->first;
  }

  /// Regions of which nothing is taken, the largest last.
  [[nodiscard]] const std::set<std::pair<std::uint64_t, address>>& idle() const noexcept { return idle_; }
  [[nodiscard]] std::vector<range> regions() const;

private:
  struct region {
    std::uint64_t bytes = 0;
    std::uint64_t taken = 0;
    address used_up_to = address::null;  // nothing at or behind this was ever taken
  };
  using pieces = std::map<address, std::uint64_t>;

  std::map<address, region>::iterator region_of(address inside);
  void add_free(range freed);
  void remove_free(pieces::iterator taken);

  std::map<address, region> regions_;
  pieces free_;
  std::set<std::pair<std::uint64_t, address>> by_size_;  // the same pieces
  std::set<std::pair<std::uint64_t, address>> idle_;
  std::uint64_t bytes_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace soma::memory
