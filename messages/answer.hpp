// The way back of a request: a token in the message that is called once with the result.
//
// A request is always answered: a token that nobody called answers "actor gone" when its last copy goes,
// whether the message was lost in a mailbox that closed, or the actor ended with the token in its state. What
// the call does is the asker's affair: fill a slot that a thread waits for, or send a message.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "memory/fault.hpp"
#include "messages/caf.hpp"

namespace soma::messages {

using memory::fault;
using memory::fault_code;
using memory::result;

/// The value of an answer that says no more than "done".
struct done {};

inline tl::unexpected<fault> actor_gone() {
  return memory::failed(fault_code::actor_gone, "the part of the runtime that had to answer has ended");
}

/// Told when a token is called a second time, which only a fault in an actor can do. For explorers; else
/// null.
inline std::atomic<void (*)()> called_twice{nullptr};

template <class T>
class answer {
public:
  /// No one is asking: calling it does nothing.
  answer() = default;

  /// `deliver(result<T>)` is called exactly once, on the thread that answers; it must not throw. It may
  /// return whether the answer was taken.
  template <class F>
  requires std::is_invocable_v<F&, result<T>>
  explicit answer(F deliver) : pending_(std::make_shared<pending_call<F>>(std::move(deliver))) {}

  /// Answers. The second and later calls do nothing. Returns false if nobody takes the answer: the asker's
  /// time was over, or there is no asker. What an answer uses up must then be kept for the next one who asks.
  bool operator()(result<T> value) const { return pending_ != nullptr && pending_->call(std::move(value)); }

private:
  struct pending {
    pending() = default;
    pending(const pending&) = delete;
    pending& operator=(const pending&) = delete;
    virtual ~pending() = default;
    virtual bool call(result<T> value) = 0;
  };

  template <class F>
  // NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is virtual, by the base
  struct pending_call final : pending {
    explicit pending_call(F deliver) : deliver_(std::move(deliver)) {}
    pending_call(const pending_call&) = delete;
    pending_call& operator=(const pending_call&) = delete;
    ~pending_call() override {
      if (!called_) {
        call(actor_gone());
      }
    }
    bool call(result<T> value) override {
      if (std::exchange(called_, true)) {
        if (auto* tell = called_twice.load(std::memory_order_acquire); tell != nullptr) {
          tell();
        }
        return false;
      }
      if constexpr (std::is_same_v<std::invoke_result_t<F&, result<T>>, bool>) {
        return deliver_(std::move(value));
      } else {
        deliver_(std::move(value));
        return true;
      }
    }
    F deliver_;
    bool called_ = false;
  };

  // Messages of CAF must be copyable; only one copy is ever in use.
  std::shared_ptr<pending> pending_;
};

/// An answer that comes as a message. The ticket is the asker's: it tells which request this answers.
template <class T>
struct answered {
  std::uint64_t ticket = 0;
  result<T> value = actor_gone();
};

}  // namespace soma::messages

namespace caf {
template <class T>
struct allowed_unsafe_message_type<soma::messages::answered<T>> : std::true_type {};
}  // namespace caf
