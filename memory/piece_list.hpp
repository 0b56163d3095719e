// The pieces of a window by address: a linked list without gaps, with look-ups by a piece's begin and by any
// address in it. Knows nothing of what pieces are for; block_index.hpp does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "memory/granule_index.hpp"
#include "memory/number_table.hpp"
#include "memory/piece.hpp"

namespace soma::memory {

/// All pieces by rising address, to look at: pairs of begin and piece.
class piece_view {
public:
  class iterator {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::pair<address, piece>;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = const value_type&;

    iterator() = default;
    iterator(const node_array& nodes, node_id at) noexcept : nodes_(&nodes), at_(at) {}

    reference operator*() const noexcept { return (*nodes_)[at_].entry; }
    pointer operator->() const noexcept { return &(*nodes_)[at_].entry; }
    iterator& operator++() noexcept {
      at_ = (*nodes_)[at_].after;
      return *this;
    }
    iterator operator++(int) noexcept {
      const auto before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& left, const iterator& right) noexcept {
      return left.at_ == right.at_;
    }

  private:
    const node_array* nodes_ = nullptr;
    node_id at_ = node_id::none;
  };

  piece_view(const node_array& nodes, node_id first, std::size_t size) noexcept
      : nodes_(&nodes), first_(first), size_(size) {}

  [[nodiscard]] iterator begin() const noexcept { return {*nodes_, first_}; }
  [[nodiscard]] iterator end() const noexcept { return {*nodes_, node_id::none}; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
  const node_array* nodes_;
  node_id first_;
  std::size_t size_;
};

class piece_list {
public:
  /// One free piece, which is the whole window.
  explicit piece_list(range window);

  [[nodiscard]] node_array& nodes() noexcept { return nodes_; }
  [[nodiscard]] const node_array& nodes() const noexcept { return nodes_; }
  [[nodiscard]] node_id first() const noexcept { return first_; }
  [[nodiscard]] piece_view view() const noexcept { return {nodes_, first_, by_begin_.size()}; }

  /// The piece that begins here, or none.
  [[nodiscard]] node_id find(address begin) const noexcept { return node_id{by_begin_.find(number(begin))}; }

  /// The piece that the address is in. Precondition: it is in the window.
  [[nodiscard]] node_id containing(address inside) const noexcept;

  /// Cuts a piece in two that are alike, the left one of `bytes` bytes. Returns the right one.
  node_id cut(node_id at, std::uint64_t bytes);

  /// The piece takes in the one after it, which is no more.
  void absorb_next(node_id at) noexcept;

private:
  [[nodiscard]] std::uint64_t granule_of(address inside) const noexcept;
  void enter(node_id added);
  void leave(node_id removed);

  range window_;
  node_array nodes_;
  number_table by_begin_;
  granule_index first_in_granule_;
  node_id first_;
};

}  // namespace soma::memory
