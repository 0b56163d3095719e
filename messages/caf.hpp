// The one place that knows which line of CAF the project is built with (see docs/architecture.md). What the
// lines spell differently is given one name here; everything else uses these names.
//
// Written for and tested with CAF 0.17.6, the line that Debian has.
#pragma once

#include <caf/config.hpp>

#if CAF_VERSION < 1700 || CAF_VERSION >= 1800
#error "soma is built with CAF 0.17; this header is where another line would be added"
#endif

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <caf/execution_unit.hpp>
#include <caf/logger.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/spawn_options.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace soma::messages {

/// A handle of an actor that takes these messages. All are notifications to CAF: answers travel by
/// messages::answer, which needs no actor at the asking end.
template <class... Messages>
using handle = caf::typed_actor<caf::reacts_to<Messages>...>;

/// The class that an actor with these messages derives from.
template <class... Messages>
using actor_base = caf::typed_event_based_actor<caf::reacts_to<Messages>...>;

/// What runs actors: a worker of CAF, or a thread that takes a call.
using execution_unit = caf::execution_unit;

template <class Message>
caf::mailbox_element_ptr make_element(Message&& message) {
  return caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, std::forward<Message>(message));
}

/// Puts a message into the mailbox of an actor. If that wakes the actor, the unit runs it later; without a
/// unit, a worker does.
template <class Handle, class Message>
void enqueue(const Handle& to, Message&& message, execution_unit* unit) {
  to->enqueue(make_element(std::forward<Message>(message)), unit);
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

/// Announces a struct as a message. Messages never leave the process.
#define SOMA_MESSAGE(type) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(type)
