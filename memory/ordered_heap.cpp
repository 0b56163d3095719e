#include "memory/ordered_heap.hpp"

#include <algorithm>
#include <cassert>

#include "memory/mutation.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

namespace {

constexpr reach all_idle{.settled = true, .everything = true};

// Each move costs calls to the system, more memory costs them once. So a pool grows, rather than that memory
// moves, by a small part of what was ever used; and one in which memory moves again and again by more: after
// some times that granules were given up, by a smaller part for each.
constexpr std::uint64_t spared_part = 64;
constexpr std::uint64_t few_moves = 512;
constexpr std::uint64_t moves_to_double = 1024;

std::uint64_t bytes_in(const std::vector<range>& parts) {
  std::uint64_t bytes = 0;
  for (const auto part : parts) {
    bytes += part.bytes;
  }
  return bytes;
}

}  // namespace

ordered_heap::ordered_heap(range window, std::uint64_t limit, std::uint64_t minimum_block)
    : index_(window, minimum_block), limit_(limit) {
  assert(limit % granule_bytes == 0);
}

// -- rules --------------------------------------------------------------------------------------------------

// What the host has seen complete counts whatever the switches say; it is settled.
reach ordered_heap::ordered_before(stream_id stream, const order_clock& ordered) const noexcept {
  return {.own = stream, .settled = true, .ordered = switches_.event ? &ordered : nullptr};
}

reach ordered_heap::without_waiting(stream_id stream, const order_clock& ordered) const noexcept {
  auto rule = ordered_before(stream, ordered);
  rule.executed = switches_.opportunistic ? &executed_ : nullptr;
  return rule;
}

reach ordered_heap::growth_rule(const request& wish, joining with) const noexcept {
  return with == joining::all_idle ? all_idle : without_waiting(wish.stream, wish.ordered);
}

reach ordered_heap::release_rule(releasable which) const noexcept {
  return {.settled = true, .executed = which == releasable::executed ? &executed_ : nullptr};
}

// -- allocation ---------------------------------------------------------------------------------------------

result<std::uint64_t> ordered_heap::block_bytes(std::uint64_t asked) const {
  if (asked == 0) {
    return failed(fault_code::invalid_argument, "a block of 0 bytes was asked for; ask for at least 1 byte");
  }
  const auto rounded = round_up_checked(asked, index_.minimum_block());
  if (!rounded) {
    return failed(fault_code::invalid_argument,
                  std::to_string(asked) + " bytes cannot be rounded up to the pool's minimum block of " +
                      describe_bytes(index_.minimum_block()));
  }
  return *rounded;
}

void ordered_heap::count([[maybe_unused]] stream_id taker, grant& granted) {
  const auto& parts = granted.parts;
#ifdef SOMA_MUTATIONS
  allocated_by_[granted.block.begin] = taker;
  if (mutated(mutation::mixed_remainder)) {
    index_.change_owner(granted.block.end(), parts.back().freed_at, taker);
  }
#endif
  if (granted.wait_for.empty() &&
      std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part.freed_at == never_used; })) {
    granted.how = served::new_memory;  // the rest of a granule, held for an earlier block
  }
  index_.note_latest(static_cast<std::uint8_t>(granted.how), parts, granted.stitched);
  ++served_[static_cast<std::size_t>(granted.how)];
  reserved_high_ = std::max(reserved_high_, reserved());
  used_high_ = std::max(used_high_, index_.busy_bytes() - in_stock_bytes_);
  requested_high_ = std::max(requested_high_, index_.requested_bytes() - in_stock_requested_);
}

std::optional<grant> ordered_heap::take(const request& wish, const reach& allowed, served how) {
  std::optional<grant> granted;
  idle_parts parts;
  if (const auto begin = index_.take_idle(wish.rounded, allowed, wish.asked, parts)) {
    granted.emplace(range{*begin, wish.rounded}, how, std::move(parts));
    count(wish.stream, *granted);
  }
  return granted;
}

std::optional<grant> ordered_heap::reuse(const request& wish) {
  std::optional<grant> granted;
  idle_parts parts;
  if (const auto begin = index_.take_own(wish.rounded, wish.stream, wish.asked, parts)) {
    granted.emplace(range{*begin, wish.rounded}, served::same_stream, std::move(parts));
    count(wish.stream, *granted);
    return granted;
  }
  granted = take(wish, ordered_before(wish.stream, wish.ordered), served::event);
  if (!granted && switches_.opportunistic) {
    granted = take(wish, without_waiting(wish.stream, wish.ordered), served::opportunistic);
  }
  return granted;
}

std::optional<new_place> ordered_heap::plan_growth(const request& wish, joining with,
                                                   std::uint64_t room) const {
  if (index_.minimum_block() == granule_bytes && wish.rounded <= room) {
    if (auto place = index_.find_free(wish.rounded)) {
      return place;
    }
  }
  auto place = index_.find_new(wish.rounded, growth_rule(wish, with));
  if (place && !place->moved.empty()) {
    const auto bytes = bytes_in(place->held);
    const auto many = backing_returns_ > few_moves ? backing_returns_ - few_moves : 0;
    const auto kept = used_high_ + used_high_ / spared_part + used_high_ / moves_to_double * many;
    if (bytes <= room && reserved() + bytes <= kept) {
      place->moved.clear();
      place->new_bytes = bytes;
    }
  }
  return place;
}

std::uint64_t ordered_heap::over_limit(std::uint64_t new_bytes) const noexcept {
  const auto left = limit_ - reserved();
  return new_bytes > left ? new_bytes - left : 0;
}

std::vector<range> ordered_heap::without_memory(const new_place& place) const {
  if (departing_.empty()) {
    return place.held;
  }
  std::vector<range> found;
  for (const auto granules : place.held) {
    for (auto at = granules.begin; at < granules.end(); at = at + granule_bytes) {
      if (departing_.contains(at)) {
        continue;
      }
      if (!found.empty() && found.back().end() == at) {
        found.back().bytes += granule_bytes;
      } else {
        found.push_back({at, granule_bytes});
      }
    }
  }
  return found;
}

grant ordered_heap::grow(const request& wish, const new_place& place, joining with) {
  for (const auto granules : place.held) {
    departing_.keep(granules);
    index_.hold(granules);
    ++backing_requests_;
    backing_requested_bytes_ += granules.bytes;
  }
  std::vector<position> moved;
  for (const auto granules : place.moved) {
    const auto frees = move_away(granules);
    moved.insert(moved.end(), frees.begin(), frees.end());
  }
  grant granted(place.block, served::new_memory, index_.occupy(place.block, wish.asked));
  granted.stitched = !place.moved.empty();
  if (with == joining::all_idle) {
    granted.how = served::internal;
    add_waits(wish, granted);
    for (const auto free : moved) {  // so that tasks never have more memory than is reserved
      add_wait(wish, free, granted);
    }
  }
  count(wish.stream, granted);
  return granted;
}

std::optional<grant> ordered_heap::reuse_by_waiting(const request& wish) {
  auto granted = switches_.internal ? take(wish, all_idle, served::internal) : std::nullopt;
  if (granted) {
    add_waits(wish, *granted);
  }
  return granted;
}

// Returns the frees of what was there.
std::vector<position> ordered_heap::move_away(range granules) {
  ++backing_returns_;
  backing_returned_bytes_ += granules.bytes;
  granules_moved_ += granules.bytes / granule_bytes;
  std::vector<position> all;
  for (auto& [part, frees] : index_.give_up(granules)) {
    all.insert(all.end(), frees.begin(), frees.end());
    std::erase_if(frees, [this](position free) { return executed_.covers(free); });
    departing_.add(part, frees);
  }
  return all;
}

void ordered_heap::add_waits(const request& wish, grant& granted) {
  for (const auto& [where, free] : granted.parts) {
    add_wait(wish, free, granted);
  }
}

// The stream's own frees, and those it is ordered behind anyway, need no further wait.
void ordered_heap::add_wait(const request& wish, position free, grant& granted) {
  if (free.stream == stream_id::none || free.stream == wish.stream || wish.ordered.covers(free)) {
    return;
  }
  auto& waits = granted.wait_for;
  if (std::find(waits.begin(), waits.end(), free) == waits.end()) {
    waits.push_back(free);
  }
}

// -- freeing ------------------------------------------------------------------------------------------------

result<std::uint64_t> ordered_heap::give_back(address block, position freed_at) {
#ifdef SOMA_MUTATIONS
  if (mutated(mutation::allocating_stream_owns) && freed_at.stream != stream_id::none) {
    if (const auto known = allocated_by_.find(block); known != allocated_by_.end()) {
      freed_at.stream = known->second;
    }
  }
#endif
  const auto bytes = index_.vacate(block, seen_.covers(freed_at) ? position{} : freed_at);
  if (!bytes) {
    return no_live_block();
  }
  return *bytes;
}

tl::unexpected<fault> no_live_block() {
  return failed(fault_code::unknown_address,
                "no live block of the pool starts at this address: it was freed before, or it points into a "
                "block, or it was never given out");
}

void ordered_heap::count_lent(const stock_report& told) noexcept {
  served_[static_cast<std::size_t>(served::same_stream)] += told.served;
  if (told.served > 0) {
    reserved_high_ = std::max(reserved_high_, reserved());
    used_high_ = std::max(used_high_, index_.busy_bytes() - told.least_bytes);
    requested_high_ = std::max(requested_high_, index_.requested_bytes() - told.least_requested);
  }
}

void ordered_heap::take_back(const idle_parts& parts) {
  const auto* busy = index_.find_busy(parts.front().where.begin);
  if (busy != nullptr && parts.front().where.begin + busy->bytes == parts.back().where.end()) {
    index_.restore(parts, seen_);
  }
}

void ordered_heap::executed(position free) {
  executed_.add(free);
  departing_.executed(free);
}

void ordered_heap::saw(const order_clock& seen) {
  if (seen_.add(seen)) {
    index_.settle(seen);  // what was seen before is settled: H2
    departing_.executed(seen);
    executed_.forget(seen_);  // what it freed is settled: nobody asks any more whether it was executed
  }
}

// -- giving memory up ---------------------------------------------------------------------------------------

std::vector<range> ordered_heap::plan_release(std::uint64_t bytes, releasable which, range spared) const {
  return index_.find_releasable(bytes, release_rule(which), spared);
}

class ordered_heap::emptied {
public:
  emptied(const ordered_heap& heap, releasable which) : index_(&heap.index_) {
    const auto given_up = heap.index_.find_releasable(heap.reserved(), heap.release_rule(which));
    if (given_up.empty()) {
      return;
    }
    copy_ = heap.index_;
    for (const auto granules : given_up) {
      copy_->release(granules);
      bytes_ += granules.bytes;
    }
    index_ = &*copy_;
  }
  emptied(const emptied&) = delete;
  emptied& operator=(const emptied&) = delete;

  [[nodiscard]] const block_index& index() const noexcept { return *index_; }
  [[nodiscard]] std::uint64_t given_up() const noexcept { return bytes_; }

private:
  const block_index* index_;
  std::optional<block_index> copy_;
  std::uint64_t bytes_ = 0;
};

std::optional<std::uint64_t> ordered_heap::needed_after_release(const request& wish, releasable which,
                                                                joining with) const {
  const emptied without(*this, which);
  const auto place = without.index().find_new(wish.rounded, growth_rule(wish, with));
  if (!place || reserved() - without.given_up() + place->new_bytes > limit_) {
    return std::nullopt;
  }
  return place->new_bytes > without.given_up() ? place->new_bytes - without.given_up() : 0;
}

void ordered_heap::released(range granules) {
  index_.release(granules);
  ++backing_returns_;
  backing_returned_bytes_ += granules.bytes;
}

std::uint64_t ordered_heap::above_threshold() const noexcept {
  const auto idle = index_.idle_bytes();
  return idle > threshold_ ? round_up(idle - threshold_, granule_bytes) : 0;
}

std::uint64_t ordered_heap::above(std::uint64_t keep) const noexcept {
  const auto kept = std::max(index_.busy_bytes(), round_up_checked(keep, granule_bytes).value_or(keep));
  return reserved() > kept ? round_down(reserved() - kept, granule_bytes) : 0;
}

// -- figures ------------------------------------------------------------------------------------------------

heap_figures ordered_heap::figures() const {
  heap_figures now{
      .limit = limit_,
      .reserved = reserved(),
      .reserved_high = reserved_high_,
      .used = index_.busy_bytes(),
      .used_high = used_high_,
      .requested = index_.requested_bytes(),
      .requested_high = requested_high_,
      .live_blocks = index_.busy_count(),
      .granules_moved = granules_moved_,
      .backing_requests = backing_requests_,
      .backing_returns = backing_returns_,
      .backing_requested_bytes = backing_requested_bytes_,
      .backing_returned_bytes = backing_returned_bytes_,
  };
  std::copy(std::begin(served_), std::end(served_), std::begin(now.served_counts));
  return now;
}

std::uint64_t ordered_heap::largest_available(stream_id stream, const order_clock& ordered,
                                              std::uint64_t device_free) const {
  const auto allowed = without_waiting(stream, ordered);
  // Whatever could be had by growing can be had after all is given up that may be: see needed_after_release.
  const emptied without(*this, releasable::executed);
  const auto growth = std::min(limit_ - reserved(), device_free) + without.given_up();
  return std::max(index_.largest_idle(allowed), without.index().largest_new(growth, allowed));
}

std::optional<grant_reason> ordered_heap::reason_of(address block) const {
  const auto* busy = index_.find_busy(block);
  if (busy == nullptr) {
    return std::nullopt;
  }
  const bool by_task = busy->freed_at.stream != stream_id::none;
  return grant_reason{served{busy->served}, by_task ? busy->freed_at : position{}, busy->freed_at == settled,
                      busy->joined, busy->stitched};
}

candidates ordered_heap::look_at_candidates(const request& wish) const {
  constexpr std::uint32_t most = 64;  // each may be a cache miss, for every malloc that is traced
  candidates found;
  const auto allowed = without_waiting(wish.stream, wish.ordered);
  std::uint32_t looked_at = 0;
  std::uint32_t all = 0;
  index_.visit_idle([&](const piece& idle) {
    if (++all > most) {
      return all < 2 * most;
    }
    ++looked_at;
    if (allowed.includes(idle.freed_at)) {
      ++(idle.bytes >= wish.rounded ? found.usable : found.too_small);
    } else if (wish.ordered.covers(idle.freed_at)) {
      ++found.event_off;
    } else if (executed_.covers(idle.freed_at)) {
      ++found.opportunistic_off;
    } else {
      ++found.not_ordered;
    }
    return true;
  });
  found.not_looked_at = all - looked_at;
  return found;
}

std::string ordered_heap::describe_refusal(const request& wish, std::uint64_t device_free) const {
  const auto largest = largest_available(wish.stream, wish.ordered, device_free);
  auto text = "the pool cannot serve the request: wanted " + describe_bytes(wish.rounded) + ", used " +
              describe_bytes(index_.busy_bytes()) + ", idle " + describe_bytes(index_.idle_bytes()) +
              ", limit " + describe_bytes(limit_) + ", left on the device " + describe_bytes(device_free) +
              ", largest block to be had " + describe_bytes(largest);
  std::string pending;
  for (const auto free : index_.unsettled()) {
    if (free.stream == wish.stream || executed_.covers(free)) {
      continue;
    }
    pending += (pending.empty() ? "" : ", ") + ("stream " + std::to_string(number(free.stream))) +
               " up to its task " + std::to_string(number(free.sequence));
  }
  if (pending.empty()) {
    return text + "; no frees are pending";
  }
  return text + "; frees are pending on " + pending;
}

}  // namespace soma::memory
