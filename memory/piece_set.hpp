// Pieces of one kind: the free ones, or the idle ones of one owner. By size, and in the order of their frees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/piece.hpp"
#include "memory/size_order.hpp"

namespace soma::memory {

class piece_set {
public:
  /// The later it was freed, the faster: among those of one owner it is put in the order of the frees,
  /// looking from the last one back. Those that belong to nobody are in no order.
  void insert(node_array& nodes, node_id added);

  /// The same, for what is left of a piece that was behind this one (none: that was the first).
  void insert_behind(node_array& nodes, node_id added, node_id earlier);

  void erase(node_array& nodes, node_id removed);

  /// Takes the smallest piece of at least so many bytes out, then the lowest; or none.
  node_id take_fitting(node_array& nodes, std::uint64_t bytes);

  /// The smallest piece of at least so many bytes that was freed up to this task, then the lowest; or none.
  [[nodiscard]] node_id fitting(const node_array& nodes, std::uint64_t bytes, sequence_number last) const;

  /// The same, whenever it was freed.
  [[nodiscard]] node_id fitting(const node_array& nodes, std::uint64_t bytes) const {
    return by_size_.first_from(nodes, {bytes, address::null});
  }

  /// Whether all of them were freed up to this task. Precondition: not empty.
  [[nodiscard]] bool all_up_to(const node_array& nodes, sequence_number last) const noexcept {
    const auto& freed_at = nodes[last_].what().freed_at;
    return freed_at.stream == stream_id::none || freed_at.sequence <= last;
  }

  /// The first of the order of the frees, or none; the others by `later`.
  [[nodiscard]] node_id first() const noexcept { return first_; }
  [[nodiscard]] node_id last() const noexcept { return last_; }
  [[nodiscard]] const size_order<by_piece>& by_size() const noexcept { return by_size_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

private:
  void leave_list(node_array& nodes, node_id removed);

  size_order<by_piece> by_size_;
  node_id first_ = node_id::none;
  node_id last_ = node_id::none;
  std::uint64_t bytes_ = 0;
  std::size_t size_ = 0;
};

}  // namespace soma::memory
