// A piece of a window of addresses, and the node that it is kept in by the block index.
//
// Nodes lie in one array and name each other by their places in it, so that a copy of the array is a copy of
// everything. Each node is linked to the pieces before and after it in the window; the other links belong to
// the lists and trees that the piece is in by its state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "memory/identifiers.hpp"

namespace soma::memory {

enum class piece_state : std::uint8_t { free, idle, busy, leaving };

/// `freed_at` of memory that is settled: the host has seen its free complete. Anyone may have it.
inline constexpr position settled{};

/// `freed_at` of memory that was in no block since it was held. Anyone may have it.
inline constexpr position never_used{stream_id::none, sequence_number{1}};

/// `freed_at` of a leaving granule in which several streams have freed something.
inline constexpr position several{stream_id::none, sequence_number{2}};

struct piece {
  std::uint64_t bytes = 0;
  std::uint64_t requested = 0;  // of a busy piece: the size asked for
  piece_state state = piece_state::free;
  std::uint8_t served = 0;      // of a busy piece: how, as its taker has noted
  bool joined = false;          // of a busy piece: it was made of several pieces
  bool stitched = false;        // of a busy piece: idle granules were moved there to make it
  position freed_at = settled;  // of an idle or leaving piece: the task that freed it, or one of the above;
                                // of a busy piece the same of its first part, as its taker has noted
  std::uint64_t lease = 0;      // of a busy piece that was lent: the number of the lease
};

/// The place of a node in the array.
enum class node_id : std::uint32_t { none = 0 };

/// What memory is looked for by: the smallest that fits, then the lowest.
struct size_key {
  std::uint64_t bytes = 0;
  address begin = address::null;

  // Without a branch, which would be mispredicted half of the time.
  friend constexpr bool operator<(const size_key& left, const size_key& right) noexcept {
    return (left.bytes < right.bytes) | ((left.bytes == right.bytes) & (left.begin < right.begin));
  }
};

/// What most look-ups need is in the first cache line.
struct alignas(64) piece_node {
  std::pair<address, piece> entry;  // the piece by its address

  // Of a free or idle piece: the tree by size.
  node_id smaller = node_id::none;
  node_id larger = node_id::none;

  // The neighbours by address.
  node_id before = node_id::none;
  node_id after = node_id::none;

  // Of a free or idle piece: the neighbours in the order of the frees.
  node_id earlier = node_id::none;
  node_id later = node_id::none;

  // Of an idle piece: where its owner is kept, and the tree of its run by address (run_tree.hpp); or, as long
  // as it is not in a run, the list of such pieces (idle_pieces.hpp).
  std::uint32_t owner = 0;
  bool is_in_run = false;
  node_id run_up = node_id::none;
  node_id run_left = node_id::none;
  node_id run_right = node_id::none;
  node_id smaller_run = node_id::none;
  node_id larger_run = node_id::none;
  size_key run;  // the bytes of this part of the tree; and in the root, where the run begins

  [[nodiscard]] address begin() const noexcept { return entry.first; }
  [[nodiscard]] address end() const noexcept { return entry.first + entry.second.bytes; }
  [[nodiscard]] piece& what() noexcept { return entry.second; }
  [[nodiscard]] const piece& what() const noexcept { return entry.second; }
  [[nodiscard]] size_key size() const noexcept { return {entry.second.bytes, entry.first}; }
};

class node_array {
public:
  [[nodiscard]] piece_node& operator[](node_id id) noexcept { return nodes_[number(id)]; }
  [[nodiscard]] const piece_node& operator[](node_id id) const noexcept { return nodes_[number(id)]; }

  /// A node in no list. What it holds is of no meaning yet.
  node_id make() {
    if (unused_ == node_id::none) {
      nodes_.emplace_back();
      return node_id{static_cast<std::uint32_t>(nodes_.size() - 1)};
    }
    const auto made = unused_;
    unused_ = nodes_[number(made)].after;
    return made;
  }

  void discard(node_id id) noexcept {
    nodes_[number(id)].after = unused_;
    unused_ = id;
  }

private:
  std::vector<piece_node> nodes_{1};  // the first stands for none
  node_id unused_ = node_id::none;    // a list, linked by `after`
};

/// The rank of a node in trees that are balanced by chance: spread out, but the same in every run.
constexpr std::uint32_t rank(node_id id) noexcept {
  auto spread = static_cast<std::uint32_t>(id) * 0x9E3779B1U;
  spread ^= spread >> 15U;
  return spread * 0x85EBCA77U;
}

}  // namespace soma::memory
