#include "memory/order_clock.hpp"

#include <algorithm>
#include <cstddef>

namespace soma::memory {

namespace {

constexpr auto before_stream = [](const position& entry, stream_id stream) { return entry.stream < stream; };

// Never destroyed: threads of a runtime may outlive the end of main().
const auto& nothing = *new std::vector<position>;

}  // namespace

const std::vector<position>& order_clock::positions() const noexcept {
  return list_ != nullptr ? list_->positions : nothing;
}

// The list, which nobody else has. What others have read of it, they have read before they let go.
std::vector<position>& order_clock::own() {
  if (list_ == nullptr) {
    list_ = new list;
  } else if (list_->users.load(std::memory_order_acquire) > 1) {
    auto* copy = new list;
    copy->positions = list_->positions;
    replace(copy);
  }
  return list_->positions;
}

// Most clocks know one stream, or are asked for the last one again.
sequence_number order_clock::of(stream_id stream) const noexcept {
  if (list_ == nullptr || list_->positions.back().stream < stream) {
    return sequence_number::none;
  }
  const auto& all = list_->positions;
  if (all.back().stream == stream) {
    return all.back().sequence;
  }
  const auto found = std::lower_bound(all.begin(), all.end(), stream, before_stream);
  return found->stream == stream ? found->sequence : sequence_number::none;
}

bool order_clock::add(position task) {
  if (task.sequence == sequence_number::none || of(task.stream) >= task.sequence) {
    return false;
  }
  auto& all = own();
  const auto found = std::lower_bound(all.begin(), all.end(), task.stream, before_stream);
  if (found != all.end() && found->stream == task.stream) {
    found->sequence = task.sequence;
  } else {
    all.insert(found, task);
  }
  return true;
}

bool order_clock::add(const order_clock& other) {
  if (other.empty() || list_ == other.list_) {
    return false;
  }
  if (empty()) {
    *this = other;
    return true;
  }
  const auto& theirs = other.list_->positions;
  const auto is_known = [this](const position& task) { return covers(task); };
  if (std::all_of(theirs.begin(), theirs.end(), is_known)) {
    return false;
  }
  auto& ours = own();
  std::vector<position> missing;
  auto at = ours.begin();
  for (const auto& task : theirs) {
    at = std::lower_bound(at, ours.end(), task.stream, before_stream);
    if (at == ours.end() || at->stream != task.stream) {
      missing.push_back(task);
    } else {
      at->sequence = std::max(at->sequence, task.sequence);
    }
  }
  if (!missing.empty()) {
    const auto known = static_cast<std::ptrdiff_t>(ours.size());
    ours.insert(ours.end(), missing.begin(), missing.end());
    std::inplace_merge(ours.begin(), ours.begin() + known, ours.end(),
                       [](const position& one, const position& next) { return one.stream < next.stream; });
  }
  return true;
}

void order_clock::forget(const order_clock& other) {
  if (list_ == other.list_) {
    replace(nullptr);
    return;
  }
  const auto is_known = [&other](const position& task) { return other.covers(task); };
  if (std::none_of(positions().begin(), positions().end(), is_known)) {
    return;
  }
  auto& kept = own();
  std::erase_if(kept, is_known);
  if (kept.empty()) {
    replace(nullptr);
  }
}

}  // namespace soma::memory
