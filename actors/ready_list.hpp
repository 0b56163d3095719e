// Actors that are ready to be resumed, the one that has waited longest first. Each holds one reference.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>

#include "messages/caf.hpp"

namespace soma::actors {

class ready_list {
public:
  [[nodiscard]] bool empty() const noexcept { return count_ == 0 && !more_; }

  void push(caf::resumable* ready) {
    if (!more_ && count_ < few) {
      first_[(begin_ + count_++) % few] = ready;
      return;
    }
    if (!more_) {
      more_.emplace();
    }
    more_->push_back(ready);
  }

  /// Precondition: !empty().
  caf::resumable* pop() {
    if (count_ > 0) {
      auto* oldest = first_[begin_];
      begin_ = (begin_ + 1) % few;
      --count_;
      return oldest;
    }
    auto* oldest = more_->front();
    more_->pop_front();
    if (more_->empty()) {
      more_.reset();
    }
    return oldest;
  }

private:
  // Most turns have a few at most; a deque would allocate for the first.
  static constexpr std::size_t few = 16;

  std::array<caf::resumable*, few> first_;
  std::size_t begin_ = 0;
  std::size_t count_ = 0;
  std::optional<std::deque<caf::resumable*>> more_;  // behind the first
};

}  // namespace soma::actors
