#include "sim/program_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenarios.hpp"

namespace sim_tests {

using testing::HasSubstr;

std::string fault_of(std::string_view text) { return sim::order_of(scenario(text)).fault; }

// The tasks that are ordered before the last one, as a row of digits.
std::string before_last(std::string_view text) {
  const auto order = sim::order_of(scenario(text));
  std::string before;
  for (std::size_t task = 0; task < order.before.size(); ++task) {
    before += order.before.back().test(task) ? std::to_string(task) : "";
  }
  return before;
}

TEST(ProgramOrder, StreamsAndEventsOrderTasks) {
  EXPECT_EQ(before_last("run(S1); run(S1)"), "0");
  EXPECT_EQ(before_last("run(S1); run(S2)"), "");
  EXPECT_EQ(before_last("run(S1); rec(E1, S1); run(S1); wait(S2, E1); run(S2)"), "0");
  EXPECT_EQ(before_last("run(S1); rec(E1, S1); wait(S2, E1); run(S2); rec(E2, S2); wait(S3, E2); run(S3)"),
            "01");
  EXPECT_EQ(before_last("run(S1); rec(E1, S1); rec(E1, S2); wait(S3, E1); run(S3)"), "");
}

TEST(ProgramOrder, WhatTheHostHasWaitedForComesBeforeAll) {
  EXPECT_EQ(before_last("run(S1); run(S2); sync(S1); run(S3)"), "0");
  EXPECT_EQ(before_last("run(S1); run(S2); dsync; run(S3)"), "01");
  EXPECT_EQ(before_last("run(S1); rec(E1, S1); run(S1); sync(E1); run(S2)"), "0");
  EXPECT_EQ(before_last("run(S1); sync(S1, 0); run(S2)"), "");  // the time may be over
  EXPECT_EQ(before_last("run(S1); run(S1, mark:x); seen(x); run(S2)"), "01");
}

TEST(ProgramOrder, OfOtherThreadsOnlyWhatIsSure) {
  EXPECT_EQ(before_last("T2: run(S1); run(S1)"), "");
  EXPECT_EQ(before_last("run(S1); rec(E1, S1); T2: rec(E1, S2); wait(S3, E1); run(S3)"), "");
  EXPECT_EQ(before_last("P = pool(0,0,0); T2: run(S1); T2: a = alloc(S1, 2M); run(S1, w:a=AA)"), "0");
}

TEST(ProgramOrder, FindsWhatIsWrongWithAProgram) {
  const std::string begin = "P = pool(0,0,0); a = alloc(S1, 2M)\n";
  EXPECT_EQ(fault_of(begin + "run(S1, w:a=AA); rec(E1, S1); wait(S2, E1); run(S2, r:a=AA)"), "");
  EXPECT_THAT(fault_of(begin + "run(S2, r:a)"), HasSubstr("a is used without order after its alloc"));
  EXPECT_THAT(fault_of(begin + "rec(E1, S1); wait(S2, E1); run(S2, r:a); free(a, S1)"),
              HasSubstr("a task that uses it is not ordered before its free"));
  EXPECT_THAT(fault_of(begin + "free(a, S1); run(S1, r:a)"), HasSubstr("a is used after its free"));
  EXPECT_THAT(fault_of(begin + "free(a, S1); free(a, S1)"), HasSubstr("it is freed a second time"));
  EXPECT_THAT(fault_of(begin + "rec(E1, S1); wait(S2, E1); run(S1, w:a=AA); run(S2, w:a=BB)"),
              HasSubstr("a is used by another task without order"));
  EXPECT_THAT(
      fault_of("P = pool(0,0,0)\nfree(a, S1)\nT2: free(b, S1)\nb = alloc(S1, 2M)\nT2: a = alloc(S1, 2M)"),
      HasSubstr("waits for ever for what another thread makes"));
}

}  // namespace sim_tests
