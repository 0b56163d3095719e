// The allocator that soma's pools are compared with: two-level segregated fit (Masmano and others, "TLSF: a
// new dynamic memory allocator for real-time systems", 2004) over a range of addresses.
//
// All of its records lie outside of the range, as they must for the memory of a device: addresses are numbers
// here, and nothing behind them is read or written. It knows no streams: a freed block may go to anyone at
// once. Free blocks are in lists by size: a list for each of the first 32 sizes, then 32 lists for each power
// of two. A request gets the first block of the first list in which every block is large enough, which two
// bitmaps find without a search. So a request may be refused although a free block of nearly its own size is
// there.
//
//   B1  The blocks, in the order of their neighbour links, cover the range without gap or overlap.
//   B2  No two neighbours are free.
//   B3  A free block is in the list of its size, a live one in none; a list's bit is set if it is not empty,
//   and a
//       power's bit if one of its lists is not.
//   B4  The table holds the addresses of the live blocks and nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "bench/baseline/address_table.hpp"

namespace soma::bench {

class segregated_fit {
public:
  /// Sizes are rounded up to multiples of this.
  static constexpr std::uint64_t unit_bytes = 512;

  /// Preconditions: `begin` is a multiple of the unit; `bytes` is one, too, and not 0.
  segregated_fit(std::uint64_t begin, std::uint64_t bytes);

  /// The address of a block of at least this many bytes. Nothing for 0 bytes, or if no list has a block.
  std::optional<std::uint64_t> malloc(std::uint64_t bytes);

  /// False, and nothing has changed, if no live block begins at this address.
  bool free(std::uint64_t address);

  [[nodiscard]] std::size_t live_blocks() const noexcept { return live_.size(); }

  /// Whether B1 to B4 hold. Looks at every block.
  [[nodiscard]] bool check_invariants() const;

private:
  using block_number = std::uint32_t;

  static constexpr block_number none = ~block_number{0};
  static constexpr unsigned second_bits = 5;
  static constexpr unsigned second_count = 1U << second_bits;
  static constexpr unsigned first_count = 64 - second_bits + 1;

  struct block {
    std::uint64_t begin = 0;
    std::uint64_t units = 0;
    block_number before = none;  ///< the neighbour by address
    block_number after = none;
    block_number previous = none;  ///< in the list; unused in a live block
    block_number next = none;
    bool is_free = false;
  };

  /// The number of a list.
  struct list {
    unsigned first = 0;
    unsigned second = 0;
  };

  [[nodiscard]] static list list_of(std::uint64_t units) noexcept;
  /// The first list in which every block has at least this many units.
  [[nodiscard]] static list list_for(std::uint64_t units) noexcept;
  /// The first list from this one on that is not empty.
  [[nodiscard]] std::optional<list> find(list from) const noexcept;

  void enlist(block_number number) noexcept;
  void unlist(block_number number) noexcept;
  block_number new_block();
  /// Cuts what is more than `units` off, as a free block.
  void split(block_number number, std::uint64_t units);
  /// Adds the block behind to this one. Precondition: that one is in no list.
  void absorb(block_number number, block_number behind) noexcept;

  /// B1 and B2. The number of live blocks on success.
  [[nodiscard]] std::optional<std::size_t> check_blocks() const;
  /// B3. The number of free blocks on success.
  [[nodiscard]] std::optional<std::size_t> check_lists() const;

  std::uint64_t begin_;
  std::uint64_t units_;
  std::vector<block> blocks_;
  std::vector<block_number> unused_;  ///< numbers of blocks that were absorbed
  address_table live_;
  std::uint64_t firsts_ = 0;
  std::array<std::uint32_t, first_count> seconds_{};
  std::array<std::array<block_number, second_count>, first_count> heads_;
};

/// The same behind a mutex: the baseline.
class locked_fit {
public:
  locked_fit(std::uint64_t begin, std::uint64_t bytes) : fit_(begin, bytes) {
    // nop
  }

  std::optional<std::uint64_t> malloc(std::uint64_t bytes) {
    const std::lock_guard hold(mutex_);
    return fit_.malloc(bytes);
  }

  bool free(std::uint64_t address) {
    const std::lock_guard hold(mutex_);
    return fit_.free(address);
  }

private:
  std::mutex mutex_;
  segregated_fit fit_;
};

}  // namespace soma::bench
