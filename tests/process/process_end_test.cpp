// How processes end: with live blocks, pending tasks and held streams, in any order of destruction, from
// signal handlers and other threads, and after fork. The scenarios are in tests/programs.

#include <ostream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process.hpp"

namespace {

using namespace process_tests;

constexpr auto limit = std::chrono::seconds(60);

struct expectation {
  const char* scenario;
  int code = 0;
};

std::ostream& operator<<(std::ostream& out, const expectation& of) { return out << of.scenario; }

std::string name_of(const testing::TestParamInfo<expectation>& given) { return given.param.scenario; }

class ProcessEnd : public testing::TestWithParam<expectation> {};

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__  // NOLINT(bugprone-reserved-identifier): as g++ does
#endif
#endif

// Why a scenario cannot be run under the sanitizer that this is compiled with; null if it can.
const char* beyond_the_sanitizer(std::string_view scenario) {
#if defined(__SANITIZE_THREAD__)
  if (scenario == "cpp_fork_and_a_runtime_in_the_child") {
    return "ThreadSanitizer does not follow the threads that a child starts after fork";
  }
#elif defined(__SANITIZE_ADDRESS__)
  if (scenario == "c_fork_while_threads_allocate") {
    return "a lock of AddressSanitizer's allocator that another thread has at the fork stays locked in the "
           "child";
  }
#endif
  static_cast<void>(scenario);
  return nullptr;
}

TEST_P(ProcessEnd, IsInTimeWithTheRightCode) {
  if (const auto* reason = beyond_the_sanitizer(GetParam().scenario); reason != nullptr) {
    GTEST_SKIP() << reason;
  }
  const auto ended = run_process(SCENARIOS_PATH, GetParam().scenario, limit);
  EXPECT_TRUE(ended.in_time) << "it hung";
  EXPECT_EQ(ended.signal, -1);
  EXPECT_EQ(ended.code, GetParam().code);
  EXPECT_EQ(ended.errors, "");
}

INSTANTIATE_TEST_SUITE_P(
    C, ProcessEnd,
    testing::Values(expectation{"c_return_with_everything_live"}, expectation{"c_return_with_a_held_stream"},
                    expectation{"c_finalize_twice"}, expectation{"c_start_again_after_finalize"},
                    expectation{"c_finalize_while_another_thread_waits"},
                    expectation{"c_finalize_and_return_while_another_thread_waits"},
                    expectation{"c_exit_from_another_thread", 7},
                    expectation{"c_exit_from_another_thread_when_idle", 7},
                    expectation{"c_exit_from_a_host_function", 8},
                    expectation{"c_exit_from_a_signal_handler", 9},
                    expectation{"c_end_at_once_from_a_signal_handler", 10}, expectation{"c_quick_exit", 11},
                    expectation{"c_return_while_threads_allocate"}, expectation{"c_calls_after_the_end"},
                    expectation{"c_calls_of_a_global_before_the_end"},
                    expectation{"c_fork_with_a_held_stream"}, expectation{"c_fork_in_a_host_function"},
                    expectation{"c_fork_while_threads_allocate"}, expectation{"c_exec_after_fork"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Cpp, ProcessEnd,
    testing::Values(
        expectation{"cpp_return_with_everything_live"}, expectation{"cpp_every_order_of_destruction"},
        expectation{"cpp_global_objects"}, expectation{"cpp_global_parts_outlive_the_runtime"},
        expectation{"cpp_objects_that_are_never_destroyed"},
        expectation{"cpp_objects_that_are_never_destroyed_with_a_held_stream"},
        expectation{"cpp_exit_past_a_held_stream", 6}, expectation{"cpp_exit_from_another_thread", 7},
        expectation{"cpp_exit_from_a_host_function", 8},
        expectation{"cpp_exit_from_a_host_function_with_global_objects", 8},
        expectation{"cpp_quick_exit", 11}, expectation{"cpp_fork_with_a_held_stream"},
        expectation{"cpp_fork_with_global_objects"}, expectation{"cpp_fork_and_a_runtime_in_the_child"},
        expectation{"cpp_fork_while_threads_allocate"}, expectation{"cpp_end_while_gates_open"}),
    name_of);

class Abort : public testing::TestWithParam<const char*> {};

TEST_P(Abort, EndsTheProcessAtOnce) {
  const auto ended = run_process(SCENARIOS_PATH, GetParam(), limit);
  EXPECT_TRUE(ended.in_time) << "it hung";
  EXPECT_EQ(ended.signal, SIGABRT);
  EXPECT_THAT(ended.errors, testing::HasSubstr("terminate called"));
}

INSTANTIATE_TEST_SUITE_P(Process, Abort,
                         testing::Values("c_terminate", "cpp_terminate", "cpp_exception_leaves_main"),
                         [](const auto& given) { return std::string(given.param); });

TEST(Scenario, ThatIsWrongIsSeen) {
  const auto ended = run_process(SCENARIOS_PATH, "no_such_scenario", limit);
  EXPECT_EQ(ended.code, 99);
  EXPECT_THAT(ended.errors, testing::HasSubstr("usage"));
}

}  // namespace
