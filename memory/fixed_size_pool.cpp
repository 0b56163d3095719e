#include "memory/fixed_size_pool.hpp"

#include <cassert>

#include "memory/sizes.hpp"

namespace soma::memory {

// Room for all numbers from the start: a free cannot fail for lack of memory.
fixed_size_pool::fixed_size_pool(range memory, std::uint64_t block_bytes)
    : memory_(memory), block_bytes_(block_bytes), asked_(memory.bytes / block_bytes) {
  assert(block_bytes > 0 && !asked_.empty());
  freed_.reserve(asked_.size());
}

result<range> fixed_size_pool::allocate(std::uint64_t asked) {
  if (asked == 0 || asked > block_bytes_) {
    counters_.refused();
    return failed(fault_code::invalid_argument,
                  std::to_string(asked) + " bytes were asked for; the pool has blocks of " +
                      std::to_string(block_bytes_) + " bytes, for 1 byte or more");
  }
  if (full()) {
    counters_.refused();
    return failed(fault_code::out_of_memory, "the pool is full: all of its " + std::to_string(asked_.size()) +
                                                 " blocks of " + std::to_string(block_bytes_) +
                                                 " bytes are live; free one, or make a larger pool");
  }
  const bool reused = !freed_.empty();
  const auto number = reused ? freed_.back() : never_used_++;
  if (reused) {
    freed_.pop_back();
  }
  asked_[number] = asked;
  counters_.allocated(block_bytes_, asked, reused);
  return range{memory_.begin + number * block_bytes_, block_bytes_};
}

result<void> fixed_size_pool::free(address block) {
  const auto offset = memory_.contains(block) ? block - memory_.begin : ~std::uint64_t{0};
  const auto number = offset / block_bytes_;
  if (number >= asked_.size() || offset % block_bytes_ != 0 || asked_[number] == 0) {
    return no_live_block("fixed-size pool");
  }
  counters_.freed(block_bytes_, asked_[number]);
  asked_[number] = 0;
  freed_.push_back(number);
  return {};
}

classic_figures fixed_size_pool::figures() const {
  return counters_.figures(asked_.size() * block_bytes_, full() ? 0 : block_bytes_);
}

}  // namespace soma::memory
