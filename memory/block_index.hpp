// The pieces of a window of addresses: free (no memory behind it), idle (memory, nobody's block), busy (a
// block) or leaving (its memory is promised elsewhere, but tasks may still touch the addresses). It knows
// sizes, places and by which task a piece was freed; who may take what is the caller's rule (reach.hpp), and
// putting memory behind granules is the caller's work.
//
// Invariants, checked by broken_invariant():
//   I1  the pieces cover the window without gap or overlap
//   I2  sizes are multiples of the minimum block; free and leaving pieces are whole granules
//   I3  no two free pieces touch; no two idle pieces touch that were freed by the same task, or are
//       both settled, or both never used; nor do two leaving pieces that were freed by the same task
//   I4  each free and each idle piece is listed once by its size and once by its free, under its owner; each
//       leaving piece is listed, and no leaving piece is settled
//   I5  idle, busy and requested bytes are the sums over the pieces
//   I6  neighbouring idle pieces of one owner are one run, which is listed if it has more than one piece; the
//       searches that ask for runs see to it before
//
// What a change costs does not depend on how many pieces or owners there are, but for logarithms; nor does
// the search for one piece, with a rule that names few streams.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "memory/identifiers.hpp"
#include "memory/idle_pieces.hpp"
#include "memory/piece.hpp"
#include "memory/piece_list.hpp"
#include "memory/piece_set.hpp"
#include "memory/reach.hpp"
#include "memory/short_list.hpp"

namespace soma::memory {

/// A piece of idle memory that became a block, or a part of one.
struct idle_part {
  range where;
  position freed_at;
};

using idle_parts = short_list<idle_part, 1>;

/// A place for a block, some granules of which have no memory yet.
struct new_place {
  range block;
  std::vector<range> held;      // the granules that must get memory first, by rising address
  std::vector<range> moved;     // idle granules elsewhere that are given up for them
  std::uint64_t new_bytes = 0;  // what `held` needs beyond that
};

/// Granules that were given up, and the frees after which nothing touches them any more.
struct departure {
  range granules;
  std::vector<position> frees;
};

class block_index {
public:
  /// The window consists of whole granules; the minimum block is a power of two up to one granule.
  block_index(range window, std::uint64_t minimum_block);

  // -- looking ----------------------------------------------------------------------------------------------

  /// The idle memory for a block of `bytes` bytes: the smallest piece that fits, or if none does the smallest
  /// run of neighbours that fits together; then the lowest address.
  [[nodiscard]] std::optional<address> find_idle(std::uint64_t bytes, const reach& allowed) const;

  /// The same for a block that the stream asks for itself, of what it freed. Where blocks may be smaller than
  /// a granule, a piece that is larger than the block serves only as part of its run of neighbours, the
  /// smallest that fits: cutting the larger pieces first would keep them from those who need them whole.
  [[nodiscard]] std::optional<address> find_own(std::uint64_t bytes, stream_id own) const;

  /// The place for a block of new memory alone: in the smallest free piece that fits, then the lowest
  /// address.
  [[nodiscard]] std::optional<new_place> find_free(std::uint64_t bytes) const;

  /// The place for a block that is made of idle memory that may be taken, wherever that lies, and of granules
  /// without memory: free ones, and leaving ones that one stream freed whose frees may be taken. As much of
  /// their memory as possible is moved there from idle granules elsewhere, all of which may be taken.
  ///
  /// The block starts where memory of one of these kinds starts or ends where such memory ends, and takes the
  /// fewest new granules; then the fewest granules without memory; then the gaps of these that it touches are
  /// the smallest together; then the address is the lowest. What moves has the highest addresses outside of
  /// it. Precondition: find_idle found nothing under the same rule.
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

  /// The smallest piece of at least so many bytes that the stream has freed, then the lowest.
  [[nodiscard]] std::optional<size_key> best_own(std::uint64_t bytes, stream_id own) const;

  /// Where the live block begins that this address is in; null if it is in none.
  [[nodiscard]] address find_busy_around(address inside) const;

  /// Whether the stream has idle pieces that are not settled.
  [[nodiscard]] bool has_unsettled(stream_id stream) const noexcept {
    return stream != stream_id::none && idle_.find(stream) != nullptr;
  }

  /// The streams with idle pieces that are not settled, and the last position of each.
  [[nodiscard]] std::vector<position> unsettled() const;

  // -- changing ---------------------------------------------------------------------------------------------

  /// Free or leaving granules become idle memory that was never used.
  void hold(range granules);

  /// Idle granules become leaving, or free as far as what was freed in them is settled.
  std::vector<departure> give_up(range granules);

  /// Idle memory becomes one block. Returns the pieces that it was, by rising address.
  idle_parts occupy(range block, std::uint64_t requested);

  /// find_idle and occupy in one, faster: the begin of the block, and in `parts`, which is empty, what it
  /// was.
  std::optional<address> take_idle(std::uint64_t bytes, const reach& allowed, std::uint64_t requested,
                                   idle_parts& parts);

  /// find_own and occupy in one, faster.
  std::optional<address> take_own(std::uint64_t bytes, stream_id own, std::uint64_t requested,
                                  idle_parts& parts);

  /// Notes how the block that was made last was served.
  void note_latest(std::uint8_t served, const idle_parts& parts, bool stitched) noexcept {
    auto& block = nodes()[latest_block_].what();
    block.served = served;
    block.joined = parts.size() > 1;
    block.stitched = stitched;
    block.freed_at = parts.front().freed_at;
  }

  /// Undoes occupy(): the block becomes the idle pieces again that it was; what has been settled since is
  /// taken from `seen`. Precondition: find_busy of the first part's begin.
  void restore(const idle_parts& parts, const order_clock& seen);

  /// A block becomes idle. Returns its size, or nothing if no block starts here.
  std::optional<std::uint64_t> vacate(address begin, position freed_at);

  /// Notes that a live block is lent, or is not any more (0). Precondition: find_busy of it.
  void mark_lent(address begin, std::uint64_t lease);

  /// The same, and that it was served so from what this task freed. Precondition: find_busy of it.
  void mark_lent(address begin, std::uint64_t lease, position freed_at, std::uint8_t served);

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
  [[nodiscard]] std::uint64_t idle_bytes() const noexcept { return idle_.bytes(); }
  [[nodiscard]] std::uint64_t busy_bytes() const noexcept { return busy_bytes_; }
  [[nodiscard]] std::uint64_t requested_bytes() const noexcept { return requested_bytes_; }
  [[nodiscard]] std::uint64_t busy_count() const noexcept { return busy_count_; }
  [[nodiscard]] piece_view pieces() const noexcept { return pieces_.view(); }

  /// Calls `visit(piece)` for each idle piece, by owner, until it returns false.
  template <class Visit>
  void visit_idle(Visit visit) const {
    bool more = true;
    idle_.visit_owners([&](const idle_owner& owner) {
      for (auto at = owner.pieces.first(); more && at != node_id::none; at = nodes()[at].later) {
        more = visit(nodes()[at].what());
      }
    });
  }

  /// The first invariant that does not hold, in words; nothing if all hold. Walks over everything.
  [[nodiscard]] std::optional<std::string> broken_invariant() const;

private:
  [[nodiscard]] node_array& nodes() noexcept { return pieces_.nodes(); }
  [[nodiscard]] const node_array& nodes() const noexcept { return pieces_.nodes(); }

  [[nodiscard]] bool takeable(node_id at, const reach& allowed) const {
    return at != node_id::none && nodes()[at].what().state == piece_state::idle &&
           allowed.includes(nodes()[at].what().freed_at);
  }

  // Runs of neighbours that may be taken; block_search.cpp.
  [[nodiscard]] node_id find_piece(std::uint64_t bytes, const reach& allowed) const;
  [[nodiscard]] std::optional<address> find_run(std::uint64_t bytes, const reach& allowed) const;
  template <class Visit>
  void visit_runs(std::uint64_t least, const reach& allowed, Visit visit) const;
  template <class Visit>
  void visit_runs_of(const idle_owner& owner, std::uint64_t least, Visit visit) const;
  template <class Visit>
  void visit_runs_from(const idle_owner& owner, const idle_owner* largest, std::uint64_t least,
                       const reach& allowed, Visit visit) const;
  [[nodiscard]] std::vector<range> releasable_runs(const reach& allowed) const;

  // Whether granules without memory are anyone's, or the taker's.
  [[nodiscard]] bool is_gap(node_id at, const reach& allowed) const {
    const auto& piece = nodes()[at].what();
    return piece.state == piece_state::free ||
           (piece.state == piece_state::leaving && piece.freed_at != several &&
            allowed.includes(piece.freed_at));
  }

  // Neighbours that a block could be made of; place_search.cpp.
  struct stretch;
  using hole = std::vector<stretch>;
  void gather(node_id gap, const reach& allowed, hole& found) const;
  template <class Visit>
  void visit_holes(const reach& allowed, Visit visit) const;
  [[nodiscard]] std::uint64_t movable_bytes(const reach& allowed) const;
  [[nodiscard]] new_place place_at(range block, const reach& allowed) const;

  // The lists that a piece is in by its state.
  void attach(node_id at);
  void attach_behind(node_id at, node_id earlier);
  void detach(node_id at);

  // A piece that is in no list comes into them, and merges with its neighbours.
  void settle_in(node_id at);
  void settle_leaving(const order_clock& seen);
  void become(node_id at, piece_state state, position freed_at);
  node_id take_out(range part, bool has_memory, idle_parts* parts);
  void make_block(node_id at, std::uint64_t requested);
  void leave_blocks(const piece& busy);
  piece& live_block(address begin) noexcept;
  [[nodiscard]] bool serves_alone(size_key piece, std::uint64_t bytes) const noexcept {
    return minimum_block_ == granule_bytes || piece.bytes == bytes;
  }
  [[nodiscard]] std::optional<address> smallest_run_of(stream_id own, std::uint64_t bytes) const;
  address take_front(node_id at, std::uint64_t bytes, std::uint64_t requested, idle_parts& parts);

  [[nodiscard]] std::optional<std::string> broken_piece(node_id at) const;
  [[nodiscard]] std::optional<std::string> broken_run(node_id first) const;

  range window_;
  std::uint64_t minimum_block_;
  mutable piece_list pieces_;  // searches put pieces into runs, of which nothing is seen outside
  piece_set free_;
  piece_set leaving_;
  std::map<address, std::vector<position>> freed_by_several_;  // leaving granules
  mutable idle_pieces idle_;
  std::uint64_t busy_bytes_ = 0;
  std::uint64_t requested_bytes_ = 0;
  std::uint64_t busy_count_ = 0;
  node_id latest_block_ = node_id::none;
};

}  // namespace soma::memory
