// The pieces of a window of addresses: free (no memory behind it), idle (memory, nobody's block) or busy (a
// block). It knows sizes, places and by which task a piece was freed; who may take what is the caller's rule
// (reach.hpp), and putting memory behind granules is the caller's work.
//
// Invariants, checked by broken_invariant():
//   I1  the pieces cover the window without gap or overlap
//   I2  sizes are multiples of the minimum block; free pieces are whole granules
//   I3  no two free pieces touch; no two idle pieces touch that were freed by the same task, or are
//       both settled, or both never used
//   I4  the lists by size hold each free and each idle piece once, under its size and owner
//   I5  free, idle, busy and requested bytes are the sums over the pieces
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "memory/fault.hpp"
#include "memory/identifiers.hpp"
#include "memory/reach.hpp"

namespace soma::memory {

enum class piece_state : std::uint8_t { free, idle, busy };

/// `freed_at` of memory that is settled: the host has seen its free complete. Anyone may have it.
inline constexpr position settled{};

/// `freed_at` of memory that was in no block since it was held. Anyone may have it.
inline constexpr position never_used{stream_id::none, sequence_number{1}};

struct piece {
  std::uint64_t bytes = 0;
  std::uint64_t requested = 0;  // of a busy piece: the size asked for
  piece_state state = piece_state::free;
  position freed_at = settled;  // of an idle piece: the task that freed it, or one of the above
};

/// A piece of idle memory that became a block, or a part of one.
struct idle_part {
  range where;
  position freed_at;
};

/// A place for a block that is at least partly new memory.
struct new_place {
  range block;
  std::vector<range> held;      // the granules that must get memory first, by rising address
  std::uint64_t new_bytes = 0;  // all of them together
};

class block_index {
public:
  /// The window consists of whole granules; the minimum block is a power of two up to one granule.
  block_index(range window, std::uint64_t minimum_block);

  // -- looking ----------------------------------------------------------------------------------------------

  /// The idle memory for a block of `bytes` bytes: the smallest piece that fits, or if none does the smallest
  /// run of neighbours that fits together; then the lowest address.
  [[nodiscard]] std::optional<address> find_idle(std::uint64_t bytes, const reach& allowed) const;

  /// The place for a block of new memory alone: in the smallest free piece that fits, then the lowest
  /// address.
  [[nodiscard]] std::optional<new_place> find_free(std::uint64_t bytes) const;

  /// The place for a block that is made of new memory and of idle memory that may be taken, wherever that
  /// lies. It starts where free or idle memory starts or ends where such memory ends, and takes the fewest
  /// new granules; then the free pieces that it touches are the smallest together, then the address is the
  /// lowest. Precondition: find_idle found nothing under the same rule.
  [[nodiscard]] std::optional<new_place> find_new(std::uint64_t bytes, const reach& allowed) const;

  /// Idle granules that may be given up, together not more than `bytes`: highest addresses first, but those
  /// that `spared` touches after all others.
  [[nodiscard]] std::vector<range> find_releasable(std::uint64_t bytes, const reach& allowed,
                                                   range spared = {}) const;

  /// The largest block that find_idle could serve.
  [[nodiscard]] std::uint64_t largest_idle(const reach& allowed) const;

  /// The largest block that find_new could serve with at most `new_bytes` of new granules.
  [[nodiscard]] std::uint64_t largest_new(std::uint64_t new_bytes, const reach& allowed) const;

  /// The live block that starts here, or null.
  [[nodiscard]] const piece* find_busy(address begin) const;

  /// The streams with idle pieces that are not settled, and the last position of each.
  [[nodiscard]] std::vector<position> unsettled() const;

  // -- changing ---------------------------------------------------------------------------------------------

  /// Free granules become idle memory that was never used.
  void hold(range granules);

  /// Idle memory becomes one block. Returns the pieces that it was, by rising address.
  std::vector<idle_part> occupy(range block, std::uint64_t requested);

  /// Undoes occupy(): the block becomes the idle pieces again that it was; what has been settled since is
  /// taken from `seen`. Precondition: find_busy of the first part's begin.
  void restore(const std::vector<idle_part>& parts, const order_clock& seen);

  /// A block becomes idle. Precondition: find_busy(begin).
  void vacate(address begin, position freed_at);

  /// What was freed by tasks that `seen` covers becomes settled, and merges.
  void settle(const order_clock& seen);

  /// Idle granules become free.
  void release(range granules);

#ifdef SOMA_MUTATIONS
  /// An idle piece that starts here, and was freed by this task, belongs to another stream from now on.
  void change_owner(address begin, position freed_at, stream_id to);
#endif

  // -- figures ----------------------------------------------------------------------------------------------

  [[nodiscard]] range window() const noexcept { return window_; }
  [[nodiscard]] std::uint64_t minimum_block() const noexcept { return minimum_block_; }
  [[nodiscard]] std::uint64_t idle_bytes() const noexcept { return idle_bytes_; }
  [[nodiscard]] std::uint64_t busy_bytes() const noexcept { return busy_bytes_; }
  [[nodiscard]] std::uint64_t requested_bytes() const noexcept { return requested_bytes_; }
  [[nodiscard]] std::uint64_t busy_count() const noexcept { return busy_count_; }
  [[nodiscard]] const std::map<address, piece>& pieces() const noexcept { return pieces_; }

  /// The first invariant that does not hold, in words; nothing if all hold. Walks over everything.
  [[nodiscard]] std::optional<std::string> broken_invariant() const;

private:
  using iterator = std::map<address, piece>::iterator;
  using const_iterator = std::map<address, piece>::const_iterator;
  using size_key = std::pair<std::uint64_t, address>;

  // The idle pieces of one owner: by size and address, with the sequence number of their frees.
  struct owned {
    std::map<size_key, sequence_number> by_size;
    std::uint64_t bytes = 0;
  };

  [[nodiscard]] bool takeable(const_iterator at, const reach& allowed) const;
  [[nodiscard]] std::uint64_t takeable_bytes(const reach& allowed) const;
  [[nodiscard]] std::optional<address> find_piece(std::uint64_t bytes, const reach& allowed) const;
  [[nodiscard]] std::optional<address> find_run(std::uint64_t bytes, const reach& allowed) const;
  std::optional<range> releasable_before(const_iterator& at, const reach& allowed) const;

  // Neighbours that a block could be made of; place_search.cpp.
  struct stretch;
  void gather(const_iterator free_piece, const reach& allowed, std::vector<stretch>& run) const;
  [[nodiscard]] new_place place_at(range block) const;

  // The only ways in which pieces change; they keep the lists by size in step.
  iterator insert(address begin, const piece& added);
  iterator remove(iterator at);
  iterator split(iterator at, address middle);
  iterator split_out(range part);
  iterator merge_around(iterator at);

  range window_;
  std::uint64_t minimum_block_;
  std::map<address, piece> pieces_;
  std::set<size_key> free_by_size_;
  std::map<stream_id, owned> idle_;  // settled and never used pieces under stream_id::none
  std::uint64_t idle_bytes_ = 0;
  std::uint64_t busy_bytes_ = 0;
  std::uint64_t requested_bytes_ = 0;
  std::uint64_t busy_count_ = 0;
};

}  // namespace soma::memory
