// The one place that knows which line of CAF the project is built with (see docs/architecture.md). What the
// lines spell differently is given one name in caf_0.hpp and caf_1.hpp, of which this takes the right one,
// and in element.hpp; everything else uses these names. Two functions of actors/shell_base.cpp drain a
// mailbox, whose queues have little in common on the two lines, and ask SOMA_CAF_LEGACY themselves.
//
// Written for and tested with CAF 0.17.6, the line that Debian 12 has, and CAF 1.1.0. CAF 1.0
// has the same headers in all that is used here.
#pragma once

#include <utility>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/resumable.hpp>

#include "messages/caf_line.hpp"
#include "messages/element.hpp"
#include "messages/handle.hpp"
#if SOMA_CAF_LEGACY
#include "messages/caf_0.hpp"
#else
#include "messages/caf_1.hpp"
#endif

namespace soma::messages {

/// A message on its way to an actor with this handle.
template <class Handle, class Message>
caf::mailbox_element_ptr make_element(Message&& message, trace_id trace = trace_id::none) {
  using plain = std::remove_cvref_t<Message>;
  return element_of<plain>::make(Handle::template place_of<plain>, std::forward<Message>(message), trace);
}

/// Puts a message into the mailbox of an actor. If that wakes the actor, the unit runs it later; without a
/// unit, a worker does.
template <class Handle, class Message>
void enqueue(const Handle& to, Message&& message, execution_unit* unit, trace_id trace = trace_id::none) {
  to.actor()->enqueue(make_element<Handle>(std::forward<Message>(message), trace), unit);
}

/// Counts one more user of what a unit runs.
inline void keep(caf::resumable* job) { caf::intrusive_ptr_add_ref(job); }

/// Counts one user less; without any it ends.
inline void let_go(caf::resumable* job) { caf::intrusive_ptr_release(job); }

}  // namespace soma::messages
