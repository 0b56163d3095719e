// Pieces, or runs of pieces, in the order of their sizes, and of their addresses among equal sizes.
//
// Sizes are divided into bins, four or one for each power of two, and each bin is a treap; a bitmap tells
// which bins have anything. So the smallest that fits is found in a few steps, and what belongs together in
// size is found exactly, not only by bin.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "memory/piece.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

/// How pieces are in the order of their sizes.
struct by_piece {
  static constexpr unsigned bin_bits = 2;  // four bins for each power of two
  static size_key key(const piece_node& node) noexcept { return node.size(); }
  static node_id& low(piece_node& node) noexcept { return node.smaller; }
  static node_id& high(piece_node& node) noexcept { return node.larger; }
  static node_id low(const piece_node& node) noexcept { return node.smaller; }
  static node_id high(const piece_node& node) noexcept { return node.larger; }
};

/// How runs are, each by the root of its tree.
struct by_run {
  static constexpr unsigned bin_bits = 0;
  static size_key key(const piece_node& node) noexcept { return node.run; }
  static node_id& low(piece_node& node) noexcept { return node.smaller_run; }
  static node_id& high(piece_node& node) noexcept { return node.larger_run; }
  static node_id low(const piece_node& node) noexcept { return node.smaller_run; }
  static node_id high(const piece_node& node) noexcept { return node.larger_run; }
};

template <class By>
class size_order {
public:
  void insert(node_array& nodes, node_id added);

  /// Precondition: it is in here, under the key that it has now.
  void erase(node_array& nodes, node_id removed);

  /// first_from and erase in one.
  node_id take_from(node_array& nodes, size_key least);

  /// The first that is not below the key, or none.
  [[nodiscard]] node_id first_from(const node_array& nodes, size_key least) const;

  /// The one after it, or none.
  [[nodiscard]] node_id next(const node_array& nodes, node_id before) const {
    const auto key = By::key(nodes[before]);
    return first_from(nodes, {key.bytes, key.begin + 1});
  }

private:
  // The last bin takes everything that is larger; no window is.
  static constexpr unsigned least_power = std::bit_width(smallest_block_bytes) - 1;
  static constexpr unsigned powers = 40;
  static constexpr unsigned bins = powers << By::bin_bits;
  static constexpr unsigned words = (bins + 63) / 64;

  static unsigned bin_of(std::uint64_t bytes) noexcept {
    bytes = std::max(bytes, smallest_block_bytes);
    const auto power = static_cast<unsigned>(std::bit_width(bytes)) - 1;
    const auto part = bytes >> (power - By::bin_bits) & ((1U << By::bin_bits) - 1);
    const auto bin = ((power - least_power) << By::bin_bits) + static_cast<unsigned>(part);
    return bin < bins ? bin : bins - 1;
  }

  // The lowest bin above this one that has anything, or `bins`.
  [[nodiscard]] unsigned filled_above(unsigned bin) const noexcept {
    auto word = bin / 64;
    auto above = filled_[word] & (~std::uint64_t{0} << (bin % 64) << 1U);
    while (above == 0) {
      if (++word == words) {
        return bins;
      }
      above = filled_[word];
    }
    return word * 64 + static_cast<unsigned>(std::countr_zero(above));
  }

  void erase_at(node_array& nodes, node_id* link, unsigned bin);

  std::array<std::uint64_t, words> filled_{};
  std::array<node_id, bins> roots_{};
};

// A treap: in order by key, and no node has a lower rank than those below it.
template <class By>
void size_order<By>::insert(node_array& nodes, node_id added) {
  const auto key = By::key(nodes[added]);
  const auto bin = bin_of(key.bytes);
  filled_[bin / 64] |= std::uint64_t{1} << (bin % 64);
  auto* link = &roots_[bin];
  while (*link != node_id::none && rank(*link) >= rank(added)) {
    auto& node = nodes[*link];
    link = key < By::key(node) ? &By::low(node) : &By::high(node);
  }
  auto rest = *link;
  *link = added;
  auto* low = &By::low(nodes[added]);
  auto* high = &By::high(nodes[added]);
  while (rest != node_id::none) {
    auto& node = nodes[rest];
    if (By::key(node) < key) {
      *low = rest;
      low = &By::high(node);
      rest = *low;
    } else {
      *high = rest;
      high = &By::low(node);
      rest = *high;
    }
  }
  *low = node_id::none;
  *high = node_id::none;
}

template <class By>
void size_order<By>::erase(node_array& nodes, node_id removed) {
  const auto key = By::key(nodes[removed]);
  const auto bin = bin_of(key.bytes);
  auto* link = &roots_[bin];
  while (*link != removed) {
    auto& node = nodes[*link];
    link = key < By::key(node) ? &By::low(node) : &By::high(node);
  }
  erase_at(nodes, link, bin);
}

// What is below the node comes into its place, by rank.
template <class By>
void size_order<By>::erase_at(node_array& nodes, node_id* link, unsigned bin) {
  auto low = By::low(nodes[*link]);
  auto high = By::high(nodes[*link]);
  while (low != node_id::none && high != node_id::none) {
    if (rank(low) >= rank(high)) {
      *link = low;
      link = &By::high(nodes[low]);
      low = *link;
    } else {
      *link = high;
      link = &By::low(nodes[high]);
      high = *link;
    }
  }
  *link = low != node_id::none ? low : high;
  if (roots_[bin] == node_id::none) {
    filled_[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
  }
}

template <class By>
node_id size_order<By>::first_from(const node_array& nodes, size_key least) const {
  const auto bin = bin_of(least.bytes);
  auto best = node_id::none;
  for (auto at = roots_[bin]; at != node_id::none;) {
    const auto& node = nodes[at];
    if (By::key(node) < least) {
      at = By::high(node);
    } else {
      best = at;
      at = By::low(node);
    }
  }
  if (best != node_id::none) {
    return best;
  }
  // All in a higher bin is larger; the lowest of the next one is it.
  const auto above = filled_above(bin);
  for (auto at = above == bins ? node_id::none : roots_[above]; at != node_id::none;
       at = By::low(nodes[at])) {
    best = at;
  }
  return best;
}

template <class By>
node_id size_order<By>::take_from(node_array& nodes, size_key least) {
  auto bin = bin_of(least.bytes);
  node_id* best = nullptr;
  for (auto* link = &roots_[bin]; *link != node_id::none;) {
    auto& node = nodes[*link];
    if (By::key(node) < least) {
      link = &By::high(node);
    } else {
      best = link;
      link = &By::low(node);
    }
  }
  if (best == nullptr) {
    bin = filled_above(bin);
    if (bin == bins) {
      return node_id::none;
    }
    best = &roots_[bin];
    while (By::low(nodes[*best]) != node_id::none) {
      best = &By::low(nodes[*best]);
    }
  }
  const auto taken = *best;
  erase_at(nodes, best, bin);
  return taken;
}

}  // namespace soma::memory
