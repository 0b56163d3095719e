// SOMA_TRACE and SOMA_METRICS: the file is there however a program ends, and one that cannot be written is
// told.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "process.hpp"

namespace {

using namespace process_tests;
using nlohmann::json;
using testing::HasSubstr;

constexpr auto limit = std::chrono::seconds(60);

class variable {
public:
  variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~variable() { ::unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

private:
  const char* name_;
};

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class TraceAtTheEnd : public testing::Test {
protected:
  ~TraceAtTheEnd() override { std::remove(path_.c_str()); }

  ending run(const std::string& scenario) {
    const variable traced("SOMA_TRACE", path_);
    // A sanitizer's handler of signals would end the process with a code of its own.
    const variable address("ASAN_OPTIONS", "handle_segv=0");
    const variable thread("TSAN_OPTIONS", "handle_segv=0");
    return run_process(SCENARIOS_PATH, scenario, limit);
  }

  // Whether there is a whole trace with a malloc in it.
  void expect_trace() const {
    const auto text = content(path_);
    const auto trace = json::parse(text, nullptr, false);
    ASSERT_FALSE(trace.is_discarded()) << text.substr(0, 200);
    EXPECT_GT(trace["otherData"]["messages"], 0);
    EXPECT_THAT(text, HasSubstr("grant_block"));
  }

  std::string path_ = testing::TempDir() + "soma_trace_end_" + std::to_string(::getpid()) + ".json";
};

struct end_of_program {
  const char* scenario;
  int code = 0;
  int signal = -1;
};

std::ostream& operator<<(std::ostream& out, const end_of_program& of) { return out << of.scenario; }

class TraceOf : public TraceAtTheEnd, public testing::WithParamInterface<end_of_program> {};

TEST_P(TraceOf, IsWhole) {
  const auto ended = run(GetParam().scenario);
  EXPECT_TRUE(ended.in_time) << "it hung";
  EXPECT_EQ(ended.code, GetParam().signal == -1 ? GetParam().code : -1);
  EXPECT_EQ(ended.signal, GetParam().signal);
  expect_trace();
}

INSTANTIATE_TEST_SUITE_P(
    Process, TraceOf,
    testing::Values(
        end_of_program{"c_return_with_everything_live"}, end_of_program{"c_return_with_a_held_stream"},
        end_of_program{"c_exit_from_another_thread", 7}, end_of_program{"c_exit_from_a_host_function", 8},
        end_of_program{"c_quick_exit", 11}, end_of_program{"c_terminate", -1, SIGABRT},
        end_of_program{"cpp_return_with_everything_live"}, end_of_program{"cpp_quick_exit", 11},
        end_of_program{"cpp_exit_from_another_thread", 7}, end_of_program{"cpp_terminate", -1, SIGABRT},
        end_of_program{"cpp_exception_leaves_main", -1, SIGABRT},
        end_of_program{"c_return_while_threads_allocate"}, end_of_program{"trace_abort", -1, SIGABRT},
        end_of_program{"trace_fault", -1, SIGSEGV}, end_of_program{"trace_raised_fault", -1, SIGSEGV},
        end_of_program{"trace_terminated", -1, SIGTERM},
        end_of_program{"trace_killed_by_interrupt", -1, SIGINT}),
    [](const auto& given) { return std::string(given.param.scenario); });

TEST_F(TraceAtTheEnd, IsNotWrittenByAChild) {
  const auto ended = run("c_fork_with_a_held_stream");
  EXPECT_EQ(ended.code, 0);
  expect_trace();
}

TEST_F(TraceAtTheEnd, LeavesSignalsToWhoHandlesThem) {
  const auto ended = run("trace_own_handler");
  EXPECT_EQ(ended.code, 12);
  expect_trace();
}

TEST_F(TraceAtTheEnd, DoesNotCatchWhatFailsATask) {
  const auto ended = run("trace_fault_in_a_task");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  expect_trace();
}

TEST_F(TraceAtTheEnd, TellsOfAFileThatCannotBeWritten) {
  const variable traced("SOMA_TRACE", "/no/such/folder/trace.json");
  const auto ended = run_process(SCENARIOS_PATH, "cpp_return_with_everything_live", limit);
  EXPECT_EQ(ended.code, 0) << "the program goes on";
  EXPECT_THAT(ended.errors, HasSubstr("SOMA_TRACE names /no/such/folder/trace.json"));
  EXPECT_THAT(ended.errors, HasSubstr("No such file or directory"));
}

TEST_F(TraceAtTheEnd, TellsOfADiskThatIsFull) {
  const variable traced("SOMA_TRACE", "/dev/full");
  const auto ended = run_process(SCENARIOS_PATH, "cpp_return_with_everything_live", limit);
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.errors, HasSubstr("/dev/full cannot be written: No space left on device"));
}

// -- metrics ------------------------------------------------------------------------------------------------

TEST_F(TraceAtTheEnd, MetricsAreWrittenWithPoolsThatAreGone) {
  path_ += ".prom";
  const variable wanted("SOMA_METRICS", path_);
  const auto ended = run_process(SCENARIOS_PATH, "c_finalize_twice", limit);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.errors, "");
  const auto text = content(path_);
  EXPECT_THAT(text, HasSubstr("# TYPE soma_pool_allocations_total counter\n"));
  EXPECT_THAT(text, HasSubstr("soma_device_memory_bytes{device=\"0\"} "));
}

TEST_F(TraceAtTheEnd, MetricsAreJsonIfTheNameSaysSo) {
  const variable wanted("SOMA_METRICS", path_);
  const auto ended = run_process(SCENARIOS_PATH, "c_return_with_a_held_stream", limit);
  EXPECT_EQ(ended.code, 0);
  const auto metrics = json::parse(content(path_), nullptr, false);
  ASSERT_FALSE(metrics.is_discarded());
  EXPECT_GT(metrics["metrics"].size(), 20U);
}

TEST_F(TraceAtTheEnd, MetricsThatCannotBeWrittenAreTold) {
  const variable wanted("SOMA_METRICS", "/no/such/folder/metrics");
  const auto ended = run_process(SCENARIOS_PATH, "cpp_return_with_everything_live", limit);
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.errors, HasSubstr("SOMA_METRICS names /no/such/folder/metrics"));
}

}  // namespace
