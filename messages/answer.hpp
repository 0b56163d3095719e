// The way back of a request: a token in the message that is called once with the result.
//
// A request is always answered: a token that nobody called answers "actor gone" when it goes, whether the
// message was lost in a mailbox that closed, or the actor ended with the token in its state. What the call
// does is the asker's affair: fill a slot that a thread waits for, or send a message.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "memory/fault.hpp"

namespace soma::messages {

using memory::fault;
using memory::fault_code;
using memory::result;

/// The value of an answer that says no more than "done".
struct done {};

inline constexpr const char* some_part = "part of the runtime";

/// The answer of an actor that is no longer there.
inline tl::unexpected<fault> actor_gone(const char* who = some_part) {
  return memory::failed(fault_code::actor_gone, std::string("the ") + who + " that had to answer has ended");
}

/// Told when a token is called a second time, which only a fault in an actor can do. For explorers; else
/// null.
inline std::atomic<void (*)()> called_twice{nullptr};

/// Who gives answers of this type to other actors: for the text if it does not.
template <class T>
inline constexpr const char* answered_by = some_part;

/// Only moved, never copied: there is one token for each request. What it delivers to lies in the token
/// itself if that is small, so that asking allocates nothing.
template <class T>
class answer {
public:
  /// No one is asking: calling it does nothing.
  answer() noexcept = default;

  /// `deliver(result<T>)` is called exactly once, on the thread that answers; it must not throw. It may
  /// return whether the answer was taken. `asked` is who has to call it.
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, answer> &&
           std::is_invocable_v<F&, result<T>>) explicit answer(F deliver, const char* asked = answered_by<T>)
      : of_(&operations_of<F>), asked_(asked) {
    if constexpr (fits<F>) {
      new (&store_) F(std::move(deliver));
    } else {
      new (&store_) F*(new F(std::move(deliver)));
    }
  }

  answer(answer&& other) noexcept : of_(other.of_), asked_(other.asked_), called_(other.called_) {
    if (of_ != nullptr) {
      of_->move(&other.store_, &store_);
      other.of_ = nullptr;
    }
  }

  answer& operator=(answer&& other) noexcept {
    if (this != &other) {
      this->~answer();
      new (this) answer(std::move(other));
    }
    return *this;
  }

  answer(const answer&) = delete;
  answer& operator=(const answer&) = delete;

  ~answer() {
    if (of_ != nullptr) {
      if (!called_) {
        of_->call(&store_, actor_gone(asked_));
      }
      of_->destroy(&store_);
    }
  }

  /// Answers. The second and later calls do nothing. Returns false if nobody takes the answer: the asker's
  /// time was over, or there is no asker. What an answer uses up must then be kept for the next one who asks.
  bool operator()(result<T> value) const {
    if (of_ == nullptr) {
      return false;
    }
    if (std::exchange(called_, true)) {
      if (auto* tell = called_twice.load(std::memory_order_acquire); tell != nullptr) {
        tell();
      }
      return false;
    }
    return of_->call(&store_, std::move(value));
  }

private:
  static constexpr std::size_t store_bytes = 32;

  // What is known of the type of what it delivers to.
  struct operations {
    bool (*call)(void* store, result<T>&& value);
    void (*move)(void* from, void* to) noexcept;
    void (*destroy)(void* store) noexcept;
  };

  template <class F>
  // NOLINTNEXTLINE(misc-redundant-expression): it is not for every F
  static constexpr bool fits = sizeof(F) <= store_bytes &&
                               alignof(F) <= alignof(void*) && std::is_nothrow_move_constructible_v<F>;

  template <class F>
  static F& stored(void* store) noexcept {
    if constexpr (fits<F>) {
      return *static_cast<F*>(store);
    } else {
      return **static_cast<F**>(store);
    }
  }

  template <class F>
  static bool call(void* store, result<T>&& value) {
    if constexpr (std::is_same_v<std::invoke_result_t<F&, result<T>>, bool>) {
      return stored<F>(store)(std::move(value));
    } else {
      stored<F>(store)(std::move(value));
      return true;
    }
  }

  template <class F>
  static void move(void* from, void* to) noexcept {
    if constexpr (fits<F>) {
      new (to) F(std::move(stored<F>(from)));
      stored<F>(from).~F();
    } else {
      new (to) F*(*static_cast<F**>(from));
    }
  }

  template <class F>
  static void destroy(void* store) noexcept {
    if constexpr (fits<F>) {
      stored<F>(store).~F();
    } else {
      delete &stored<F>(store);
    }
  }

  template <class F>
  static constexpr operations operations_of{&call<F>, &move<F>, &destroy<F>};

  const operations* of_ = nullptr;
  const char* asked_ = nullptr;
  // Calling a token changes nothing that its holder can see but that it was called.
  mutable bool called_ = false;
  alignas(void*) mutable std::byte store_[store_bytes];
};

/// An answer that comes as a message. The ticket is the asker's: it tells which request this answers.
template <class T>
struct answered {
  std::uint64_t ticket = 0;
  result<T> value = actor_gone();
};

}  // namespace soma::messages
