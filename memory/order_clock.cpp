#include "memory/order_clock.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace soma::memory {

namespace {

// A list that grows longer becomes a tree, and a tree that is left with fewer a list again.
constexpr std::size_t longest_list = 64;
constexpr std::size_t smallest_tree = 32;

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

}  // namespace

std::vector<position> order_clock::positions() const {
  std::vector<position> all;
  all.reserve(size());
  for_each([&all](const position& task) { all.push_back(task); });
  return all;
}

bool operator==(const order_clock& one, const order_clock& other) {
  return one.body_ == other.body_ || (one.size() == other.size() && one.positions() == other.positions());
}

// The body, which nobody else has. What others have read of it, they have read before they let go.
order_clock::body& order_clock::own() {
  if (body_ == nullptr) {
    body_ = new body;
  } else if (body_->users.load(std::memory_order_acquire) > 1) {
    auto* copy = new body;
    copy->list = body_->list;
    copy->tree = body_->tree;
    replace(copy);
  }
  return *body_;
}

clock_tree order_clock::tree_of(const body& of) {
  auto tree = of.tree;
  for (const auto& task : of.list) {
    tree.add(task);
  }
  return tree;
}

// Most clocks know one stream, or are asked for the last one again.
sequence_number order_clock::of(stream_id stream) const noexcept {
  if (body_ == nullptr) {
    return sequence_number::none;
  }
  if (body_->is_tree()) {
    return body_->tree.of(stream);
  }
  const auto& all = body_->list;
  if (all.back().stream <= stream) {
    return all.back().stream == stream ? all.back().sequence : sequence_number::none;
  }
  const auto found = std::lower_bound(all.begin(), all.end(), stream, before_stream);
  return found->stream == stream ? found->sequence : sequence_number::none;
}

bool order_clock::add(position task) {
  if (task.sequence == sequence_number::none || of(task.stream) >= task.sequence) {
    return false;
  }
  auto& ours = own();
  if (ours.is_tree()) {
    ours.tree.add(task);
    return true;
  }
  auto& all = ours.list;
  const auto found = std::lower_bound(all.begin(), all.end(), task.stream, before_stream);
  if (found != all.end() && found->stream == task.stream) {
    found->sequence = task.sequence;
    return true;
  }
  all.insert(found, task);
  if (all.size() > longest_list) {
    ours.tree = tree_of(ours);
    ours.list = {};
  }
  return true;
}

bool order_clock::add(const order_clock& other) {
  if (other.empty() || body_ == other.body_) {
    return false;
  }
  if (empty()) {
    *this = other;
    return true;
  }
  return body_->is_tree() || other.body_->is_tree() ? add_to_tree(*other.body_)
                                                    : add_to_list(other.body_->list);
}

bool order_clock::add_to_tree(const body& theirs) {
  auto tree = tree_of(*body_);
  if (!tree.add(tree_of(theirs))) {
    return false;
  }
  auto& ours = own();
  ours.tree = std::move(tree);
  ours.list = {};
  return true;
}

bool order_clock::add_to_list(const std::vector<position>& theirs) {
  bool is_new = false;
  compare(theirs, body_->list,
          [&](const position& task, sequence_number known) { is_new = is_new || known < task.sequence; });
  if (!is_new) {
    return false;
  }
  auto& ours = own();
  std::vector<position> missing;
  auto at = ours.list.begin();
  for (const auto& task : theirs) {
    at = advance_to(at, ours.list.end(), task.stream);
    if (at == ours.list.end() || at->stream != task.stream) {
      missing.push_back(task);
    } else {
      at->sequence = std::max(at->sequence, task.sequence);
    }
  }
  for (const auto& task : missing) {
    add(task);
  }
  return true;
}

void order_clock::forget(const order_clock& other) {
  if (empty() || other.empty()) {
    return;
  }
  if (body_ == other.body_) {
    replace(nullptr);
  } else if (body_->is_tree()) {
    auto rest = body_->tree;
    rest.forget(tree_of(*other.body_));
    replace_by(std::move(rest));
  } else {
    forget_of_list(other);
  }
}

void order_clock::replace_by(clock_tree tree) {
  if (tree.empty()) {
    replace(nullptr);
    return;
  }
  replace(new body);
  if (tree.size() < smallest_tree) {
    tree.for_each([this](const position& task) { body_->list.push_back(task); });
  } else {
    body_->tree = std::move(tree);
  }
}

void order_clock::forget_of_list(const order_clock& other) {
  std::vector<position> kept;
  if (other.body_->is_tree()) {
    std::copy_if(body_->list.begin(), body_->list.end(), std::back_inserter(kept),
                 [&](const position& task) { return !other.covers(task); });
  } else {
    compare(body_->list, other.body_->list, [&](const position& task, sequence_number known) {
      if (known < task.sequence) {
        kept.push_back(task);
      }
    });
  }
  if (kept.empty()) {
    replace(nullptr);
  } else if (kept.size() < body_->list.size()) {
    replace(new body);
    body_->list = std::move(kept);
  }
}

}  // namespace soma::memory
