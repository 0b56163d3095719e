#include "memory/classic_pool.hpp"

namespace soma::memory {

tl::unexpected<fault> no_live_block(const char* noun) {
  return failed(fault_code::unknown_address,
                std::string("no live block of the ") + noun +
                    " starts at this address: it was freed before, or it points into a "
                    "block, or it was never given out");
}

result<void> classic_pool::retain(address /*block*/) {
  return failed(fault_code::invalid_argument, "this kind of pool does not count the users of a block");
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

classic_figures classic_counters::figures(std::uint64_t reserved, std::uint64_t largest_free) const noexcept {
  auto all = now_;
  all.reserved = reserved;
  all.largest_free = largest_free;
  return all;
}

}  // namespace soma::memory
