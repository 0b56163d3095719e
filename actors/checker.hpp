// The CHECKER: the race detector of a runtime. It exists only while the runtime is checked.
//
// Owns: what is known of every block (memory/access_history.hpp) and what was found. Never does: wait, decide
// anything about memory, or run foreign code; who hears of a finding is the reporter's affair.
#pragma once

#include "actors/shell.hpp"
#include "memory/access_history.hpp"
#include "messages/all.hpp"

namespace soma::actors {

class checker_state {
public:
  using handle_type = messages::checker_actor;
  static constexpr auto name = "checker";

  checker_state(self<handle_type> own, memory::range addresses, messages::reporter_actor reporter) noexcept
      : own_(own), reporter_(std::move(reporter)), history_(addresses) {}
  ~checker_state();
  checker_state(const checker_state&) = delete;
  checker_state& operator=(const checker_state&) = delete;

  void handle(messages::memory_touched& message);
  void handle(messages::free_submitted& message);
  void handle(messages::signal_raised& message);
  void handle(messages::arguments_read& message);
  void handle(messages::block_allocated& message);
  void handle(messages::block_freed_at_once& message);
  void handle(messages::free_refused& message);
  void handle(messages::host_touches& message);
  void handle(messages::host_saw_complete& message);
  void handle(messages::pool_given_up& message);
  void handle(messages::read_findings& message);
  void handle(messages::end_check& message);
  void handle(messages::stop_checker& message);

private:
  void report(memory::access_history::findings found);
  void when_reported(messages::answer<messages::done> reply);

  self<handle_type> own_;
  messages::reporter_actor reporter_;
  memory::access_history history_;
  memory::finding_list found_;
  bool ended_ = false;
};

}  // namespace soma::actors
