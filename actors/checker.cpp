#include "actors/checker.hpp"

#include <utility>

namespace soma::actors {

checker_state::~checker_state() { post(reporter_, messages::stop_reporter{}); }

void checker_state::report(memory::access_history::findings found) {
  for (auto& one : found) {
    if (!ended_ && found_.add(one)) {
      post(reporter_, messages::report_finding{std::move(one)});
    }
  }
}

void checker_state::when_reported(messages::answer<messages::done> reply) {
  post(reporter_, messages::finish_reports{std::move(reply)});
}

// -- from streams and engines -------------------------------------------------------------------------------

void checker_state::handle(messages::memory_touched& message) {
  report(history_.touched(message.by, message.ordered, message.accesses, message.arguments_later));
}

void checker_state::handle(messages::free_submitted& message) {
  report(history_.freed(message.by, message.ordered, message.block));
}

void checker_state::handle(messages::signal_raised& message) {
  report(history_.signalled(message.by, message.at));
}

void checker_state::handle(messages::arguments_read& message) {
  report(history_.arguments_read(message.at, message.pointers));
}

void checker_state::handle(messages::block_allocated& message) {
  history_.allocated(std::move(message.block));
  message.reply(messages::done{});
}

// -- from the host ------------------------------------------------------------------------------------------

void checker_state::handle(messages::block_freed_at_once& message) {
  report(history_.freed_at_once(message.by, message.block));
  message.reply(messages::done{});
}

void checker_state::handle(messages::free_refused& message) {
  report(history_.refused(message.by, message.block));
}

// The access itself may be the last thing that the program does: it is reported first.
void checker_state::handle(messages::host_touches& message) {
  auto found = history_.host_touched(message.by, message.accesses);
  if (found.empty()) {
    message.reply(messages::done{});
    return;
  }
  report(std::move(found));
  when_reported(std::move(message.reply));
}

void checker_state::handle(messages::host_saw_complete& message) {
  history_.saw(message.seen);
  message.reply(messages::done{});
}

void checker_state::handle(messages::pool_given_up& message) { history_.pool_destroyed(message.pool); }

void checker_state::handle(messages::read_findings& message) {
  when_reported(messages::answer<messages::done>(
      [reply = std::move(message.reply), all = found_.all()](const auto& /*done or gone*/) { reply(all); }));
}

void checker_state::handle(messages::end_check& message) {
  if (!ended_) {
    report(history_.leaks());
    ended_ = true;
    post(reporter_, messages::report_summary{found_.all(), found_.repeated()});
  }
  when_reported(std::move(message.reply));
}

void checker_state::handle(messages::stop_checker& /*message*/) { own_.quit(); }

}  // namespace soma::actors
