// Runs a program as a process of its own, with a time limit.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace process_tests {

/// How a process ended, and what it wrote to the standard error.
struct ending {
  bool in_time = false;
  int code = -1;    // of exit, or -1
  int signal = -1;  // that ended it, or -1
  std::string errors;
};

inline std::string text_of(int file) {
  std::string text;
  std::array<char, 4096> part{};
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = ::read(file, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

/// This process's environment, but without the search for leaks: many of these programs leave things behind.
class environment {
public:
  environment() {
    const char* const given = std::getenv("ASAN_OPTIONS");
    options_ =
        std::string("ASAN_OPTIONS=") + (given == nullptr ? "" : std::string(given) + ":") + "detect_leaks=0";
    for (char** variable = environ; *variable != nullptr; ++variable) {
      if (std::strncmp(*variable, "ASAN_OPTIONS=", sizeof "ASAN_OPTIONS=" - 1) != 0) {
        all_.push_back(*variable);
      }
    }
    all_.push_back(options_.data());
    all_.push_back(nullptr);
  }

  [[nodiscard]] char* const* get() const { return all_.data(); }

private:
  std::string options_;
  std::vector<char*> all_;
};

inline ending run_process(const std::string& program, const std::string& argument,
                          std::chrono::seconds limit) {
  const int errors = ::memfd_create("errors", MFD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  std::string own_program = program;
  std::string own_argument = argument;
  char* const arguments[] = {own_program.data(), own_argument.data(), nullptr};
  pid_t child = 0;
  const int failed =
      ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environment().get());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw std::runtime_error("cannot run " + program);
  }
  const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  pollfd ended{handle, POLLIN, 0};
  ending how;
  how.in_time = ::poll(&ended, 1, static_cast<int>(std::chrono::milliseconds(limit).count())) == 1;
  if (!how.in_time) {
    ::kill(child, SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  how.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  how.signal = WIFSIGNALED(status) ? WTERMSIG(status) : -1;
  how.errors = text_of(errors);
  ::close(handle);
  ::close(errors);
  return how;
}

}  // namespace process_tests
