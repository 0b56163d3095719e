// A stream-ordered heap: which memory a request gets, by the order between streams.
//
// This is the heart of a pool, without actors: it decides, counts, and knows what has been executed and what
// the host has seen. It takes nothing from the device and the system itself; plan_growth() says what it
// needs, and grow() takes it as had.
//
// Invariants: those of the block index, and
//   H1  reserved = used + idle; used and idle are the index's busy and idle bytes
//   H2  no idle piece is unsettled that the host has seen freed
//   H3  a high mark is not below its figure after an allocation, except after reset_high_marks until the next
#pragma once

#include <cstdint>
#ifdef SOMA_MUTATIONS
#include <map>
#endif
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memory/block_index.hpp"
#include "memory/departing_memory.hpp"
#include "memory/fault.hpp"
#include "memory/identifiers.hpp"
#include "memory/lent.hpp"
#include "memory/order_clock.hpp"

namespace soma::memory {

/// How an allocation was served.
enum class served : std::uint8_t { same_stream, event, opportunistic, internal, new_memory };
inline constexpr std::size_t served_kinds = 5;

/// Which idle blocks may go to another stream than the one that freed them.
struct switches {
  bool event = false;
  bool opportunistic = false;
  bool internal = false;
};

/// A wish for a block, by a task of a stream.
struct request {
  stream_id stream = stream_id::none;
  order_clock ordered;        // what the task happens after, its own stream left out
  std::uint64_t asked = 0;    // bytes
  std::uint64_t rounded = 0;  // bytes, rounded up to the minimum block
};

/// The idle memory that new memory may be joined with to make a block.
enum class joining : std::uint8_t {
  reusable,  // what reuse() may take
  all_idle,  // also what reuse_by_waiting() may take; the taker must wait for the frees
};

/// A block given out.
struct grant {
  grant(range given, served way, idle_parts made_of) : block(given), how(way), parts(std::move(made_of)) {}

  range block;
  served how = served::new_memory;
  std::vector<position> wait_for;  // tasks that must have been executed before the block is touched
  idle_parts parts;                // what the block was before, for take_back
  bool stitched = false;           // idle granules were moved there
};

/// Why a block was served as it was.
struct grant_reason {
  served how = served::new_memory;
  position freed_at;      // the task that freed the block's first part; none if it was settled or never used
  bool settled = false;   // the host had seen that free complete
  bool joined = false;    // it was made of several pieces
  bool stitched = false;  // idle granules of the pool were moved there to make it
};

/// The idle pieces at the moment of a request, counted by why each of them can or cannot serve it alone.
struct candidates {
  std::uint32_t usable = 0;             // of which the first by the order of the search is taken
  std::uint32_t too_small = 0;          // it could be taken, but has fewer bytes
  std::uint32_t event_off = 0;          // the taker is ordered behind the free, but that switch is off
  std::uint32_t opportunistic_off = 0;  // the free has been executed, but that switch is off
  std::uint32_t not_ordered = 0;        // neither: only a wait could make it usable
  std::uint32_t not_looked_at = 0;      // there are more than are looked at
};

/// The figures of a heap; bytes, unless they are counts.
struct heap_figures {
  std::uint64_t limit = 0;
  std::uint64_t reserved = 0;
  std::uint64_t reserved_high = 0;
  std::uint64_t used = 0;
  std::uint64_t used_high = 0;
  std::uint64_t requested = 0;
  std::uint64_t requested_high = 0;
  std::uint64_t live_blocks = 0;
  std::uint64_t served_counts[served_kinds] = {};
  std::uint64_t granules_moved = 0;
  std::uint64_t backing_requests = 0;
  std::uint64_t backing_returns = 0;
  std::uint64_t backing_requested_bytes = 0;
  std::uint64_t backing_returned_bytes = 0;
};

/// The error of a free of what is no live block.
tl::unexpected<fault> no_live_block();

class ordered_heap {
public:
  /// The window and the limit are whole granules. A window below the limit limits by itself.
  ordered_heap(range window, std::uint64_t limit, std::uint64_t minimum_block);

  // -- allocation, in the order of the search (D11)
  // ----------------------------------------------------------

  /// The size of a block for `asked` bytes. Errors: invalid_argument for 0 and where rounding up wraps.
  [[nodiscard]] result<std::uint64_t> block_bytes(std::uint64_t asked) const;

  /// Idle memory of the same stream, of streams ordered before it, or whose frees have been executed.
  std::optional<grant> reuse(const request& wish);

  /// Where new memory would go; nothing if the window has no place. A block of whole granules consists of new
  /// memory alone as long as that is not more than `room` bytes. Otherwise, and with smaller blocks always,
  /// it is joined with idle memory, and idle memory is moved there, where that takes the fewest new granules;
  /// but after granules were given up 512 times, nothing is moved where that is not more than `room` and,
  /// with it, no more is reserved than was used at most and 1/1024 of that for each time beyond.
  [[nodiscard]] std::optional<new_place> plan_growth(const request& wish, joining with = joining::reusable,
                                                     std::uint64_t room = ~std::uint64_t{0}) const;

  /// By how many bytes holding this much more would pass the limit; 0 if it would not.
  [[nodiscard]] std::uint64_t over_limit(std::uint64_t new_bytes) const noexcept;

  /// The granules of a place that have no memory yet: in others what was moved away is still there.
  [[nodiscard]] std::vector<range> without_memory(const new_place& place) const;

  /// Takes the place, whose granules now have memory, and gives up the granules that move there: see
  /// departures().
  grant grow(const request& wish, const new_place& place, joining with = joining::reusable);

  /// Idle memory of any stream; the taker must wait for the frees.
  std::optional<grant> reuse_by_waiting(const request& wish);

  // -- freeing
  // -----------------------------------------------------------------------------------------------

  /// The block becomes idle, freed by this task; {} for a free that needs no order. Returns its size.
  /// Errors: unknown_address.
  result<std::uint64_t> give_back(address block, position freed_at);

  /// Lends a live block, which stays busy, or has it lent no more (0). Precondition: index().find_busy of it.
  void lend(address block, std::uint64_t lease) { index_.mark_lent(block, lease); }

  /// The same of a block that its stream has given out again by itself, from what this task of it freed, or
  /// that it may. Precondition: index().find_busy of it.
  void lend(address block, std::uint64_t lease, position freed_at) {
    index_.mark_lent(block, lease, freed_at, static_cast<std::uint8_t>(served::same_stream));
  }

  /// Counts what a stream has done with what is lent to it, before anything else changes.
  void count_lent(const stock_report& told) noexcept;

  /// So much of what is busy is in the stock of the stream whose request is decided next: for the high marks.
  void set_in_stock(std::uint64_t bytes, std::uint64_t requested) noexcept {
    in_stock_bytes_ = bytes;
    in_stock_requested_ = requested;
  }

  /// So much less of it.
  void keep_in_stock_less(std::uint64_t bytes, std::uint64_t requested) noexcept {
    in_stock_bytes_ -= bytes;
    in_stock_requested_ -= requested;
  }

  /// Whether a high mark could be lifted by giving out again what is in stocks, with so many bytes more in
  /// use. That of reserved only since it was reset.
  [[nodiscard]] bool above_high(std::uint64_t more_bytes = 0,
                                std::uint64_t more_requested = 0) const noexcept {
    return index_.busy_bytes() + more_bytes > used_high_ ||
           index_.requested_bytes() + more_requested > requested_high_ || reserved_above_high();
  }
  [[nodiscard]] bool reserved_above_high() const noexcept { return reserved() > reserved_high_; }

  /// Undoes a grant whose task was never queued: the block is again what it was. Does nothing if the block
  /// was freed meanwhile.
  void take_back(const idle_parts& parts);

  /// A free was executed.
  void executed(position free);

  /// The host has seen these tasks complete.
  void saw(const order_clock& seen);

  /// What it has seen, as far as it is remembered.
  [[nodiscard]] const order_clock& seen() const noexcept { return seen_; }

  /// Nothing that these tasks freed can come any more, but by take_back; that is told by saw() once more.
  void forget_seen(const order_clock& tasks) { seen_.forget(tasks); }

  /// Granules that were given up and whose frees have been executed, those together that are neighbours:
  /// their memory can go back to the system. They count neither as reserved nor as idle.
  [[nodiscard]] std::vector<range> departures() const { return departing_.due(); }

  /// It has gone.
  void departed(range granules) { departing_.gone(granules); }

  [[nodiscard]] const departing_memory& departing() const noexcept { return departing_; }

  // -- giving memory up
  // --------------------------------------------------------------------------------------

  enum class releasable : std::uint8_t {
    seen,      // the host has seen the frees complete: does not depend on timing
    executed,  // the frees have been executed
  };

  /// The granules to give up for `bytes` bytes, or as many of them as there are, those under `spared` last;
  /// nothing is changed.
  [[nodiscard]] std::vector<range> plan_release(std::uint64_t bytes, releasable which,
                                                range spared = {}) const;

  /// What new memory for the request would still need from the device if all idle memory of this kind were
  /// given up for it; nothing if the limit or the window forbid it even then. Nothing is changed. Giving up
  /// less cannot do with less: each granule that a place loses needs one more and brings one back.
  [[nodiscard]] std::optional<std::uint64_t> needed_after_release(const request& wish, releasable which,
                                                                  joining with = joining::reusable) const;

  /// The granules were given back to the system.
  void released(range granules);

  /// Idle bytes above the release threshold, in whole granules rounded up.
  [[nodiscard]] std::uint64_t above_threshold() const noexcept;

  /// What trimming to `keep` bytes would give up if all of it could be.
  [[nodiscard]] std::uint64_t above(std::uint64_t keep) const noexcept;

  // -- settings and figures
  // ----------------------------------------------------------------------------------

  [[nodiscard]] const switches& reuse_switches() const noexcept { return switches_; }
  void set_reuse_switches(switches values) noexcept { switches_ = values; }
  [[nodiscard]] std::uint64_t release_threshold() const noexcept { return threshold_; }
  void set_release_threshold(std::uint64_t bytes) noexcept { threshold_ = bytes; }
  void reset_reserved_high() noexcept { reserved_high_ = 0; }
  void reset_used_high() noexcept { used_high_ = 0; }

  [[nodiscard]] std::uint64_t reserved() const noexcept { return index_.busy_bytes() + index_.idle_bytes(); }
  [[nodiscard]] std::uint64_t used() const noexcept { return index_.busy_bytes(); }
  [[nodiscard]] std::uint64_t limit() const noexcept { return limit_; }
  [[nodiscard]] heap_figures figures() const;
  [[nodiscard]] const block_index& index() const noexcept { return index_; }

  /// The largest block that the stream would get now without waiting if the device has this much left.
  [[nodiscard]] std::uint64_t largest_available(stream_id stream, const order_clock& ordered,
                                                std::uint64_t device_free) const;

  /// How a live block was served; nothing if none starts here.
  [[nodiscard]] std::optional<grant_reason> reason_of(address block) const;

  /// What there is to choose from; looks at a number of pieces at most.
  [[nodiscard]] candidates look_at_candidates(const request& wish) const;

  /// Why a request is refused, with everything that one needs to know to do something about it.
  [[nodiscard]] std::string describe_refusal(const request& wish, std::uint64_t device_free) const;

private:
  [[nodiscard]] reach ordered_before(stream_id stream, const order_clock& ordered) const noexcept;
  [[nodiscard]] reach without_waiting(stream_id stream, const order_clock& ordered) const noexcept;
  [[nodiscard]] reach growth_rule(const request& wish, joining with) const noexcept;
  [[nodiscard]] reach release_rule(releasable which) const noexcept;

  // The index as it would be without the idle memory of this kind; it is a copy if there is any.
  class emptied;
  std::optional<grant> take(const request& wish, const reach& allowed, served how);
  void count(stream_id taker, grant& granted);
  static void add_wait(const request& wish, position free, grant& granted);
  static void add_waits(const request& wish, grant& granted);
  std::vector<position> move_away(range granules);

  block_index index_;
  std::uint64_t limit_;
  std::uint64_t threshold_ = 0;
  switches switches_;
  order_clock executed_;  // frees only
  order_clock seen_;      // what the host has seen complete
  departing_memory departing_;
  std::uint64_t reserved_high_ = 0;
  std::uint64_t used_high_ = 0;
  std::uint64_t requested_high_ = 0;
  std::uint64_t in_stock_bytes_ = 0;
  std::uint64_t in_stock_requested_ = 0;
  std::uint64_t served_[served_kinds] = {};
  std::uint64_t granules_moved_ = 0;
  std::uint64_t backing_requests_ = 0;
  std::uint64_t backing_returns_ = 0;
  std::uint64_t backing_requested_bytes_ = 0;
  std::uint64_t backing_returned_bytes_ = 0;
#ifdef SOMA_MUTATIONS
  std::map<address, stream_id> allocated_by_;
#endif
};

}  // namespace soma::memory
