// Foreign code: what it returns, throws or raises becomes a fault of the task.

#include <csignal>
#include <cstdlib>
#include <cstring>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/foreign_code.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif

namespace {

using soma::actors::run_work;
using soma::actors::signal_guard;
using soma::actors::signal_stack;
using soma::messages::fault;
using soma::messages::fault_code;
using soma::messages::host_call;
using soma::messages::kernel_launch;
using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::KilledBySignal;

__attribute__((no_sanitize("undefined"))) void write_through_null() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

__attribute__((no_sanitize("undefined"))) void divide_by_zero() {
  volatile int zero = 0;
  [[maybe_unused]] volatile int result = 77 / zero;
}

void illegal_instruction() { asm volatile("ud2"); }

void breakpoint() { asm volatile("int3"); }

// -- kernels ------------------------------------------------------------------------------------------------

using block_body = void (*)(std::uint32_t block);

/// A kernel whose argument is what each block does.
int run_body(const void* arguments, std::size_t bytes, std::uint32_t block, std::uint32_t /*blocks*/) {
  block_body body = nullptr;
  if (bytes != sizeof body) {
    return -1;
  }
  std::memcpy(&body, arguments, sizeof body);
  body(block);
  return 0;
}

struct called {
  std::vector<std::uint32_t> blocks;
  std::uint32_t of = 0;
};

int note_block(const void* arguments, std::size_t /*bytes*/, std::uint32_t block, std::uint32_t blocks) {
  called* notes = nullptr;
  std::memcpy(&notes, arguments, sizeof notes);
  notes->blocks.push_back(block);
  notes->of = blocks;
  return block == 2 ? 42 : 0;
}

template <class Argument>
kernel_launch launch(soma::messages::kernel_function function, const Argument& argument,
                     std::uint32_t blocks) {
  kernel_launch made;
  made.function = function;
  made.arguments = &argument;
  made.argument_bytes = sizeof argument;
  made.blocks = blocks;
  made.name = "wave";
  return made;
}

fault failure_of(block_body body, std::uint32_t blocks = 4) {
  const auto failure = run_work(launch(run_body, body, blocks));
  return failure ? *failure : fault{fault_code::not_complete, "no fault"};
}

TEST(Kernel, RunsEachBlockInTurn) {
  called notes;
  const auto* where = &notes;
  EXPECT_FALSE(run_work(launch(note_block, where, 2)));
  EXPECT_EQ(notes.blocks, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(notes.of, 2U);
}

TEST(Kernel, FailsWithTheCodeThatItReturns) {
  called notes;
  const auto* where = &notes;
  const auto failure = run_work(launch(note_block, where, 5));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, fault_code::task_failed);
  EXPECT_THAT(failure->text, HasSubstr("kernel wave, block 2 of 5"));
  EXPECT_THAT(failure->text, HasSubstr("42"));
  EXPECT_EQ(notes.blocks.size(), 3U);  // the rest is not run
}

TEST(Kernel, FailsWithWhatItThrows) {
  const auto failure = failure_of([](std::uint32_t) { throw std::runtime_error("no luck"); });
  EXPECT_EQ(failure.code, fault_code::task_failed);
  EXPECT_THAT(failure.text, HasSubstr("kernel wave"));
  EXPECT_THAT(failure.text, HasSubstr("no luck"));
}

TEST(Kernel, FailsWithWhatItThrowsOfAnyType) {
  EXPECT_THAT(failure_of([](std::uint32_t) { throw 7; }).text, HasSubstr("kernel wave"));
}

TEST(Kernel, NamesTheBlockThatThrew) {
  const auto failure = failure_of([](std::uint32_t block) {
    if (block == 3) {
      throw std::runtime_error("no luck");
    }
  });
  EXPECT_THAT(failure.text, HasSubstr("block 3 of 4"));
}

TEST(HostFunction, FailsWithWhatItThrows) {
  const auto failure = run_work(host_call{[] { throw std::runtime_error("no luck"); }});
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->text, HasSubstr("host function"));
  EXPECT_THAT(failure->text, HasSubstr("no luck"));
}

TEST(HostFunction, IsForeignCodeAsLongAsItRuns) {
  EXPECT_FALSE(soma::actors::in_foreign_code());
  bool inside = false;
  EXPECT_FALSE(run_work(host_call{[&] { inside = soma::actors::in_foreign_code(); }}));
  EXPECT_TRUE(inside);
  EXPECT_FALSE(soma::actors::in_foreign_code());
  EXPECT_TRUE(run_work(host_call{[] { throw 7; }}));
  EXPECT_FALSE(soma::actors::in_foreign_code());
}

// -- signals ------------------------------------------------------------------------------------------------

struct signal_case {
  int signal;
  block_body raise;
  const char* name;
};

class KernelSignal : public testing::TestWithParam<signal_case> {
protected:
  signal_guard guard_;
};

TEST_P(KernelSignal, BecomesAFault) {
  const auto failure = failure_of(GetParam().raise);
  EXPECT_EQ(failure.code, fault_code::task_failed);
  EXPECT_THAT(failure.text, HasSubstr("kernel wave"));
  EXPECT_THAT(failure.text, HasSubstr("signal " + std::to_string(GetParam().signal)));
  EXPECT_FALSE(soma::actors::in_foreign_code());
}

TEST_P(KernelSignal, BecomesAFaultEachTime) {
  for (int n = 0; n < 10; ++n) {
    ASSERT_EQ(failure_of(GetParam().raise).code, fault_code::task_failed);
  }
  EXPECT_FALSE(run_work(host_call{[] {}}));
}

INSTANTIATE_TEST_SUITE_P(
    All, KernelSignal,
    testing::Values(signal_case{SIGSEGV, [](std::uint32_t) { write_through_null(); }, "SIGSEGV"},
                    signal_case{SIGFPE, [](std::uint32_t) { divide_by_zero(); }, "SIGFPE"},
                    signal_case{SIGILL, [](std::uint32_t) { illegal_instruction(); }, "SIGILL"},
                    signal_case{SIGTRAP, [](std::uint32_t) { breakpoint(); }, "SIGTRAP"},
                    signal_case{SIGBUS, [](std::uint32_t) { std::raise(SIGBUS); }, "SIGBUS"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Signal, NamesTheBlockThatRaisedIt) {
  const signal_guard guard;
  const auto failure = failure_of([](std::uint32_t block) {
    if (block == 3) {
      write_through_null();
    }
  });
  EXPECT_THAT(failure.text, HasSubstr("block 3 of 4"));
}

TEST(Signal, InAHostFunctionBecomesAFault) {
  const signal_guard guard;
  const auto failure = run_work(host_call{write_through_null});
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->text, HasSubstr("host function"));
}

TEST(Signal, IsCaughtOnAnyThreadThatRunsWork) {
  const signal_guard guard;
  std::optional<fault> failure;
  std::thread([&] { failure = run_work(host_call{write_through_null}); }).join();
  EXPECT_TRUE(failure);
}

TEST(Signal, IsCaughtAsLongAsAnyGuardExists) {
  const signal_guard first;
  { const signal_guard second; }
  EXPECT_TRUE(run_work(host_call{write_through_null}));
}

#ifndef UNDER_SANITIZER
int overflow_stack(int depth) {
  volatile char space[4096];
  space[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : overflow_stack(depth - 1) + space[0];
}

TEST(Signal, OfAStackOverflowBecomesAFault) {
  const signal_guard guard;
  std::optional<fault> failure;
  std::thread([&] {
    const signal_stack stack;
    failure = run_work(host_call{[] { overflow_stack(1'000'000); }});
  }).join();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, fault_code::task_failed);
}
#endif

// -- signals elsewhere: each test is a process of its own ---------------------------------------------------

void exit_with_4(int /*signal*/) { std::_Exit(4); }

void exit_with_5(int /*signal*/, siginfo_t* info, void* /*context*/) {
  std::_Exit(info->si_addr == nullptr ? 5 : 6);
}

void go_on(int /*signal*/) {}

TEST(SignalElsewhereDeathTest, ReachesTheHandlerThatWasThereBefore) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, exit_with_4);
        const signal_guard guard;
        write_through_null();
      },
      ExitedWithCode(4), "");
}

TEST(SignalElsewhereDeathTest, ReachesTheHandlerWithItsInformation) {
  EXPECT_EXIT(
      {
        struct sigaction action = {};
        action.sa_sigaction = exit_with_5;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, nullptr);
        const signal_guard guard;
        write_through_null();
      },
      ExitedWithCode(5), "");
}

TEST(SignalElsewhereDeathTest, ReachesTheHandlerAfterWorkHasRun) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, exit_with_4);
        const signal_guard guard;
        run_work(host_call{write_through_null});
        write_through_null();
      },
      ExitedWithCode(4), "");
}

TEST(SignalElsewhereDeathTest, ReachesTheHandlerOnceTheGuardHasGone) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, exit_with_4);
        { const signal_guard guard; }
        write_through_null();
      },
      ExitedWithCode(4), "");
}

TEST(SignalElsewhereDeathTest, LeavesAHandlerAloneThatWasSetLater) {
  EXPECT_EXIT(
      {
        {
          const signal_guard guard;
          std::signal(SIGSEGV, exit_with_4);
        }
        write_through_null();
      },
      ExitedWithCode(4), "");
}

TEST(SignalElsewhereDeathTest, EndsTheProcessIfThereWasNoHandler) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_DFL);
        const signal_guard guard;
        write_through_null();
      },
      KilledBySignal(SIGSEGV), "");
}

// Such a signal does not come again by itself when the handler returns.
TEST(SignalElsewhereDeathTest, EndsTheProcessIfItWasSentAndThereWasNoHandler) {
  EXPECT_EXIT(
      {
        std::signal(SIGFPE, SIG_DFL);
        const signal_guard guard;
        std::raise(SIGFPE);
        std::_Exit(0);
      },
      KilledBySignal(SIGFPE), "");
}

TEST(SignalElsewhereDeathTest, EndsTheProcessAtABreakpointIfThereWasNoHandler) {
  EXPECT_EXIT(
      {
        std::signal(SIGTRAP, SIG_DFL);
        const signal_guard guard;
        breakpoint();
        std::_Exit(0);
      },
      KilledBySignal(SIGTRAP), "");
}

TEST(SignalElsewhereDeathTest, IsIgnoredEachTimeIfItWasIgnoredBefore) {
  EXPECT_EXIT(
      {
        std::signal(SIGTRAP, SIG_IGN);
        const signal_guard guard;
        std::raise(SIGTRAP);
        std::raise(SIGTRAP);
        std::_Exit(0);
      },
      ExitedWithCode(0), "");
}

TEST(SignalElsewhereDeathTest, GoesOnIfTheHandlerReturns) {
  EXPECT_EXIT(
      {
        std::signal(SIGTRAP, go_on);
        const signal_guard guard;
        std::raise(SIGTRAP);
        std::raise(SIGTRAP);
        std::_Exit(run_work(host_call{write_through_null}) ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

}  // namespace
