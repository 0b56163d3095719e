#include "memory/tiered_pool.hpp"

#include <utility>

namespace soma::memory {

tiered_pool::tiered_pool(range memory, const std::vector<tier>& tiers, std::uint64_t unit, bool over_device)
    : memory_(memory), over_device_(over_device) {
  auto left = memory;
  for (const auto& each : tiers) {
    const auto bytes = each.block_bytes * each.blocks;
    levels_.push_back(
        {std::make_unique<fixed_size_pool>(range{left.begin, bytes}, each.block_bytes), each.block_bytes});
    left = {left.begin + bytes, left.bytes - bytes};
  }
  levels_.push_back({std::make_unique<variable_size_pool>(left, unit)});
}

// -- allocating ---------------------------------------------------------------------------------------------

// The smallest block size that fits, or the variable-size pool.
std::size_t tiered_pool::first_level(std::uint64_t asked) const noexcept {
  std::size_t number = 0;
  while (number + 1 < levels_.size() && (asked == 0 || asked > levels_[number].block_bytes)) {
    ++number;
  }
  return number;
}

result<range> tiered_pool::allocate(std::uint64_t asked) {
  auto& first = levels_[first_level(asked)];
  for (auto* each = &first;; ++each) {
    const auto reused_before = each->pool->figures().reused;
    auto block = each->pool->allocate(asked);
    if (block) {
      counters_.allocated(block->bytes, asked, each->pool->figures().reused > reused_before);
      first.fell_through += each == &first ? 0 : 1;
      return block;
    }
    if (each == &levels_.back()) {
      counters_.refused();
      return block;
    }
  }
}

growth tiered_pool::growth_for(std::uint64_t asked) const {
  if (!over_device_ || asked == 0) {
    return {};
  }
  for (auto number = first_level(asked); number < levels_.size(); ++number) {
    if (levels_[number].pool->figures().largest_free >= asked) {
      return {};
    }
  }
  return {asked, asked};
}

range tiered_pool::grow(range memory, std::uint64_t asked) {
  ++levels_[first_level(asked)].fell_through;
  on_device_.emplace(memory.begin, device_block{memory.bytes, asked});
  for (auto* each : {&counters_, &device_counters_}) {
    each->taken(memory.bytes);
    each->allocated(memory.bytes, asked, false);
  }
  return memory;
}

// -- freeing ------------------------------------------------------------------------------------------------

result<void> tiered_pool::free(address block) {
  for (auto& each : levels_) {
    if (!each.pool->memory().contains(block)) {
      continue;
    }
    const auto before = each.pool->figures();
    auto freed = each.pool->free(block);
    if (freed) {
      const auto after = each.pool->figures();
      counters_.freed(before.used - after.used, before.requested - after.requested);
    }
    return freed;
  }
  return free_on_device(block);
}

result<void> tiered_pool::free_on_device(address block) {
  const auto found = on_device_.find(block);
  if (found == on_device_.end()) {
    return no_live_block("tiered pool");
  }
  const auto [bytes, asked] = found->second;
  for (auto* each : {&counters_, &device_counters_}) {
    each->freed(bytes, asked);
    each->returned(bytes);
  }
  surplus_.push_back({block, bytes});
  on_device_.erase(found);
  return {};
}

std::vector<range> tiered_pool::take_surplus() { return std::exchange(surplus_, {}); }

std::vector<range> tiered_pool::take_everything() {
  auto all = take_surplus();
  for (const auto& [begin, block] : std::exchange(on_device_, {})) {
    all.push_back({begin, block.bytes});
  }
  return all;
}

// -- figures ------------------------------------------------------------------------------------------------

classic_figures tiered_pool::figures() const {
  std::uint64_t largest = 0;
  for (const auto& each : levels_) {
    largest = std::max(largest, each.pool->figures().largest_free);
  }
  return counters_.figures(memory_.bytes, largest);
}

std::vector<tier_figures> tiered_pool::tiers() const {
  std::vector<tier_figures> all;
  for (const auto& each : levels_) {
    all.push_back({each.block_bytes, each.fell_through, 0, each.pool->figures()});
  }
  if (over_device_) {
    all.push_back({0, 0, 0, device_counters_.figures(0, 0)});
  }
  return all;
}

}  // namespace soma::memory
