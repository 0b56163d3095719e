// Holes: the neighbours that may together become a block, and what a place in one of them costs.
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>
#include <vector>

#include "memory/identifiers.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

/// How good a place is: less is better, what comes first counts first.
struct price {
  std::uint64_t new_granules = 0;  // beyond what may be moved
  std::uint64_t vacant = 0;
  std::uint64_t without_memory = 0;
  std::uint64_t hole_bytes = 0;
  address begin = address::null;

  friend auto operator<=>(const price&, const price&) = default;
};

/// Granules in a hole that are alike, by their numbers: addresses divided by a granule.
struct hole_part {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // one past
  bool is_whole = false;   // all of the granule is in the hole
  bool has_memory = false;
  bool is_vacant = false;
  // Counts of the parts before this one in the same hole.
  std::uint64_t whole_before = 0;
  std::uint64_t without_memory_before = 0;
  std::uint64_t vacant_before = 0;
};

class hole {
public:
  hole(range where, std::vector<hole_part> parts);

  [[nodiscard]] range where() const noexcept { return where_; }
  [[nodiscard]] const std::vector<hole_part>& parts() const noexcept { return parts_; }

  /// Of its granules that are whole, those with memory, and all.
  [[nodiscard]] std::uint64_t movable() const noexcept { return movable_; }
  [[nodiscard]] std::uint64_t whole() const noexcept { return whole_; }

  /// The price of a block here, if so many granules may be moved in all.
  [[nodiscard]] price price_of(range block, std::uint64_t movable) const;

  /// Calls `visit` with places for a block, among which are the best ones.
  template <class Visit>
  void visit_places(std::uint64_t bytes, Visit visit) const;

  /// The longest block with at most so many whole granules.
  [[nodiscard]] std::uint64_t longest(std::uint64_t whole_granules) const noexcept;

private:
  struct sums {
    std::uint64_t whole = 0, without_memory = 0, vacant = 0;
  };
  [[nodiscard]] sums up_to(std::uint64_t granule) const;

  range where_;
  std::vector<hole_part> parts_;
  std::uint64_t movable_ = 0;
  std::uint64_t whole_ = 0;
};

// Moved down until it meets the hole's begin or a granule's, a block touches no more granules; and from one
// granule to the next its price changes only where the first or the last granule that it touches comes into
// another part. So the lowest of the best places begins where the hole or a part begins, or touches a part's
// last granule last.
template <class Visit>
void hole::visit_places(std::uint64_t bytes, Visit visit) const {
  if (bytes > where_.bytes) {
    return;
  }
  const auto granules = (bytes - 1) / granule_bytes + 1;
  const auto last = number(where_.end()) - bytes;
  const auto consider = [&](std::uint64_t granule) {
    if (const auto begin = granule * granule_bytes; begin > number(where_.begin) && begin <= last) {
      visit(range{address{begin}, bytes});
    }
  };
  visit(range{where_.begin, bytes});
  for (const auto& part : parts_) {
    consider(part.first);
    if (part.last >= granules) {
      consider(part.last - granules);
    }
  }
}

}  // namespace soma::memory
