// The names of caf.hpp for CAF 1.0 and 1.1. What each is for is said in caf_0.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/exit_reason.hpp>
#include <caf/init_global_meta_objects.hpp>
#include <caf/logger.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/scheduler.hpp>
#include <caf/system_messages.hpp>

namespace soma::messages {

using execution_unit = caf::scheduler;

class own_unit : public execution_unit {
public:
  explicit own_unit(caf::actor_system& system) : system_(system) {}

  [[nodiscard]] caf::actor_system& system() const noexcept { return system_; }

  virtual void exec_later(caf::resumable* ready) = 0;

  // -- for CAF --
  void schedule(caf::resumable* ready) final { exec_later(ready); }
  void delay(caf::resumable* ready) final { exec_later(ready); }
  void start() final {}
  void stop() final {}

private:
  caf::actor_system& system_;
};

using enqueued = bool;

// There is no reason of that name any more.
inline constexpr auto after_exception = caf::exit_reason::unknown;

inline caf::mailbox_element_ptr make_exit(const caf::actor_addr& from, caf::exit_reason reason, bool urgent) {
  const auto priority = urgent ? caf::message_priority::high : caf::message_priority::normal;
  return caf::make_mailbox_element(nullptr, caf::make_message_id(priority), caf::exit_msg{from, reason});
}

inline void give_to_workers(caf::actor_system& system, caf::resumable* ready) {
  system.scheduler().schedule(ready);
}

/// CAF's table of the types that it knows, which every system needs. Soma adds none of its own, so that its
/// numbers cannot be those of the program's types. Where the program has set the table up, it is left alone:
/// CAF's systems read it without a lock.
inline void set_up_types() {
  static const bool done = [] {
    using block = caf::id_block::core_module;
    const auto known = caf::detail::global_meta_objects();
    if (known.size() < block::end || known[block::begin].type_name.empty()) {
      caf::core::init_global_meta_objects();
    }
    return true;
  }();
  static_cast<void>(done);
}

inline void configure(caf::actor_system_config& config, std::size_t workers) {
  set_up_types();
  config.set("caf.scheduler.policy", std::string("sharing"));
  config.set("caf.scheduler.max-threads", workers);
}

inline void configure_as_caf_does(caf::actor_system_config& /*config*/) { set_up_types(); }

inline void configure_for_tests(caf::actor_system_config& config) {
  set_up_types();
  config.set("caf.scheduler.policy", std::string("testing"));
}

inline void forget_logger() { caf::logger::current_logger(nullptr); }

template <class Asker, class To, class... Values>
auto caf_request(Asker& asker, const To& to, Values&&... values) {
  return asker->mail(std::forward<Values>(values)...).request(to, caf::infinite);
}

}  // namespace soma::messages
