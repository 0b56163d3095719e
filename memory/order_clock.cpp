#include "memory/order_clock.hpp"

#include <algorithm>
#include <iterator>

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

sequence_number order_clock::of(stream_id stream) const noexcept {
  const auto& all = positions();
  const auto found = std::lower_bound(all.begin(), all.end(), stream, before_stream);
  return found != all.end() && found->stream == stream ? found->sequence : sequence_number::none;
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
  const auto& ours = list_->positions;
  auto* merged = new list;
  merged->positions.reserve(ours.size() + theirs.size());
  auto left = ours.begin();
  auto right = theirs.begin();
  while (left != ours.end() && right != theirs.end()) {
    if (left->stream == right->stream) {
      merged->positions.push_back({left->stream, std::max(left->sequence, right->sequence)});
      ++left;
      ++right;
    } else {
      merged->positions.push_back(left->stream < right->stream ? *left++ : *right++);
    }
  }
  merged->positions.insert(merged->positions.end(), left, ours.end());
  merged->positions.insert(merged->positions.end(), right, theirs.end());
  replace(merged);
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
