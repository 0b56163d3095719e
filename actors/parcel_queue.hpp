// Messages that wait for their handlers inside a turn, oldest first, of any type. The first few kilobytes of
// them lie in the queue itself, so that a turn of usual length allocates nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "messages/trace_id.hpp"

namespace soma::actors {

class shell_base;

class parcel_queue {
public:
  /// A message for an actor.
  struct parcel {
    shell_base* to;
    std::size_t place;
    void* message;

    /// Which entry of the trace tells of its sending.
    [[nodiscard]] messages::trace_id trace() const noexcept { return trace_; }

  private:
    friend parcel_queue;
    parcel* next;
    void (*destroy)(void* message) noexcept;
    messages::trace_id trace_;
  };

  parcel_queue() noexcept = default;
  ~parcel_queue() {
    while (!empty()) {
      drop(pop());
    }
  }
  parcel_queue(const parcel_queue&) = delete;
  parcel_queue& operator=(const parcel_queue&) = delete;

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

  template <class Message>
  void push(shell_base* to, std::size_t place, messages::trace_id trace, Message&& message) {
    using plain = std::remove_cvref_t<Message>;
    static_assert(alignof(plain) <= alignof(std::max_align_t));
    constexpr auto bytes = rounded(sizeof(parcel)) + rounded(sizeof(plain));
    const bool fits = used_ + bytes <= sizeof(store_);
    auto* place_of_parcel = fits ? store_ + used_ : static_cast<std::byte*>(::operator new(bytes));
    auto* made = new (place_of_parcel) parcel;
    made->to = to;
    made->place = place;
    made->message = new (place_of_parcel + rounded(sizeof(parcel))) plain(std::forward<Message>(message));
    made->next = nullptr;
    made->destroy = [](void* of) noexcept { static_cast<plain*>(of)->~plain(); };
    made->trace_ = trace;
    used_ += fits ? bytes : 0;
    (last_ == nullptr ? first_ : last_->next) = made;
    last_ = made;
  }

  /// Takes the oldest out; it stays valid until it is dropped. Precondition: !empty().
  parcel& pop() noexcept {
    auto& oldest = *first_;
    first_ = oldest.next;
    if (first_ == nullptr) {
      last_ = nullptr;
    }
    ++out_;
    return oldest;
  }

  /// Ends a message that was taken out.
  void drop(parcel& handled) noexcept {
    handled.destroy(handled.message);
    if (!is_stored(handled)) {
      ::operator delete(&handled);
    }
    if (--out_ == 0 && empty()) {
      used_ = 0;
    }
  }

private:
  static constexpr std::size_t store_bytes = 2048;

  [[nodiscard]] bool is_stored(const parcel& of) const noexcept {
    const auto* at = reinterpret_cast<const std::byte*>(&of);
    return std::greater_equal<>{}(at, store_) && std::less<>{}(at, store_ + store_bytes);
  }

  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    constexpr auto unit = alignof(std::max_align_t);
    return (bytes + unit - 1) / unit * unit;
  }

  parcel* first_ = nullptr;
  parcel* last_ = nullptr;
  std::size_t used_ = 0;  // of the store
  std::size_t out_ = 0;   // taken out and not dropped
  alignas(std::max_align_t) std::byte store_[store_bytes];
};

}  // namespace soma::actors
