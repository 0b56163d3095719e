#include "memory/adaptive_pool.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

#include "memory/sizes.hpp"

namespace soma::memory {

adaptive_pool::adaptive_pool(const adaptive_settings& settings)
    : settings_(settings), history_(settings.half_life) {}

// -- allocating ---------------------------------------------------------------------------------------------

result<range> adaptive_pool::allocate(std::uint64_t asked) {
  const auto bytes = round_up_checked(asked, settings_.unit);
  if (asked == 0 || !bytes) {
    counters_.refused();
    return failed(fault_code::invalid_argument,
                  std::to_string(asked) + " bytes were asked for; blocks have 1 byte at least");
  }
  if (auto* const pool = pool_for(*bytes)) {
    return allocate_in(*pool, asked);
  }
  const auto piece = heap_.take(*bytes);
  if (!piece) {
    counters_.refused();
    return failed(fault_code::out_of_memory,
                  "the pool has no free piece of " + describe_bytes(*bytes) + ": used " +
                      describe_bytes(counters_.figures(0, 0).used) + " of " + describe_bytes(heap_.bytes()) +
                      ", the largest free piece has " + describe_bytes(heap_.largest_free()));
  }
  live_.emplace(piece->where.begin, live_block{*bytes, asked});
  other_counters_.allocated(*bytes, asked, piece->was_used);
  note_allocated(*bytes, asked, piece->was_used);
  return piece->where;
}

range adaptive_pool::allocate_in(sized_pool& pool, std::uint64_t asked) {
  const auto reused_before = pool.blocks.figures().reused;
  const auto block = *pool.blocks.allocate(asked);
  if (pool.blocks.full()) {
    classes_[block.bytes].with_room.pop_back();  // it is the one
  }
  note_allocated(block.bytes, asked, pool.was_used || pool.blocks.figures().reused > reused_before);
  return block;
}

void adaptive_pool::note_allocated(std::uint64_t bytes, std::uint64_t asked, bool reused) {
  history_.allocated(bytes, now_);
  counters_.allocated(bytes, asked, reused);
  pass_time();
}

// A pool with a free block of just this size: one that is there, or one that is made since the size pays.
adaptive_pool::sized_pool* adaptive_pool::pool_for(std::uint64_t bytes) {
  if (bytes > settings_.most_pooled) {
    return nullptr;
  }
  const auto found = classes_.find(bytes);
  if (found != classes_.end() && !found->second.with_room.empty()) {
    return found->second.with_room.back();
  }
  if (history_.count(bytes, now_) < settings_.least_count) {
    return nullptr;
  }
  return make_pool(bytes, found != classes_.end() ? found->second : classes_[bytes]);
}

// For what is to be expected beyond the blocks there are, as far as there is memory for it without asking the
// device.
adaptive_pool::sized_pool* adaptive_pool::make_pool(std::uint64_t bytes, size_class& of) {
  constexpr std::uint64_t fewest = 4;
  const auto demand = history_.demand(bytes, now_) + 1;
  const auto missing = demand > of.blocks ? demand - of.blocks : 1;
  const auto blocks = std::min(std::max(missing, fewest), settings_.most_pool_bytes / bytes);
  if (blocks < fewest) {
    return nullptr;
  }
  const auto piece = heap_.take(blocks * bytes);
  if (!piece) {
    ++of.fell_through;
    return nullptr;
  }
  const auto made = pools_.emplace(piece->where.begin, std::make_unique<sized_pool>(*piece, bytes));
  of.with_room.push_back(made.first->second.get());
  of.blocks += blocks;
  return of.with_room.back();
}

// -- freeing ------------------------------------------------------------------------------------------------

adaptive_pool::sized_pool* adaptive_pool::pool_around(address block) {
  const auto behind = pools_.upper_bound(block);
  if (behind == pools_.begin()) {
    return nullptr;
  }
  auto* const pool = std::prev(behind)->second.get();
  return pool->blocks.memory().contains(block) ? pool : nullptr;
}

result<void> adaptive_pool::free(address block) {
  if (auto* const pool = pool_around(block)) {
    return free_in(*pool, block);
  }
  const auto live = live_.find(block);
  if (live == live_.end()) {
    return no_live_block("adaptive pool");
  }
  const auto [bytes, asked] = live->second;
  live_.erase(live);
  heap_.put({block, bytes});
  other_counters_.freed(bytes, asked);
  note_freed(bytes, asked);
  return {};
}

result<void> adaptive_pool::free_in(sized_pool& pool, address block) {
  const auto before = pool.blocks.figures();
  if (!pool.blocks.free(block)) {
    return no_live_block("adaptive pool");
  }
  const auto bytes = pool.blocks.block_bytes();
  if (before.live_blocks == pool.blocks.block_count()) {
    classes_[bytes].with_room.push_back(&pool);
  }
  note_freed(bytes, before.requested - pool.blocks.figures().requested);
  return {};
}

void adaptive_pool::note_freed(std::uint64_t bytes, std::uint64_t asked) {
  counters_.freed(bytes, asked);
  history_.freed(bytes, now_);
  pass_time();
}

void adaptive_pool::dissolve(pool_map::iterator pool) {
  auto* const made = pool->second.get();
  auto& of = classes_[made->blocks.block_bytes()];
  std::erase(of.with_room, made);
  of.blocks -= made->blocks.block_count();
  if (of.blocks == 0) {
    classes_.erase(made->blocks.block_bytes());
  }
  heap_.put(made->blocks.memory());
  pools_.erase(pool);
}

// -- time ---------------------------------------------------------------------------------------------------

void adaptive_pool::pass_time() {
  needed_.set(static_cast<double>(heap_.taken()), now_, settings_.half_life);
  if (++now_ >= next_look_) {
    constexpr operation_time looks_in_a_half_life = 4;
    next_look_ = now_ + static_cast<operation_time>(settings_.half_life) / looks_in_a_half_life;
    look_over_pools();
    history_.forget(now_);
  }
}

// Pools in which nothing lives, and whose blocks are more than what is expected, are dissolved.
void adaptive_pool::look_over_pools() {
  for (auto pool = pools_.begin(); pool != pools_.end();) {
    const auto each = pool++;
    const auto& blocks = each->second->blocks;
    const auto bytes = blocks.block_bytes();
    const auto left = classes_[bytes].blocks - blocks.block_count();
    if (blocks.figures().live_blocks == 0 && left >= history_.demand(bytes, now_)) {
      dissolve(each);
    }
  }
}

// -- growing and shrinking ----------------------------------------------------------------------------------

std::uint64_t adaptive_pool::step() const noexcept {
  constexpr double most_share = 8;
  const double often =
      lately_grown_ * std::exp2(-static_cast<double>(now_ - grown_at_) / settings_.half_life);
  const double share = std::min(often / 64, 1.0) / most_share;
  return static_cast<std::uint64_t>(static_cast<double>(heap_.bytes()) * share);
}

growth adaptive_pool::growth_for(std::uint64_t asked) const {
  const auto bytes = round_up_checked(asked, settings_.unit);
  if (asked == 0 || !bytes) {
    return {};
  }
  const auto found = classes_.find(*bytes);
  if ((found != classes_.end() && !found->second.with_room.empty()) || heap_.largest_free() >= *bytes) {
    return {};
  }
  const auto best = round_up_checked(std::max(*bytes, step()), settings_.region_bytes);
  return {best ? *best : *bytes, *bytes};
}

range adaptive_pool::grow(range memory, std::uint64_t asked) {
  const auto old = std::exp2(-static_cast<double>(now_ - grown_at_) / settings_.half_life);
  lately_grown_ = lately_grown_ * old + 1;
  grown_at_ = now_;
  heap_.add({memory.begin, round_down(memory.bytes, settings_.unit)});
  counters_.taken(memory.bytes);
  return *allocate(asked);
}

std::vector<range> adaptive_pool::take_surplus() {
  std::vector<range> surplus;
  const auto needed = static_cast<std::uint64_t>(needed_.value(now_, settings_.half_life));
  while (!heap_.idle().empty()) {
    const auto [bytes, begin] = *heap_.idle().begin();
    if (heap_.bytes() - bytes < needed + needed / 16) {
      break;
    }
    heap_.remove({begin, bytes});
    counters_.returned(bytes);
    surplus.push_back({begin, bytes});
  }
  return surplus;
}

std::vector<range> adaptive_pool::take_idle() {
  std::vector<range> all;
  for (auto pool = pools_.begin(); pool != pools_.end();) {
    const auto each = pool++;
    if (each->second->blocks.figures().live_blocks == 0) {
      dissolve(each);
    }
  }
  while (!heap_.idle().empty()) {
    const auto [bytes, begin] = *heap_.idle().begin();
    heap_.remove({begin, bytes});
    counters_.returned(bytes);
    all.push_back({begin, bytes});
  }
  return all;
}

std::vector<range> adaptive_pool::take_everything() { return heap_.regions(); }

// -- figures ------------------------------------------------------------------------------------------------

classic_figures adaptive_pool::figures() const { return counters_.figures(0, heap_.largest_free()); }

std::vector<tier_figures> adaptive_pool::tiers() const {
  std::map<std::uint64_t, tier_figures> by_size;
  for (const auto& [begin, pool] : pools_) {
    const auto bytes = pool->blocks.block_bytes();
    auto& tier = by_size[bytes];
    tier.block_bytes = bytes;
    tier.demand = history_.demand(bytes, now_);
    tier.fell_through = classes_.at(bytes).fell_through;
    tier.figures = sum_of(tier.figures, pool->blocks.figures());
  }
  std::vector<tier_figures> all;
  std::uint64_t pooled = 0;
  for (const auto& [bytes, tier] : by_size) {
    all.push_back(tier);
    pooled += tier.figures.reserved;
  }
  all.push_back({0, 0, 0, other_counters_.figures(0, heap_.largest_free())});
  all.back().figures.reserved = heap_.bytes() - pooled;
  return all;
}

}  // namespace soma::memory
