// A list that is nearly always short: up to a number of elements it needs no memory of its own.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace soma::memory {

template <class Element, std::size_t few>
class short_list {
public:
  using value_type = Element;
  using iterator = Element*;
  using const_iterator = const Element*;

  void push_back(const Element& added) {
    if (size_ < few) {
      few_[size_] = added;
    } else {
      if (size_ == few) {
        many_.assign(few_.begin(), few_.end());
      }
      many_.push_back(added);
    }
    ++size_;
  }

  void clear() noexcept {
    many_.clear();
    size_ = 0;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  [[nodiscard]] iterator begin() noexcept { return size_ <= few ? few_.data() : many_.data(); }
  [[nodiscard]] iterator end() noexcept { return begin() + size_; }
  [[nodiscard]] const_iterator begin() const noexcept { return size_ <= few ? few_.data() : many_.data(); }
  [[nodiscard]] const_iterator end() const noexcept { return begin() + size_; }

  // Precondition of these: the list is not empty.
  [[nodiscard]] const Element& front() const noexcept { return *begin(); }
  [[nodiscard]] const Element& back() const noexcept { return *(end() - 1); }

private:
  std::size_t size_ = 0;
  std::array<Element, few> few_{};
  std::vector<Element> many_;  // all elements, once they are more than a few
};

}  // namespace soma::memory
