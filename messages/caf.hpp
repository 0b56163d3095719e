// The one place that knows which line of CAF the project is built with (see docs/architecture.md). What the
// lines spell differently is given one name here or in element.hpp; everything else uses these names.
//
// Written for and tested with CAF 0.17.6, the line that Debian has.
#pragma once

#include <caf/config.hpp>

#if CAF_VERSION < 1700 || CAF_VERSION >= 1800
#error "soma is built with CAF 0.17; this header is where another line would be added"
#endif

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/execution_unit.hpp>
#include <caf/logger.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include "messages/element.hpp"
#include "messages/handle.hpp"

namespace soma::messages {

/// What runs actors: a worker of CAF, or a thread that takes a call.
using execution_unit = caf::execution_unit;

/// A message on its way to an actor with this handle.
template <class Handle, class Message>
caf::mailbox_element_ptr make_element(Message&& message, trace_id trace = trace_id::none) {
  using plain = std::remove_cvref_t<Message>;
  return caf::mailbox_element_ptr(
      new element_of<plain>(Handle::template place_of<plain>, std::forward<Message>(message), trace));
}

/// Puts a message into the mailbox of an actor. If that wakes the actor, the unit runs it later; without a
/// unit, a worker does.
template <class Handle, class Message>
void enqueue(const Handle& to, Message&& message, execution_unit* unit, trace_id trace = trace_id::none) {
  to.actor()->enqueue(make_element<Handle>(std::forward<Message>(message), trace), unit);
}

/// Lets CAF's workers run an actor that is ready.
inline void give_to_workers(caf::actor_system& system, caf::resumable* ready) {
  system.scheduler().enqueue(ready);
}

/// A system without anything that soma does not use: its workers sleep while there is nothing to do.
inline void configure(caf::actor_system_config& config, std::size_t workers) {
  config.set("scheduler.policy", caf::atom("sharing"));
  config.set("scheduler.max-threads", workers);
}

/// A system that runs nothing by itself, for tests that choose what runs.
inline void configure_for_tests(caf::actor_system_config& config) {
  config.set("scheduler.policy", caf::atom("testing"));
}

/// CAF lets every thread that makes a system or spawns an actor hold the system's logger. Such a thread looks
/// it up with each message (100 ns), and the system's end waits until the last thread has let go or ended. So
/// a thread lets go at once.
inline void forget_logger() { caf::logger::set_current_actor_system(nullptr); }

}  // namespace soma::messages
