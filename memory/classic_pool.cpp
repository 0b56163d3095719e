#include "memory/classic_pool.hpp"

#include <cassert>

namespace soma::memory {

tl::unexpected<fault> no_live_block(const char* noun) {
  return failed(fault_code::unknown_address,
                std::string("no live block of the ") + noun +
                    " starts at this address: it was freed before, or it points into a "
                    "block, or it was never given out");
}

classic_figures sum_of(const classic_figures& one, const classic_figures& other) noexcept {
  return {one.reserved + other.reserved,
          one.reserved_high + other.reserved_high,
          one.used + other.used,
          one.used_high + other.used_high,
          one.requested + other.requested,
          one.requested_high + other.requested_high,
          one.live_blocks + other.live_blocks,
          one.allocations + other.allocations,
          one.frees + other.frees,
          one.refusals + other.refusals,
          one.reused + other.reused,
          std::max(one.largest_free, other.largest_free),
          one.backing_requests + other.backing_requests,
          one.backing_returns + other.backing_returns,
          one.backing_requested_bytes + other.backing_requested_bytes,
          one.backing_returned_bytes + other.backing_returned_bytes};
}

result<void> classic_pool::retain(address /*block*/) {
  return failed(fault_code::invalid_argument, "this kind of pool does not count the users of a block");
}

range classic_pool::grow(range memory, std::uint64_t /*asked*/) {
  assert(false && "a pool that asks for no memory got some");
  return memory;
}

void classic_counters::allocated(std::uint64_t bytes, std::uint64_t asked, bool reused) noexcept {
  now_.used += bytes;
  now_.used_high = std::max(now_.used_high, now_.used);
  now_.requested += asked;
  now_.requested_high = std::max(now_.requested_high, now_.requested);
  ++now_.live_blocks;
  ++now_.allocations;
  now_.reused += reused ? 1 : 0;
}

void classic_counters::freed(std::uint64_t bytes, std::uint64_t asked) noexcept {
  now_.used -= bytes;
  now_.requested -= asked;
  --now_.live_blocks;
  ++now_.frees;
}

void classic_counters::taken(std::uint64_t bytes) noexcept {
  now_.reserved += bytes;
  now_.reserved_high = std::max(now_.reserved_high, now_.reserved);
  ++now_.backing_requests;
  now_.backing_requested_bytes += bytes;
}

void classic_counters::returned(std::uint64_t bytes) noexcept {
  now_.reserved -= bytes;
  ++now_.backing_returns;
  now_.backing_returned_bytes += bytes;
}

// The pool's own memory was taken when it was made, and goes back when it ends.
classic_figures classic_counters::figures(std::uint64_t own, std::uint64_t largest_free) const noexcept {
  auto all = now_;
  all.reserved += own;
  all.reserved_high += own;
  if (own > 0) {
    ++all.backing_requests;
    all.backing_requested_bytes += own;
  }
  all.largest_free = largest_free;
  return all;
}

}  // namespace soma::memory
