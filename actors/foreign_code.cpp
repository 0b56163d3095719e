#include "actors/foreign_code.hpp"

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <array>
#include <atomic>
#include <exception>
#include <string>
#include <thread>

#include "actors/value_work.hpp"

namespace soma::actors {

[[gnu::tls_model("initial-exec")]] constinit thread_local sigjmp_buf* of_this_thread::way_out = nullptr;

namespace {

constexpr std::array caught_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr std::size_t signal_stack_bytes = std::size_t{64} << 10;

using of_this_thread::way_out;

thread_local std::uint32_t block_now = 0;                           // of the kernel that is running
thread_local const void* signal_address = nullptr;                  // what the signal was about
thread_local std::atomic<messages::stop_wish>* wish_now = nullptr;  // about the task that is running

std::array<struct sigaction, caught_signals.size()> handlers_before;

void unblock(int signal) noexcept {
  sigset_t only_this;
  sigemptyset(&only_this);
  sigaddset(&only_this, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only_this, nullptr);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  for (std::size_t at = 0; at < caught_signals.size(); ++at) {
    if (caught_signals.at(at) != signal) {
      continue;
    }
    const auto& before = handlers_before.at(at);
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
      before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
      before.sa_handler(signal);
    } else if (before.sa_handler == SIG_DFL || info->si_code > 0) {
      // It comes again when this handler returns, and then ends the process as it would have without us. One
      // that was raised by a fault (si_code above 0) cannot be ignored.
      ::signal(signal, SIG_DFL);
      ::raise(signal);
    }
  }
}

void on_signal(int signal, siginfo_t* info, void* context) {
  if (way_out == nullptr) {
    pass_on(signal, info, context);
    return;
  }
  auto* target = way_out;
  way_out = nullptr;
  signal_address = info->si_addr;
  siglongjmp(*target, signal);
}

messages::fault task_failed(std::string text) { return {messages::fault_code::task_failed, std::move(text)}; }

std::string described(const messages::kernel_launch& launch, std::uint32_t block) {
  return "kernel " + launch.name + ", block " + std::to_string(block) + " of " +
         std::to_string(launch.blocks);
}

std::optional<messages::fault> run(const messages::kernel_launch& launch) {
  for (std::uint32_t block = 0; block < launch.blocks; ++block) {
    if (block > 0 && stop_is_wished()) [[unlikely]] {
      return messages::fault{messages::fault_code::task_stopped,
                             described(launch, block) + ": not run, since the task was stopped"};
    }
    block_now = block;
    const int code = launch.function(launch.arguments, launch.argument_bytes, block, launch.blocks);
    if (code != 0) {
      return task_failed(described(launch, block) + ": returned " + std::to_string(code));
    }
  }
  return std::nullopt;
}

std::optional<messages::fault> run(const messages::copy_bytes& copy) {
  std::memmove(copy.destination, copy.source, copy.bytes);
  return std::nullopt;
}

std::optional<messages::fault> run(const messages::fill_bytes& fill) {
  std::memset(fill.destination, fill.value, fill.bytes);
  return std::nullopt;
}

std::optional<messages::fault> run(const messages::host_call& call) {
  call.function();
  return std::nullopt;
}

std::optional<messages::fault> run(const messages::write_value& write) {
  store(write);
  return std::nullopt;
}

std::optional<messages::fault> run(const messages::await_value& wait) { return wait_for(wait); }

std::string hexadecimal(const void* address) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%p", address);
  return text.data();
}

std::string kind_of(const messages::work& work) {
  struct namer {
    std::string operator()(const messages::kernel_launch& launch) const {
      return described(launch, block_now);
    }
    std::string operator()(const messages::copy_bytes& copy) const {
      return "copy of " + std::to_string(copy.bytes) + " bytes";
    }
    std::string operator()(const messages::fill_bytes& fill) const {
      return "fill of " + std::to_string(fill.bytes) + " bytes";
    }
    std::string operator()(const messages::host_call& call) const { return call.name; }
    std::string operator()(const messages::write_value& /*write*/) const { return "write of a value"; }
    std::string operator()(const messages::await_value& /*wait*/) const { return "wait for a value"; }
  };
  return std::visit(namer{}, work);
}

// Exceptions end here; signals leave by the jump in run_work.
std::optional<messages::fault> run_catching(const messages::work& work) {
  try {
    return std::visit([](const auto& kind) { return run(kind); }, work);
  } catch (const std::exception& thrown) {
    return task_failed(kind_of(work) + ": threw an exception: " + thrown.what());
  } catch (...) {
    return task_failed(kind_of(work) + ": threw something that is no std::exception");
  }
}

std::atomic<int> guards{0};
std::atomic_flag changing_guards;

class guards_lock {
public:
  guards_lock() {
    while (changing_guards.test_and_set(std::memory_order_acquire)) {
      std::this_thread::yield();
    }
  }
  ~guards_lock() { changing_guards.clear(std::memory_order_release); }
  guards_lock(const guards_lock&) = delete;
  guards_lock& operator=(const guards_lock&) = delete;
};

// Signals of the task leave it by a jump to here.
std::optional<messages::fault> run_to_its_end(const messages::work& work) noexcept {
  sigjmp_buf here;
  // Without the signal mask, which would cost a call into the system for each task.
  if (const int signal = sigsetjmp(here, 0); signal != 0) {
    unblock(signal);  // the jump leaves a handler that has its signal blocked
    auto failure = task_failed(kind_of(work) + ": raised signal " + std::to_string(signal) + " (" +
                               ::strsignal(signal) + ") at address " + hexadecimal(signal_address));
    failure.signal_address = reinterpret_cast<std::uint64_t>(signal_address);
    return failure;
  }
  way_out = &here;
  auto failure = run_catching(work);
  way_out = nullptr;
  return failure;
}

}  // namespace

bool stop_is_wished() noexcept {
  return wish_now != nullptr && wish_now->load(std::memory_order_relaxed) != messages::stop_wish::none;
}

std::optional<messages::fault> run_work(const messages::work& work,
                                        std::atomic<messages::stop_wish>* wish) noexcept {
  auto* const outer = std::exchange(wish_now, wish);
  auto failure = run_to_its_end(work);
  wish_now = outer;
  if (wish != nullptr) {
    auto only_this = messages::stop_wish::task;
    if (wish->load(std::memory_order_relaxed) == only_this &&
        wish->compare_exchange_strong(only_this, messages::stop_wish::none) && !failure) {
      failure = {messages::fault_code::task_stopped,
                 kind_of(work) + ": was stopped, but had come to its end"};
    }
  }
  return failure;
}

signal_guard::signal_guard() {
  const guards_lock lock;
  if (guards++ > 0) {
    return;
  }
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t at = 0; at < caught_signals.size(); ++at) {
    ::sigaction(caught_signals.at(at), &action, &handlers_before.at(at));
  }
}

signal_guard::~signal_guard() {
  const guards_lock lock;
  if (--guards > 0) {
    return;
  }
  for (std::size_t at = 0; at < caught_signals.size(); ++at) {
    struct sigaction now = {};
    ::sigaction(caught_signals.at(at), nullptr, &now);
    if (now.sa_sigaction == on_signal) {  // leave a handler alone that someone set after us
      ::sigaction(caught_signals.at(at), &handlers_before.at(at), nullptr);
    }
  }
}

signal_stack::signal_stack() : memory_(std::malloc(signal_stack_bytes)) {
  if (memory_ != nullptr) {
    stack_t stack{};
    stack.ss_sp = memory_;
    stack.ss_size = signal_stack_bytes;
    ::sigaltstack(&stack, nullptr);
  }
}

signal_stack::~signal_stack() {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
  std::free(memory_);
}

}  // namespace soma::actors
