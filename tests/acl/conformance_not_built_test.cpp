// Scenarios and faults whose feature does not exist. Each is listed as skipped, with the reason, so that it
// is seen in every run and gets a test with the feature. docs/conformance.md lists all numbers.

#include <string>

#include <gtest/gtest.h>

namespace {

struct entry {
  const char* name;
  const char* reason;
};

class NotBuilt : public testing::TestWithParam<entry> {};

TEST_P(NotBuilt, Entry) { GTEST_SKIP() << GetParam().reason; }

constexpr auto no_current_pool =
    "there is no default pool and no current pool: every allocation names its pool";
constexpr auto no_access =
    "pools have no access lists, and devices are one process, which may use all memory";
constexpr auto no_graphs = "there is no capture of streams into graphs";
constexpr auto no_sink =
    "traces are kept in memory and written to a file at the end: nobody waits for a reader";
constexpr auto no_late_recording =
    "what is replayed is recorded from the start; traces of messages are not replayed";

constexpr entry entries[] = {
    {"S64_CurrentPool", no_current_pool},
    {"S65_CurrentPoolOfTwoThreads", no_current_pool},
    {"S86_AccessOfAPeer", no_access},
    {"S92_CaptureAndLaunch", no_graphs},
    {"S93_MemoryLeavesAGraph", no_graphs},
    {"S94_LaunchAgainWithoutFree", no_graphs},
    {"S95_BadFreeNodes", no_graphs},
    {"S96_CountersOfGraphs", no_graphs},
    {"S97_SynchroniseInACapture", no_graphs},
    {"B43_TypedAllocation", "there is no typed call that multiplies a count by a size; sizes are bytes"},
    {"B51_OutOfMemoryHook", "there is no hook for refusals; their text is tested by D20"},
    {"B71_TraceSinkThatStops", no_sink},
    {"B74_OwnerWithAReleaseStream",
     "there is no owner object: the stream of a release is named at each free"},
    {"B75_OtherStreamsInACapture", no_graphs},
    {"B77_BystandersOfACapture", no_graphs},
    {"B79_FailedCapture", no_graphs},
    {"B81_NoAccessForTheOwnDevice", no_access},
    {"B101_TraceThatStartsLate", no_late_recording},
};

INSTANTIATE_TEST_SUITE_P(Skipped, NotBuilt, testing::ValuesIn(entries),
                         [](const auto& given) { return std::string(given.param.name); });

}  // namespace
