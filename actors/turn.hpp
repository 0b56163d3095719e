// A turn: what a thread runs of the actors in one go, for a call or behind a task.
//
// A turn takes the idle actors that are sent something, and hands them their messages itself, oldest first,
// without a mailbox. An actor that another thread runs, or that has mail, gets its messages by its mailbox as
// ever; if that wakes it, it waits in the turn's list of ready actors and is resumed. At its end a turn has
// handed over all its messages and holds no actor.
//
// Why this keeps the order that mailboxes give (what was sent earlier, by whomever, is handled earlier by its
// receiver, wherever the later message was sent because of the earlier one):
//   T1  A taken actor had no mail when it was taken, and is not given back before all messages that the turn
//       has for it are handled. So what others send it meanwhile comes after those.
//   T2  A turn has no more messages for an actor once that has mail: they go to the mailbox, behind it.
//   T3  Messages of a turn are handled in the order in which they were sent.
//
// While a hook is on the wire no actor is taken: each message passes the hook and a mailbox. Only the hook
// that has messages recorded leaves turns as they are.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "actors/execution.hpp"
#include "actors/parcel_queue.hpp"
#include "actors/ready_list.hpp"
#include "actors/shell_base.hpp"
#include "actors/slot.hpp"
#include "actors/tracing.hpp"

namespace soma::actors {

/// Records the sending of a message. Apart, so that what is not traced need not make room for it.
template <class Handle, class Message>
[[gnu::noinline, gnu::cold]] messages::trace_id trace_sending(const Handle& to,
                                                              const Message& message) noexcept {
  return tracing::note_sent(static_cast<const shell_base*>(to.actor())->mark(),
                            Handle::template place_of<Message>, tracing::facts_of(message));
}

/// The same, if a trace is being taken.
template <class Handle, class Message>
messages::trace_id traced(const Handle& to, const Message& message) noexcept {
  if (tracing::is_on()) [[unlikely]] {
    return trace_sending(to, message);
  }
  return messages::trace_id::none;
}

class turn final : public messages::own_unit {
public:
  explicit turn(caf::actor_system& system) : own_unit(system) {}
  /// What is ready goes to CAF's workers.
  ~turn() override { hand_over(); }

  /// From CAF: an actor has become ready.
  void exec_later(caf::resumable* ready) override { ready_.push(ready); }

  /// Sends a message that will be handled by run(), or by who runs the receiver now.
  template <class Handle, class Message>
  [[gnu::always_inline]] void send(const Handle& to, Message&& message) {
    using plain = std::remove_cvref_t<Message>;
    auto* receiver = static_cast<shell_base*>(to.actor());
    const auto trace = traced(to, message);
    if (accepts(receiver)) {
      parcels_.push(receiver, Handle::template place_of<plain>, trace, std::forward<Message>(message));
    } else {
      messages::enqueue(to, std::forward<Message>(message), this, trace);
    }
  }

  /// Runs what there is to run, but gives what is left after a while to the workers: other threads may keep
  /// an actor busy for ever.
  void run();

  /// The same, for a thread that waits for this slot: little more once it is filled.
  void run_for(const slot_base& awaited);

private:
  static constexpr std::size_t most_held = 8;

  // An actor that was taken, with one reference to it. One that ends meanwhile stays here, so that no other
  // actor can have its address.
  struct held_actor {
    shell_base* actor;
    bool ended;
  };

  [[nodiscard]] held_actor* find(const shell_base* actor) noexcept;
  [[nodiscard]] bool accepts(shell_base* receiver);
  void settle();
  void hand_out_oldest();
  void leave_last();
  void resume_oldest();
  void run_up_to(int most_resumes, const slot_base* awaited);
  void hand_over();

  parcel_queue parcels_;  // for held actors
  std::array<held_actor, most_held> held_;
  std::size_t held_count_ = 0;
  std::size_t handed_out_ = 0;
  ready_list ready_;
};

}  // namespace soma::actors
