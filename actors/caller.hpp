// The caller's end: how a thread outside of the actors asks them something.
//
// The way in which it waits is one interface with several forms: the thread runs the actors itself
// (inline_caller, what the library uses), CAF's workers run them (worker_caller, for comparison), or a test
// chooses what runs. Callers may be used from any number of threads at the same time.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "actors/post.hpp"
#include "actors/slot.hpp"
#include "messages/actors.hpp"

namespace soma::actors {

class caller {
public:
  virtual ~caller() = default;

  /// Sends by the given unit (null: wake a worker).
  using sender = std::function<void(execution_unit*)>;

  /// Sends, and returns when the slot is filled or the deadline is over. Returns whether it is filled.
  virtual bool send_and_wait(const sender& send, slot_base& answered, deadline limit) = 0;

  /// Sends something that has no answer.
  virtual void send(const sender& send) = 0;

  /// Whether a wait without a deadline ends in no other way than by the answer.
  [[nodiscard]] bool waits_for_ever() const noexcept { return waits_for_ever_; }

protected:
  /// One that does not say so may give waits up.
  explicit caller(bool waits_for_ever = false) noexcept : waits_for_ever_(waits_for_ever) {}

private:
  bool waits_for_ever_;
};

/// Runs the actors on the calling thread; sleeps only while another thread runs what it needs.
class inline_caller final : public caller {
public:
  explicit inline_caller(caf::actor_system& system) noexcept : caller(true), system_(system) {}
  bool send_and_wait(const sender& send, slot_base& answered, deadline limit) override;
  void send(const sender& send) override;

private:
  caf::actor_system& system_;
};

/// Lets CAF's workers run the actors, and sleeps.
class worker_caller final : public caller {
public:
  worker_caller() noexcept : caller(true) {}
  bool send_and_wait(const sender& send, slot_base& answered, deadline limit) override;
  void send(const sender& send) override;
};

inline void note_asking(slot_base& place) noexcept {
  if (tracing::is_on()) [[unlikely]] {
    place.set_asking(tracing::current_call());
  }
}

/// Sends a request and waits for its answer. The message's member `reply` is set here.
/// Errors: those of the answer; timed_out; actor_gone.
template <class T, class Handle, class Message>
messages::result<T> ask(caller& by, const Handle& to, Message message, deadline limit = {}) {
  const auto send = [&](execution_unit* unit) { send_by(unit, to, std::move(message)); };
  if (!limit && by.waits_for_ever()) {
    // On this stack: whoever fills it does not touch it afterwards.
    slot<T> place;
    note_asking(place);
    message.reply =
        messages::answer<T>([&place](messages::result<T>&& value) { return place.fill(std::move(value)); },
                            messages::noun<Handle>);
    by.send_and_wait(send, place, limit);
    return place.take();
  }
  const auto place = std::make_shared<slot<T>>();  // the answer may come when this thread has gone on
  note_asking(*place);
  message.reply = messages::answer<T>(
      [place](messages::result<T>&& value) { return place->fill(std::move(value)); }, messages::noun<Handle>);
  if (!by.send_and_wait(send, *place, limit) && place->abandon()) {
    return memory::failed(messages::fault_code::timed_out, "the time given for waiting is over");
  }
  return place->take();
}

/// Sends a notification.
template <class Handle, class Message>
void tell(caller& by, const Handle& to, Message message) {
  by.send([&](execution_unit* unit) { send_by(unit, to, std::move(message)); });
}

}  // namespace soma::actors
