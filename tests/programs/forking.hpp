// Children by fork, for scenarios.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "programs/scenario.hpp"

namespace scenarios {

/// Runs a part in a child and waits for its end. A child that hangs is ended by an alarm.
template <class Part>
void in_child(const Part& part) {
  constexpr unsigned child_seconds = 20;
  const auto child = ::fork();
  check(child >= 0, "fork");
  if (child == 0) {
    ::alarm(child_seconds);
    part();
    std::exit(0);  // with exit handlers and the destructors of globals
  }
  int status = 0;
  check(::waitpid(child, &status, 0) == child, "waitpid");
  check(!WIFSIGNALED(status), "the child was ended by signal " + std::to_string(WTERMSIG(status)));
  check(WEXITSTATUS(status) == 0, "the child ended with the code " + std::to_string(WEXITSTATUS(status)));
}

}  // namespace scenarios
