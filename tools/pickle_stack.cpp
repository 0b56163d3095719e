#include "tools/pickle_stack.hpp"

#include <algorithm>
#include <utility>

namespace soma::tools {

namespace {

tl::unexpected<std::string> failure(const char* reason) { return tl::unexpected(std::string(reason)); }

}  // namespace

tl::expected<pickle_document, std::string> pickle_stack::finish() {
  if (stack_.size() != 1 || !marks_.empty()) {
    return tl::unexpected("the pickle ends with " + std::to_string(stack_.size()) + " values instead of one");
  }
  document_.root_ = stack_.back();
  return std::move(document_);
}

pickle_stack::outcome pickle_stack::mark() {
  marks_.push_back(stack_.size());
  return count_cells(1);
}

pickle_stack::outcome pickle_stack::repeat() {
  return stack_.empty() ? failure("nothing to repeat") : push(stack_.back());
}

pickle_stack::outcome pickle_stack::count_cells(std::size_t count) {
  cells_ += count;
  return {};
}

pickle_stack::outcome pickle_stack::push(const pickle_value& value) {
  stack_.push_back(value);
  return count_cells(1);
}

pickle_stack::outcome pickle_stack::pop_any() {
  if (above_mark() != 0) {
    stack_.pop_back();
  } else if (!marks_.empty()) {
    marks_.pop_back();
  } else {
    return failure("nothing to drop");
  }
  return {};
}

pickle_stack::outcome pickle_stack::pop_mark() {
  if (marks_.empty()) {
    return failure("there is no mark to go back to");
  }
  stack_.resize(marks_.back());
  marks_.pop_back();
  return {};
}

pickle_value pickle_stack::container(pickle_kind kind) {
  document_.containers_.emplace_back();
  cells_ += 2;
  return {.bits = document_.containers_.size() - 1, .kind = kind};
}

void pickle_stack::move_into(const pickle_value& into, std::size_t count) {
  auto& items = items_of(into);
  const auto begin = stack_.end() - static_cast<std::ptrdiff_t>(count);
  items.insert(items.end(), begin, stack_.end());
  stack_.erase(begin, stack_.end());
  cells_ += count;
}

pickle_stack::outcome pickle_stack::gather(pickle_kind kind) {
  if (marks_.empty()) {
    return failure("there is no mark to gather from");
  }
  const pickle_value made = container(kind);
  move_into(made, above_mark());
  marks_.pop_back();
  return push(made);
}

pickle_stack::outcome pickle_stack::gather_dict() {
  if (!marks_.empty() && above_mark() % 2 != 0) {
    return failure("a dict has a key without a value");
  }
  return gather(pickle_kind::dict);
}

pickle_stack::outcome pickle_stack::make_tuple(std::size_t count) {
  if (above_mark() < count) {
    return failure("too few values for a tuple");
  }
  const pickle_value made = container(pickle_kind::tuple);
  move_into(made, count);
  return push(made);
}

pickle_stack::outcome pickle_stack::append(std::size_t count) {
  if (above_mark() < count + 1) {
    return failure("nothing to append to");
  }
  const pickle_value into = stack_[stack_.size() - count - 1];
  if (into.kind != pickle_kind::list) {
    return failure("values are appended to something that is no list");
  }
  move_into(into, count);
  return {};
}

pickle_stack::outcome pickle_stack::append_marked() {
  if (marks_.empty()) {
    return failure("there is no mark to append from");
  }
  const std::size_t count = above_mark();
  marks_.pop_back();
  return append(count);
}

pickle_stack::outcome pickle_stack::set_items(std::size_t count) {
  if (above_mark() < count + 1) {
    return failure("nothing to set a key of");
  }
  const pickle_value into = stack_[stack_.size() - count - 1];
  if (into.kind != pickle_kind::dict || count % 2 != 0) {
    return failure("keys are set of something that is no dict, or without a value");
  }
  for (std::size_t place = stack_.size() - count; place < stack_.size(); place += 2) {
    drop_if_unwanted(stack_[place], stack_[place + 1]);
  }
  move_into(into, count);
  return {};
}

pickle_stack::outcome pickle_stack::set_marked_items() {
  if (marks_.empty()) {
    return failure("there is no mark to set keys from");
  }
  const std::size_t count = above_mark();
  marks_.pop_back();
  return set_items(count);
}

void pickle_stack::drop_if_unwanted(const pickle_value& key, pickle_value& value) {
  const auto name = document_.text(key);
  if (!name || std::find(dropped_.begin(), dropped_.end(), *name) == dropped_.end()) {
    return;
  }
  if (value.kind == pickle_kind::list || value.kind == pickle_kind::tuple ||
      value.kind == pickle_kind::dict) {
    std::vector<pickle_value> items;
    items.swap(items_of(value));
    for (const pickle_value& item : items) {
      if (item.kind == pickle_kind::list || item.kind == pickle_kind::tuple ||
          item.kind == pickle_kind::dict) {
        std::vector<pickle_value> inner;
        inner.swap(items_of(item));
        cells_ -= inner.size();
      }
    }
    cells_ -= items.size();
  }
  value = {.kind = pickle_kind::dropped};
}

pickle_stack::outcome pickle_stack::put(std::uint64_t index) {
  if (above_mark() == 0) {
    return failure("nothing to remember");
  }
  if (index == memo_.size()) {
    memo_.push_back(stack_.back());
  } else if (index < memo_.size()) {
    memo_[static_cast<std::size_t>(index)] = stack_.back();
  } else {
    far_memo_[index] = stack_.back();
  }
  return count_cells(1);
}

pickle_stack::outcome pickle_stack::get(std::uint64_t index) {
  if (index < memo_.size()) {
    return push(memo_[static_cast<std::size_t>(index)]);
  }
  const auto found = far_memo_.find(index);
  return found != far_memo_.end() ? push(found->second)
                                  : tl::unexpected("nothing was remembered as " + std::to_string(index));
}

}  // namespace soma::tools
