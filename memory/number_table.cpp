#include "memory/number_table.hpp"

#include <cassert>
#include <utility>

namespace soma::memory {

void number_table::insert(std::uint64_t key, std::uint32_t value) {
  assert(value != 0 && find(key) == 0);
  if (4 * (size_ + 1) > 3 * slots_.size()) {
    grow();
  }
  auto at = home(key);
  while (slots_[at].value != 0) {
    at = (at + 1) & mask_;
  }
  slots_[at] = {key, value};
  ++size_;
}

// What lies behind the gap moves into it, as long as it is not ahead of its home there.
void number_table::erase(std::uint64_t key) noexcept {
  auto gap = home(key);
  while (slots_[gap].key != key || slots_[gap].value == 0) {
    assert(slots_[gap].value != 0);
    gap = (gap + 1) & mask_;
  }
  for (auto at = (gap + 1) & mask_; slots_[at].value != 0; at = (at + 1) & mask_) {
    if (((at - home(slots_[at].key)) & mask_) >= ((at - gap) & mask_)) {
      slots_[gap] = slots_[at];
      gap = at;
    }
  }
  slots_[gap].value = 0;
  --size_;
}

void number_table::grow() {
  auto old = std::exchange(slots_, std::vector<slot>(2 * slots_.size()));
  mask_ = slots_.size() - 1;
  --shift_;
  for (const auto& each : old) {
    if (each.value != 0) {
      auto at = home(each.key);
      while (slots_[at].value != 0) {
        at = (at + 1) & mask_;
      }
      slots_[at] = each;
    }
  }
}

}  // namespace soma::memory
