#include "memory/buffer_reuser.hpp"

#include <iterator>

namespace soma::memory {

result<range> buffer_reuser::use(range memory, std::uint64_t asked, bool reused) {
  live_.emplace(memory.begin, buffer{memory.bytes, asked, 1});
  counters_.allocated(memory.bytes, asked, reused);
  return memory;
}

result<range> buffer_reuser::allocate(std::uint64_t asked) {
  constexpr std::uint64_t most_times = 2;
  const auto kept = kept_.lower_bound({asked, address::null});
  if (asked > 0 && kept != kept_.end() && kept->first / most_times <= asked) {
    const range memory{kept->second, kept->first};
    kept_.erase(kept);
    return use(memory, asked, true);
  }
  auto fresh = below_->allocate(asked);
  if (!fresh && fresh.error().code == fault_code::out_of_memory && give_kept_back()) {
    fresh = below_->allocate(asked);
  }
  if (!fresh) {
    counters_.refused();
    return fresh;
  }
  return use(*fresh, asked, false);
}

// Returns whether there were any.
bool buffer_reuser::give_kept_back() {
  const auto kept = std::exchange(kept_, {});
  for (const auto& [bytes, begin] : kept) {
    static_cast<void>(below_->free(begin));  // cannot fail: it came from there
  }
  return !kept.empty();
}

result<void> buffer_reuser::retain(address block) {
  const auto found = live_.find(block);
  if (found == live_.end()) {
    return no_live_block("buffer reuser");
  }
  ++found->second.users;
  return {};
}

result<void> buffer_reuser::free(address block) {
  const auto found = live_.find(block);
  if (found == live_.end()) {
    return no_live_block("buffer reuser");
  }
  if (--found->second.users == 0) {
    counters_.freed(found->second.bytes, found->second.asked);
    kept_.emplace(found->second.bytes, block);
    live_.erase(found);
  }
  return {};
}

classic_figures buffer_reuser::figures() const {
  const auto below = below_->figures();
  const auto kept = kept_.empty() ? 0 : std::prev(kept_.end())->first;
  return counters_.figures(below.reserved, std::max(below.largest_free, kept));
}

}  // namespace soma::memory
