#include "api/cpp/trace_at_end.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "actors/tracing.hpp"

namespace soma::detail {

namespace {

// Signals that end a process if nobody handles them, and that can be handled.
constexpr std::array ending_signals{SIGABRT, SIGSEGV, SIGBUS, SIGFPE,  SIGILL, SIGTRAP,
                                    SIGTERM, SIGINT,  SIGHUP, SIGQUIT, SIGSYS, SIGXCPU};

char path_in_use[PATH_MAX];
std::atomic<pid_t> owner{0};           // the process that writes the file: not a child of it
std::atomic<pid_t> writing_thread{0};  // one at a time

void tell(const std::string& text) {
  const auto line = "soma trace: " + text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// A handler that interrupts the writing of its own thread writes anew: that thread does not go on.
bool may_write() noexcept {
  const auto self = ::gettid();
  for (int tries = 0; tries < 2'000'000; ++tries) {
    pid_t nobody = 0;
    if (writing_thread.compare_exchange_strong(nobody, self) || nobody == self) {
      return true;
    }
    ::sched_yield();
  }
  return false;
}

void write_now() noexcept {
  if (owner.load() != ::getpid() || !may_write()) {
    return;
  }
  if (const int error = write_trace_to(path_in_use); error != 0) {
    // Without the heap: this may be a signal handler.
    for (const char* part : {"soma trace: ", static_cast<const char*>(path_in_use),
                             " cannot be written: ", ::strerrordesc_np(error), "\n"}) {
      static_cast<void>(!::write(STDERR_FILENO, part, std::strlen(part)));
    }
  }
  writing_thread.store(0);
}

// The default comes next, as soon as this handler returns.
void on_ending_signal(int signal) {
  const int kept = errno;
  write_now();
  errno = kept;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// What the program handles itself is left to it.
void watch_signals() noexcept {
  for (const int signal : ending_signals) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || (before.sa_flags & SA_SIGINFO) != 0 ||
        before.sa_handler != SIG_DFL) {
      continue;
    }
    struct sigaction ours {};
    ours.sa_handler = on_ending_signal;
    ours.sa_flags = SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    ::sigaction(signal, &ours, nullptr);
  }
}

std::string path_for(const char* text) {
  std::string path;
  for (const char* at = text; *at != '\0'; ++at) {
    if (at[0] == '%' && at[1] == 'p') {
      path += std::to_string(::getpid());
      ++at;
    } else {
      path += *at;
    }
  }
  return path;
}

bool can_be_written(const std::string& path) {
  std::string reason;
  if (path.size() >= sizeof(path_in_use)) {
    reason = "the name is too long";
  } else if (const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666); file < 0) {
    reason = std::generic_category().message(errno);
  } else {
    ::close(file);
    return true;
  }
  tell("the environment variable SOMA_TRACE names " + path + ", which cannot be written (" + reason +
       "): no trace is taken; name a file in a folder that exists and can be written to");
  return false;
}

void start_by(const char* text) {
  const auto path = path_for(text);
  if (!can_be_written(path)) {
    return;
  }
  if (actors::tracing::start(std::size_t{64} << 20U) != actors::tracing::start_result::started) {
    tell("the trace that SOMA_TRACE asks for cannot be started: another one is being taken, or there is no "
         "memory for it");
    return;
  }
  std::memcpy(path_in_use, path.c_str(), path.size() + 1);
  owner.store(::getpid());
  std::atexit([] { write_now(); });
  ::at_quick_exit([] { write_now(); });
  watch_signals();
}

}  // namespace

void trace_as_environment_says() {
  static const bool looked_at = [] {
    if (const char* text = std::getenv("SOMA_TRACE"); text != nullptr && *text != '\0') {
      start_by(text);
    }
    return true;
  }();
  static_cast<void>(looked_at);
}

void write_environment_trace() noexcept { write_now(); }

}  // namespace soma::detail
