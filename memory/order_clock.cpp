#include "memory/order_clock.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace soma::memory {

namespace {

constexpr auto before_stream = [](const position& entry, stream_id stream) { return entry.stream < stream; };

}  // namespace

// Most clocks know one stream, or are asked for the last one again.
std::vector<position>::const_iterator order_clock::from(stream_id stream) const noexcept {
  if (positions_.empty()) {
    return positions_.end();
  }
  const auto last = std::prev(positions_.end());
  return last->stream <= stream ? last + (last->stream < stream ? 1 : 0)
                                : std::lower_bound(positions_.begin(), last, stream, before_stream);
}

sequence_number order_clock::of(stream_id stream) const noexcept {
  const auto found = from(stream);
  return found != positions_.end() && found->stream == stream ? found->sequence : sequence_number::none;
}

bool order_clock::add(position task) {
  if (task.sequence == sequence_number::none) {
    return false;
  }
  const auto found = from(task.stream);
  if (found == positions_.end() || found->stream != task.stream) {
    positions_.insert(found, task);
    return true;
  }
  if (found->sequence >= task.sequence) {
    return false;
  }
  positions_[static_cast<std::size_t>(found - positions_.begin())].sequence = task.sequence;
  return true;
}

bool order_clock::add(const order_clock& other) {
  bool is_new = false;
  std::vector<position> missing;
  auto at = positions_.begin();
  for (const auto& task : other.positions_) {
    at = std::lower_bound(at, positions_.end(), task.stream, before_stream);
    if (at == positions_.end() || at->stream != task.stream) {
      missing.push_back(task);
    } else if (at->sequence < task.sequence) {
      at->sequence = task.sequence;
      is_new = true;
    }
  }
  if (missing.empty()) {
    return is_new;
  }
  const auto known = static_cast<std::ptrdiff_t>(positions_.size());
  positions_.insert(positions_.end(), missing.begin(), missing.end());
  std::inplace_merge(positions_.begin(), positions_.begin() + known, positions_.end(),
                     [](const position& left, const position& right) { return left.stream < right.stream; });
  return true;
}

}  // namespace soma::memory
