// The names of caf.hpp for CAF 0.17.
#pragma once

#include <cstddef>
#include <utility>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/execution_unit.hpp>
#include <caf/exit_reason.hpp>
#include <caf/logger.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/system_messages.hpp>

namespace soma::messages {

/// What runs actors: a worker of CAF, or a thread that takes a call.
using execution_unit = caf::execution_unit;

/// A unit of soma's own, which is told by exec_later which actors have become ready, with one reference to
/// each.
class own_unit : public execution_unit {
public:
  explicit own_unit(caf::actor_system& system) : execution_unit(&system) {}
};

/// What an actor's enqueue returns.
using enqueued = void;

/// Why an actor ended that an exception of a handler has ended.
inline constexpr auto after_exception = caf::exit_reason::unhandled_exception;

/// CAF's message that ends an actor. An urgent one overtakes what is in the mailbox.
inline caf::mailbox_element_ptr make_exit(const caf::actor_addr& from, caf::exit_reason reason, bool urgent) {
  const auto priority = urgent ? caf::message_priority::high : caf::message_priority::normal;
  return caf::make_mailbox_element(nullptr, caf::make_message_id(priority), {}, caf::exit_msg{from, reason});
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

/// A system as CAF itself sets it up, for what compares soma with it.
inline void configure_as_caf_does(caf::actor_system_config& /*config*/) {}

/// A system that runs nothing by itself, for tests that choose what runs.
inline void configure_for_tests(caf::actor_system_config& config) {
  config.set("scheduler.policy", caf::atom("testing"));
}

/// CAF lets every thread that makes a system or spawns an actor hold the system's logger. Such a thread looks
/// it up with each message (100 ns), and the system's end waits until the last thread has let go or ended. So
/// a thread lets go at once.
inline void forget_logger() { caf::logger::set_current_actor_system(nullptr); }

/// CAF's own request, for what compares soma with it.
template <class Asker, class To, class... Values>
auto caf_request(Asker& asker, const To& to, Values&&... values) {
  return asker->request(to, caf::infinite, std::forward<Values>(values)...);
}

}  // namespace soma::messages
