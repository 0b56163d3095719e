#include "memory/order_clock.hpp"

#include <algorithm>

namespace soma::memory {

namespace {

constexpr auto before_stream = [](const position& entry, stream_id stream) { return entry.stream < stream; };

}  // namespace

sequence_number order_clock::of(stream_id stream) const noexcept {
  const auto found = std::lower_bound(positions_.begin(), positions_.end(), stream, before_stream);
  return found != positions_.end() && found->stream == stream ? found->sequence : sequence_number::none;
}

bool order_clock::add(position task) {
  if (task.sequence == sequence_number::none) {
    return false;
  }
  const auto found = std::lower_bound(positions_.begin(), positions_.end(), task.stream, before_stream);
  if (found == positions_.end() || found->stream != task.stream) {
    positions_.insert(found, task);
    return true;
  }
  if (found->sequence >= task.sequence) {
    return false;
  }
  found->sequence = task.sequence;
  return true;
}

bool order_clock::add(const order_clock& other) {
  bool is_new = false;
  for (const auto& task : other.positions_) {
    is_new = add(task) || is_new;
  }
  return is_new;
}

}  // namespace soma::memory
