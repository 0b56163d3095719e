// The REPORTER: a thread on which the findings of the race detector are written, or given to the program.
// Writing may block and a program's function is foreign code, so this is kept away from all other actors.
//
// Owns: where reports go.
#pragma once

#include <functional>
#include <vector>

#include "actors/foreign_code.hpp"
#include "actors/shell.hpp"
#include "messages/all.hpp"

namespace soma::actors {

/// Where reports go. Called on one thread, one after the other. What they throw is dropped.
struct report_sink {
  std::function<void(const memory::finding&)> on_finding;
  std::function<void(const std::vector<memory::finding>& all, std::uint64_t repeated)> on_end;
};

class reporter_state {
public:
  using handle_type = messages::reporter_actor;
  static constexpr auto name = "reporter";

  reporter_state(self<handle_type> own, report_sink sink) : own_(own), sink_(std::move(sink)) {}

  void handle(messages::report_finding& message);
  void handle(messages::report_summary& message);
  void handle(messages::finish_reports& message) { message.reply(messages::done{}); }
  void handle(messages::stop_reporter& message);

private:
  void run(std::function<void()> foreign);

  self<handle_type> own_;
  report_sink sink_;
};

}  // namespace soma::actors
