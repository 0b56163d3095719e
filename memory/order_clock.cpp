#include "memory/order_clock.hpp"

#include <algorithm>
#include <cstddef>

namespace soma::memory {

namespace {

constexpr auto before_stream = [](const position& entry, stream_id stream) { return entry.stream < stream; };

// The first entry from `at` on that is not before the stream. Looks near first: two clocks are gone through
// together, and mostly know the same streams.
template <class Iterator>
Iterator advance_to(Iterator at, Iterator end, stream_id stream) {
  std::ptrdiff_t step = 1;
  while (end - at > step && before_stream(at[step - 1], stream)) {
    at += step;
    step *= 2;
  }
  return std::lower_bound(at, at + std::min(step, end - at), stream, before_stream);
}

// Calls `each` with every entry of the first clock and what the second one knows of its stream.
template <class Function>
void compare(const std::vector<position>& first, const std::vector<position>& second, Function each) {
  auto at = second.begin();
  for (const auto& task : first) {
    at = advance_to(at, second.end(), task.stream);
    const bool found = at != second.end() && at->stream == task.stream;
    each(task, found ? at->sequence : sequence_number::none);
  }
}

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
  if (all.empty() || all.back().stream < task.stream) {
    all.push_back(task);
    return true;
  }
  const auto found = std::lower_bound(all.begin(), all.end(), task.stream, before_stream);
  if (found->stream == task.stream) {
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
  bool is_new = false;
  compare(theirs, list_->positions,
          [&](const position& task, sequence_number known) { is_new = is_new || known < task.sequence; });
  if (!is_new) {
    return false;
  }
  auto& ours = own();
  std::vector<position> missing;
  auto at = ours.begin();
  for (const auto& task : theirs) {
    at = advance_to(at, ours.end(), task.stream);
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
  std::vector<position> kept;
  compare(positions(), other.positions(), [&](const position& task, sequence_number known) {
    if (known < task.sequence) {
      kept.push_back(task);
    }
  });
  if (kept.empty()) {
    replace(nullptr);
  } else if (kept.size() < positions().size()) {
    replace(new list);
    list_->positions = std::move(kept);
  }
}

}  // namespace soma::memory
