// What every shell has in common, whatever state and messages: how an actor of CAF is run.
//
// CAF's own way costs about 440 ns a message: it looks at its clock and time-outs, and finds the handler by
// comparing types. Here soma's messages are handled by their place in the list of the receiver; whatever
// else is in the mailbox (exits) takes CAF's own way. Also here: that a thread may take an idle actor and
// hand it messages without a mailbox (turn.hpp).
//
// Part of what knows CAF's version, like messages/caf.hpp.
#pragma once

#include <cstddef>
#include <utility>

#include <caf/event_based_actor.hpp>

#include "actors/actor_mark.hpp"
#include "actors/execution.hpp"
#include "messages/caf.hpp"

namespace soma::actors {

class shell_base : public caf::event_based_actor {
public:
  shell_base(caf::actor_config& config, actor_kind kind);

  /// What traces call it.
  [[nodiscard]] const actor_mark& mark() const noexcept { return mark_; }

  /// Every message passes the wire's hook here, if there is one.
  messages::enqueued enqueue(caf::mailbox_element_ptr element, execution_unit* unit) override;

  /// Handles what is in the mailbox, up to a number of messages.
  caf::resumable::resume_result resume(execution_unit* unit, std::size_t messages) override;

  /// Whether the actor has a thread of its own, so that no other may run it.
  [[nodiscard]] bool has_thread() const { return getf(is_detached_flag); }

  /// Whether the actor takes no message any more. Any thread may ask.
  [[nodiscard]] bool has_ended() noexcept { return mailbox().closed(); }

  // -- for turns: an actor that is idle can be taken, and is then run by who took it --

  /// Takes the actor if nobody runs it and nothing is in its mailbox. What others send meanwhile stays in the
  /// mailbox.
  [[nodiscard]] bool try_take(execution_unit* by);

  /// Whether something has come since it was taken. Precondition: taken, and not ended.
  [[nodiscard]] bool has_mail() noexcept;

  /// Handles a message; `trace` is what tells of its sending. Returns false if the actor has ended.
  /// Precondition: taken, and not ended.
  bool handle_message(std::size_t place, void* message, messages::trace_id trace);

  /// Gives a taken actor back. Returns false if it has mail: then it must be resumed.
  [[nodiscard]] bool try_leave();

  // -- for calls in place (in_place.hpp): as above, without a turn --

  /// As try_take; not for an actor that has not begun yet.
  [[nodiscard, gnu::always_inline]] bool try_take_in_place() noexcept {
    return !has_thread() && getf(is_initialized_flag) && mailbox().try_unblock();
  }

  /// Gives an actor back that was taken in place; what has come meanwhile is handled before this returns.
  [[gnu::always_inline]] void leave_in_place() {
    if (!mailbox().try_block()) [[unlikely]] {
      resume_in_place();
    }
  }

protected:
  /// Has the state handle a message; an exception ends the actor.
  virtual void deliver(std::size_t place, void* message) noexcept = 0;

  /// Two figures of the state that traces show, for example what a pool uses and holds.
  [[nodiscard]] virtual std::pair<std::uint64_t, std::uint64_t> figures() const noexcept = 0;

  void set_label(std::uint64_t label) noexcept { mark_.label = static_cast<std::uint32_t>(label); }

  caf::behavior make_behavior() override;

  /// To be called where an exception is handled that a call in place has thrown: ends the actor, which is
  /// taken.
  void end_in_place() noexcept;

private:
#if SOMA_CAF_LEGACY
  class visitor;
#endif

  [[gnu::noinline, gnu::cold]] void deliver_traced(std::size_t place, void* message,
                                                   messages::trace_id trace) noexcept;
  void resume_in_place();

  void look_for_mail();
  caf::resumable::resume_result resume_here(execution_unit* unit, std::size_t messages);

  actor_mark mark_;
};

}  // namespace soma::actors
