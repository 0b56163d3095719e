#include "actors/reporter.hpp"

#include <utility>

namespace soma::actors {

void reporter_state::run(std::function<void()> foreign) {
  // Of the thread and not of the state, as for engines.
  thread_local const signal_stack stack;
  static_cast<void>(run_work(messages::host_call{std::move(foreign)}));
}

void reporter_state::handle(messages::report_finding& message) {
  run([&] { sink_.on_finding(message.found); });
}

void reporter_state::handle(messages::report_summary& message) {
  run([&] { sink_.on_end(message.all, message.repeated); });
}

void reporter_state::handle(messages::stop_reporter& /*message*/) { own_.quit(); }

}  // namespace soma::actors
