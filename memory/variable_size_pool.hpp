// A pool of blocks of any size: the smallest free piece that fits, at the lowest address; what is left of it
// stays free, and a freed block merges with both of its neighbours at once. Each takes a number of steps that
// grows with the logarithm of the number of pieces.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "memory/classic_pool.hpp"

namespace soma::memory {

class variable_size_pool final : public classic_pool {
public:
  /// Blocks are multiples of `unit` bytes, and so is what is used of the memory. Precondition: unit is not 0,
  /// and the memory has one unit at least.
  variable_size_pool(range memory, std::uint64_t unit);

  result<range> allocate(std::uint64_t asked) override;
  result<void> free(address block) override;
  [[nodiscard]] classic_figures figures() const override;
  [[nodiscard]] range memory() const noexcept override { return memory_; }

private:
  struct live_block {
    std::uint64_t bytes = 0;
    std::uint64_t asked = 0;
  };
  using free_piece = std::pair<std::uint64_t, address>;  // by size, then by address

  void add_free(range piece);
  void remove_free(std::map<address, std::uint64_t>::iterator piece);

  range memory_;
  std::uint64_t unit_;
  std::map<address, live_block> live_;
  std::map<address, std::uint64_t> free_;  // no two are neighbours
  std::set<free_piece> by_size_;           // the same pieces
  address used_up_to_;                     // nothing at or behind this address was ever in a block
  classic_counters counters_;
};

}  // namespace soma::memory
