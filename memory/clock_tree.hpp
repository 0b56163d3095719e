// The positions of a clock that knows many streams, as a tree by stream id.
//
// Streams that wait for each other in turns know nearly the same of all others. As lists their clocks would
// each take, and each time copy, 16 bytes for every stream. Here a node never changes once it is made, so
// trees share whatever they have in common, and what two trees share is not looked at when one is added to
// the other.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "memory/identifiers.hpp"

namespace soma::memory {

class clock_tree {
public:
  [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }

  /// The number of streams.
  [[nodiscard]] std::size_t size() const noexcept { return root_ == nullptr ? 0 : root_->streams; }

  /// The position known of a stream; none if there is none.
  [[nodiscard]] sequence_number of(stream_id stream) const noexcept;

  /// Adds a position. Precondition: it is later than what is known of its stream.
  void add(position task);

  /// Makes each position the later one of both. Returns whether any has changed.
  bool add(const clock_tree& other);

  /// Leaves out the streams of which the other tree knows as late a position.
  void forget(const clock_tree& other);

  /// Visits all positions by rising stream id.
  template <class Visit>
  void for_each(Visit visit) const {
    visit_below(root_, 0, visit);
  }

private:
  static constexpr unsigned bits = 4;  // of a stream's id, for each level
  static constexpr std::size_t fan_out = std::size_t{1} << bits;

  struct node;

  // A counted reference.
  class link {
  public:
    link() noexcept = default;
    explicit link(node* made) noexcept : node_(made) {}
    link(const link& other) noexcept : node_(other.node_) {
      if (node_ != nullptr) {
        node_->users.fetch_add(1, std::memory_order_relaxed);
      }
    }
    link(link&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
    link& operator=(link other) noexcept {
      std::swap(node_, other.node_);
      return *this;
    }
    ~link() {
      if (node_ != nullptr && node_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        destroy(node_);
      }
    }

    const node* operator->() const noexcept { return node_; }
    friend bool operator==(const link& one, const link& other) noexcept { return one.node_ == other.node_; }
    friend bool operator==(const link& one, std::nullptr_t) noexcept { return one.node_ == nullptr; }

  private:
    static void destroy(node* last_of) noexcept;

    node* node_ = nullptr;
  };

  // Of level 0 are the leaves, which hold positions; a node of level n has streams of n + 1 times `bits` bits
  // below it. Its two parts exist by level.
  struct node {
    explicit node(unsigned of_level) noexcept : level(of_level) {}

    std::atomic<std::uint32_t> users{1};
    const unsigned level;
    std::size_t streams = 0;  // below it
  };
  struct leaf : node {
    leaf() noexcept : node(0) {}

    std::array<sequence_number, fan_out> last{};  // none for a stream that is not known
  };
  struct branch : node {
    explicit branch(unsigned of_level) noexcept : node(of_level) {}

    std::array<link, fan_out> below;
  };

  static const leaf& as_leaf(const link& of) noexcept { return static_cast<const leaf&>(*of.operator->()); }
  static const branch& as_branch(const link& of) noexcept {
    return static_cast<const branch&>(*of.operator->());
  }

  // What is at each place of a node that is to be made; no node if there is nothing.
  static link make_leaf(const std::array<sequence_number, fan_out>& last);
  static link make_branch(unsigned level, std::array<link, fan_out> below);

  static link with(const link& old, unsigned level, std::uint64_t stream, sequence_number last);
  static link merged(const link& mine, const link& theirs);
  static link merged_leaves(const link& mine, const link& theirs);
  static link without(const link& mine, const link& known);
  static link raised(link root, unsigned level);

  template <class Visit>
  static void visit_below(const link& top, std::uint64_t first, Visit& visit) {
    if (top == nullptr) {
      return;
    }
    const auto each = std::uint64_t{1} << (bits * top->level);
    for (std::size_t at = 0; at < fan_out; ++at) {
      if (top->level > 0) {
        visit_below(as_branch(top).below[at], first + at * each, visit);
      } else if (const auto last = as_leaf(top).last[at]; last != sequence_number::none) {
        visit(position{stream_id{first + at}, last});
      }
    }
  }

  link root_;
};

}  // namespace soma::memory
