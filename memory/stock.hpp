// What a stream holds of a pool's blocks: those that it freed and may give out again without asking the pool.
//
// A block is lent to the stream by the pool. It is then either in the stock (idle: the stream has freed it)
// or live (the stream has given it out again). To the pool it is busy all the time; what it needs to know for
// its counters is gathered in a report.
//
// Invariants:
//   S1  A block of the stock goes to a request for exactly as many bytes as were asked for when the pool
//   granted it,
//       so that the pool's sizes of it stay true; of several, to the one that was freed last.
//   S2  Frees come with rising sequence numbers.
//   S3  bytes() and requested() are the sums over the blocks in the stock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory/address_table.hpp"
#include "memory/identifiers.hpp"
#include "memory/lent.hpp"
#include "memory/number_table.hpp"

namespace soma::memory {

class stock {
public:
  /// How many blocks it has at most; over it the oldest go back. (Measured: docs/performance.md.)
  static constexpr std::size_t most = 1024;
  /// So many at once.
  static constexpr std::size_t returned_at_once = 256;

  enum class holding : std::uint8_t { nothing, live, idle };

  [[nodiscard]] holding find(address begin) const noexcept {
    const auto at = nodes_.find(begin);
    return at == 0 ? holding::nothing : nodes_[at].is_live ? holding::live : holding::idle;
  }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] bool is_full() const noexcept { return count_ >= most; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t requested() const noexcept { return requested_; }

  /// Gives a block out for so many bytes; null if there is none. It is live then.
  address take(std::uint64_t asked) noexcept;

  /// A live block is freed. Returns false if no live block starts here.
  bool put_back(address begin, sequence_number freed) noexcept;

  /// A block was lent that the stream has just freed. Precondition: it is not known here.
  void add(const stocked_block& lent) { enter(add_node(lent, false)); }

  /// A block was lent when it was granted: it is live. Precondition: it is not known here.
  void add_live(range block, std::uint64_t requested) {
    add_node({block.begin, block.bytes, requested, sequence_number::none}, true);
  }

  /// Whether any live block is lent.
  [[nodiscard]] bool has_live() const noexcept { return nodes_.size() > count_; }

  /// A live block is lent no more. Returns the task that freed it when it was in the stock last, or none.
  /// Precondition: find() says that it is live.
  sequence_number forget_live(address begin) noexcept;

  /// The smallest block of at least so many bytes, then the lowest. It stays here until reported() says
  /// otherwise.
  [[nodiscard]] std::optional<stocked_block> offer(std::uint64_t asked);

  /// What is to be told the pool.
  [[nodiscard]] stock_report report() const noexcept;

  /// The pool has got the last report, and may have taken what was offered.
  void reported(bool took_offer);

  /// The oldest blocks, which are no longer here; `returned_at_once` of them, or all.
  [[nodiscard]] std::vector<stocked_block> take_oldest();

  /// All blocks of the stock, by the order of their frees, which are no longer here; nothing is offered then,
  /// and what there was to tell is told. Live ones stay lent.
  [[nodiscard]] std::vector<stocked_block> take_idle();

private:
  using node_number = std::uint32_t;   // where it is in the table; 0 is none
  using class_number = std::uint32_t;  // 0 is none

  // What a free of any of many blocks touches: half of a cache line.
  struct alignas(32) node {
    address begin = address::null;
    sequence_number freed = sequence_number::none;  // last; none if it never was in the stock
    class_number of = 0;
    node_number earlier = 0;  // in the stock: the next one of the same size, freed earlier
    bool is_live = false;
  };

  // Blocks for which as many bytes were asked, the one freed last first. They are all of one size.
  struct size_class {
    std::uint64_t requested = 0;
    std::uint64_t bytes = 0;
    node_number latest = 0;
  };

  [[nodiscard]] class_number class_of(const stocked_block& block);
  [[nodiscard]] stocked_block block_of(const node& of) const noexcept {
    return {of.begin, classes_[of.of].bytes, classes_[of.of].requested, of.freed};
  }
  node_number add_node(const stocked_block& lent, bool is_live);
  void enter(node_number at);
  void leave(const node& left) noexcept;
  void forget(node_number at) noexcept;
  void forget_empty_classes();
  void make_room();

  address_table<node> nodes_;
  std::vector<size_class> classes_{1};
  number_table by_requested_;
  class_number latest_class_ = 0;
  node_number latest_given_ = 0;  // often the next to be freed; 0 once it has been forgotten
  // What changes with each block is not side by side: compilers would read two in one go that were written
  // one by one just before, which costs a stall of some nanoseconds.
  std::size_t count_ = 0;
  std::uint64_t least_bytes_ = stock_report::nothing;
  std::uint64_t bytes_ = 0;
  std::uint64_t least_requested_ = stock_report::nothing;
  std::uint64_t requested_ = 0;
  address offered_ = address::null;
  std::uint64_t served_ = 0;
};

inline address stock::take(std::uint64_t asked) noexcept {
  if (classes_[latest_class_].requested != asked || latest_class_ == 0) {
    latest_class_ = by_requested_.find(asked);
  }
  auto& of = classes_[latest_class_];
  if (of.latest == 0) {
    return address::null;
  }
  latest_given_ = of.latest;
  auto& given = nodes_[of.latest];
  of.latest = given.earlier;
  given.is_live = true;
  leave(given);
  ++served_;
  least_bytes_ = std::min(least_bytes_, bytes_);
  least_requested_ = std::min(least_requested_, requested_);
  return given.begin;
}

inline bool stock::put_back(address begin, sequence_number freed) noexcept {
  const auto at = nodes_[latest_given_].begin == begin ? latest_given_ : nodes_.find(begin);
  if (at == 0 || !nodes_[at].is_live) {
    return false;
  }
  nodes_[at].is_live = false;
  nodes_[at].freed = freed;
  enter(at);
  return true;
}

inline void stock::enter(node_number at) {
  auto& entered = nodes_[at];
  auto& of = classes_[entered.of];
  entered.earlier = of.latest;
  of.latest = at;
  ++count_;
  bytes_ += of.bytes;
  requested_ += of.requested;
}

inline void stock::leave(const node& left) noexcept {
  --count_;
  bytes_ -= classes_[left.of].bytes;
  requested_ -= classes_[left.of].requested;
}

}  // namespace soma::memory
