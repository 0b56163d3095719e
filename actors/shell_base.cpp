#include "actors/shell_base.hpp"

#include <atomic>
#include <utility>

#include <caf/unit.hpp>

#include "actors/tracing.hpp"
#include "actors/turn.hpp"
#include "actors/wire.hpp"

namespace soma::actors {

namespace {

std::atomic<std::uint32_t> actors_made{0};

}  // namespace

shell_base::shell_base(caf::actor_config& config, actor_kind kind)
    : caf::event_based_actor(config), mark_{actors_made.fetch_add(1, std::memory_order_relaxed) + 1, 0,
                                            kind} {}

#if SOMA_CAF_LEGACY

// Sees each element of the mailbox.
class shell_base::visitor {
public:
  using result = caf::intrusive::task_result;

  visitor(shell_base* self, std::size_t& handled, std::size_t most) noexcept
      : self_(*self), handled_(handled), most_(most), of_caf_{self, handled, most} {}

  template <class Queue>
  result operator()(std::size_t number, Queue& queue, caf::mailbox_element& element) {
    auto* own = messages::element::from(element);
    if (own == nullptr) {
      return of_caf_(number, queue, element);
    }
    if (!self_.handle_message(own->place(), own->message(), own->trace())) {
      return result::stop;
    }
    return ++handled_ < most_ ? result::resume : result::stop_all;
  }

  // CAF's streams, which nobody here uses.
  template <class Queue, class Nested>
  result operator()(std::size_t number, Queue& queue, caf::stream_slot slot, Nested& nested,
                    caf::mailbox_element& element) {
    return of_caf_(number, queue, slot, nested, element);
  }

private:
  shell_base& self_;
  std::size_t& handled_;
  std::size_t most_;
  mailbox_visitor of_caf_;
};

#endif

messages::enqueued shell_base::enqueue(caf::mailbox_element_ptr element, execution_unit* unit) {
  if (auto* hook = wire::hook(); hook != nullptr) [[unlikely]] {
    if (!hook->pass(*this, element)) {
      return messages::enqueued(true);
    }
  }
  return caf::event_based_actor::enqueue(std::move(element), unit);
}

caf::resumable::resume_result shell_base::resume(execution_unit* unit, std::size_t messages) {
  if (!has_thread()) {
    const unit_scope scope(unit);
    return resume_here(unit, messages);
  }
  // An engine's thread runs what its tasks woke itself, instead of waking a worker. It does so after each
  // message: the next one may block for ever, and must not hold up what the last one woke. For the same
  // reason the handler itself is not part of a turn: what it sends must be out when the foreign code runs.
  turn own(home_system());
  while (true) {
    auto result = caf::resumable::resume_later;
    {
      const unit_scope scope(&own);
      result = resume_here(&own, 1);
    }
    own.run();
    if (result != caf::resumable::resume_later) {
      return result;
    }
    look_for_mail();
  }
}

// The next run is often near: some microseconds away where a caller waits for each of its tasks. Whoever
// sends it need not wake the thread then.
void shell_base::look_for_mail() {
  constexpr int looks_before_sleep = 800;
  for (int look = 0; look < looks_before_sleep && mailbox().empty(); ++look) {
    __builtin_ia32_pause();
  }
}

// As CAF does it, without its time-outs and streams.
caf::resumable::resume_result shell_base::resume_here(execution_unit* unit, std::size_t messages) {
  if (!activate(unit)) {
    return caf::resumable::done;
  }
  std::size_t handled = 0;
#if SOMA_CAF_LEGACY
  constexpr std::size_t round = 3;  // as CAF's own
  visitor each(this, handled, messages);
  while (handled < messages) {
    if (!mailbox().new_round(round, each).consumed_items && mailbox().try_block()) {
      return caf::resumable::awaiting_message;
    }
    if (finalize()) {
      return caf::resumable::done;
    }
  }
#else
  while (handled < messages) {
    const auto next = mailbox().pop_front();
    if (next == nullptr) {
      if (mailbox().try_block()) {
        return caf::resumable::awaiting_message;
      }
      continue;  // one has come meanwhile
    }
    auto* own = messages::element::from(*next);
    const bool goes_on = own != nullptr ? handle_message(own->place(), own->message(), own->trace())
                                        : reactivate(*next) != activation_result::terminated;
    if (!goes_on) {
      return caf::resumable::done;
    }
    ++handled;
  }
#endif
  // A thread of the actor's own looks around first.
  return !has_thread() && mailbox().try_block() ? caf::resumable::awaiting_message
                                                : caf::resumable::resume_later;
}

bool shell_base::try_take(execution_unit* by) {
  if (has_thread() || !mailbox().try_unblock()) {
    return false;
  }
  activate(by);  // cannot fail: an actor that has ended has a closed mailbox
  return true;
}

bool shell_base::has_mail() noexcept { return !mailbox().empty(); }

bool shell_base::try_leave() { return mailbox().try_block(); }

void shell_base::resume_in_place() {
  messages::keep(this);
  turn own(home_system());
  own.exec_later(this);
  own.run();
}

void shell_base::end_in_place() noexcept {
  quit(messages::after_exception);
  turn own(home_system());
  {
    const unit_scope scope(own);
    activate(&own);
    finalize();
  }
  own.run();
}

bool shell_base::handle_message(std::size_t place, void* message, messages::trace_id trace) {
  if (trace != messages::trace_id::none) [[unlikely]] {
    deliver_traced(place, message, trace);
  } else {
    deliver(place, message);
  }
  return !getf(is_shutting_down_flag) || !finalize();
}

void shell_base::deliver_traced(std::size_t place, void* message, messages::trace_id trace) noexcept {
  tracing::handling now(mark_, place, trace);
  deliver(place, message);
  now.set_figures(figures());
}

// CAF counts an actor without a behavior as ended. Soma's messages never get here.
caf::behavior shell_base::make_behavior() {
  return {[](const caf::unit_t& /*never*/) {}};
}

}  // namespace soma::actors
