#include "actors/reporter.hpp"

#include <utility>

namespace soma::actors {

void reporter_state::run(std::function<void()> foreign) {
  if (!stack_) {
    stack_.emplace();
  }
  static_cast<void>(run_work(messages::host_call{std::move(foreign)}));
}

void reporter_state::handle(messages::report_finding& message) {
  run([&] { sink_.on_finding(message.found); });
}

void reporter_state::handle(messages::report_summary& message) {
  run([&] { sink_.on_end(message.all, message.repeated); });
}

void reporter_state::handle(messages::stop_reporter& /*message*/) {
  stack_.reset();
  own_.quit();
}

}  // namespace soma::actors
