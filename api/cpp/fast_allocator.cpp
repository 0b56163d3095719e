#include "soma/fast_allocator.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "api/cpp/translate.hpp"

namespace soma {

fast_allocator::fast_allocator(std::vector<fixed_size_pool> pools, std::optional<variable_size_pool> last)
    : pools_(std::move(pools)), last_(std::move(last)) {
  std::stable_sort(pools_.begin(), pools_.end(),
                   [](const fixed_size_pool& one, const fixed_size_pool& other) {
                     return one.block_bytes() < other.block_bytes();
                   });
}

expected<void*> fast_allocator::allocate(std::size_t bytes) {
  constexpr auto call = "fast_allocator::allocate";
  std::optional<error> refused;
  auto first = std::lower_bound(
      pools_.begin(), pools_.end(), bytes,
      [](const fixed_size_pool& pool, std::size_t asked) { return pool.block_bytes() < asked; });
  for (; bytes > 0 && first != pools_.end(); ++first) {
    auto block = first->allocate(bytes);
    if (block || block.error().code != errc::out_of_memory) {
      return block;
    }
    refused = std::move(block.error());
  }
  if (last_) {
    return last_->allocate(bytes);
  }
  if (refused) {
    return tl::unexpected(std::move(*refused));
  }
  return detail::fail(call, errc::invalid_argument,
                      std::to_string(bytes) +
                          " bytes were asked for; the largest blocks of these pools have " +
                          std::to_string(pools_.empty() ? 0 : pools_.back().block_bytes()) + " bytes");
}

expected<void> fast_allocator::free(void* address) {
  for (auto& pool : pools_) {
    if (pool.owns(address)) {
      return pool.free(address);
    }
  }
  if (last_ && last_->owns(address)) {
    return last_->free(address);
  }
  return detail::fail("fast_allocator::free", errc::unknown_address, "the address is in none of these pools");
}

namespace {

classic_statistics sum_of(const classic_statistics& one, const classic_statistics& other) noexcept {
  return {one.reserved + other.reserved,
          one.reserved_high + other.reserved_high,
          one.used + other.used,
          one.used_high + other.used_high,
          one.idle + other.idle,
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

}  // namespace

expected<classic_statistics> fast_allocator::statistics() const {
  auto sum = last_ ? last_->statistics() : expected<classic_statistics>();
  for (auto pool = pools_.begin(); sum && pool != pools_.end(); ++pool) {
    auto figures = pool->statistics();
    sum = figures ? sum_of(*sum, *figures) : std::move(figures);
  }
  return sum;
}

}  // namespace soma
