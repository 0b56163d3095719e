#include "memory/tiered_pool.hpp"

namespace soma::memory {

tiered_pool::tiered_pool(range memory, const std::vector<tier>& tiers, std::uint64_t unit) : memory_(memory) {
  auto left = memory;
  for (const auto& each : tiers) {
    const auto bytes = each.block_bytes * each.blocks;
    levels_.push_back(
        {std::make_unique<fixed_size_pool>(range{left.begin, bytes}, each.block_bytes), each.block_bytes});
    left = {left.begin + bytes, left.bytes - bytes};
  }
  levels_.push_back({std::make_unique<variable_size_pool>(left, unit)});
}

result<range> tiered_pool::allocate(std::uint64_t asked) {
  auto* const last = &levels_.back();
  auto* first = &levels_.front();
  while (first != last && asked > first->block_bytes) {
    ++first;
  }
  for (auto* each = asked == 0 ? last : first;; ++each) {
    const auto reused_before = each->pool->figures().reused;
    auto block = each->pool->allocate(asked);
    if (block) {
      counters_.allocated(block->bytes, asked, each->pool->figures().reused > reused_before);
      first->fell_through += each == first ? 0 : 1;
      return block;
    }
    if (each == last) {
      counters_.refused();
      return block;
    }
  }
}

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
  return no_live_block("tiered pool");
}

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
    all.push_back({each.block_bytes, each.fell_through, each.pool->figures()});
  }
  return all;
}

}  // namespace soma::memory
