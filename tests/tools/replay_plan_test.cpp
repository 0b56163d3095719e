#include "tools/replay_plan.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/replay_budget.hpp"
#include "tools/trace_text.hpp"

namespace soma::tools {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Steps as text, for example "malloc 1 @0", with the ids of blocks.
std::vector<std::string> steps_of(const replay_plan& plan) {
  std::vector<std::string> texts;
  for (const replay_step& step : plan.steps) {
    const std::string stream = " @" + std::to_string(step.stream);
    switch (step.kind) {
    case step_kind::malloc:
      texts.push_back("malloc " + std::to_string(plan.blocks[step.subject].id) + stream);
      break;
    case step_kind::free:
      texts.push_back("free " + std::to_string(plan.blocks[step.subject].id) + stream);
      break;
    case step_kind::record:
      texts.push_back("record e" + std::to_string(step.subject) + stream);
      break;
    case step_kind::wait:
      texts.push_back("wait e" + std::to_string(step.subject) + stream);
      break;
    case step_kind::synchronize:
      texts.emplace_back("synchronize");
      break;
    }
  }
  return texts;
}

replay_plan plan_of(std::initializer_list<const char*> lines, const plan_options& options = {}) {
  const auto plan = make_plan(rows_of(lines), options);
  EXPECT_TRUE(plan.has_value()) << plan.error().reason;
  return plan.value_or(replay_plan{});
}

TEST(ReplayPlan, R1FreesOnTheStreamThatAllocated) {
  const auto plan = plan_of({"malloc,7,512,4", "malloc,8,512,9", "free,8,512,9", "free,7,512,4"});
  EXPECT_THAT(steps_of(plan), ElementsAre("malloc 7 @0", "malloc 8 @1", "free 8 @1", "free 7 @0"));
  EXPECT_EQ(plan.streams, 2U);
  EXPECT_EQ(plan.rows, 4U);
  EXPECT_EQ(plan.steps.back().line, 5U);
}

TEST(ReplayPlan, R2SynchronizesTheDevice) {
  const auto plan = plan_of({"malloc,1,512,0", "sync,0,0,-1", "free,1,512,0"});
  EXPECT_THAT(steps_of(plan), ElementsAre("malloc 1 @0", "synchronize", "free 1 @0"));
  EXPECT_EQ(plan.synchronizes, 1U);
}

TEST(ReplayPlan, R2SynchronizesAfterEverySoManyRows) {
  const auto plan = plan_of({"malloc,1,512,0", "segment_malloc,9,512,0", "malloc,2,512,0", "free,1,512,0",
                             "sync,0,0,-1", "free,2,512,0"},
                            {.sync_every = 2});
  EXPECT_THAT(steps_of(plan), ElementsAre("malloc 1 @0", "malloc 2 @0", "synchronize", "free 1 @0",
                                          "synchronize", "free 2 @0"));
  EXPECT_EQ(plan.synchronizes, 2U);
}

TEST(ReplayPlan, R3HoldsAFreeBackUntilItsSyncRow) {
  const auto plan =
      plan_of({"malloc,1,512,0", "malloc,2,512,1", "free,1,512,0", "malloc,3,512,0", "sync,1,512,0"},
              {.order_by_events = false});
  EXPECT_THAT(steps_of(plan), ElementsAre("malloc 1 @0", "malloc 2 @1", "malloc 3 @0", "free 1 @0"));
  EXPECT_EQ(plan.held_back_frees, 1U);
  EXPECT_EQ(plan.waits, 0U);
  EXPECT_EQ(plan.steps.back().line, 6U);
}

TEST(ReplayPlan, R4aOrdersTheFreeingStreamBehindTheAllocatingOne) {
  const auto plan = plan_of({"malloc,1,512,0", "malloc,2,512,1", "malloc,3,512,2", "free,1,512,1"});
  EXPECT_THAT(steps_of(plan), ElementsAre("malloc 1 @0", "malloc 2 @1", "malloc 3 @2", "record e0 @0",
                                          "wait e0 @1", "free 1 @1"));
  EXPECT_EQ(plan.waits, 1U);
}

TEST(ReplayPlan, R4bOrdersTheFreeingStreamBehindTheOtherOfTwo) {
  const auto plan =
      plan_of({"malloc,1,512,0", "malloc,2,512,1", "free,1,512,0", "malloc,3,512,1", "sync,1,512,0"});
  EXPECT_THAT(steps_of(plan), ElementsAre("malloc 1 @0", "malloc 2 @1", "record e0 @1", "malloc 3 @1",
                                          "wait e0 @0", "free 1 @0"));
}

TEST(ReplayPlan, R4bOrdersNothingWhereTheOtherStreamIsUnknown) {
  const auto three =
      plan_of({"malloc,1,512,0", "malloc,2,512,1", "malloc,3,512,2", "free,1,512,0", "sync,1,512,0"});
  EXPECT_THAT(steps_of(three), ElementsAre("malloc 1 @0", "malloc 2 @1", "malloc 3 @2", "free 1 @0"));
  const auto one = plan_of({"malloc,1,512,0", "free,1,512,0", "sync,1,512,0"});
  EXPECT_THAT(steps_of(one), ElementsAre("malloc 1 @0", "free 1 @0"));
}

TEST(ReplayPlan, R4OrdersAHeldBackFreeOnAnotherStreamOnce) {
  const auto plan = plan_of({"malloc,1,512,0", "free,1,512,1", "sync,1,512,1"});
  EXPECT_THAT(steps_of(plan), ElementsAre("malloc 1 @0", "record e0 @0", "wait e0 @1", "free 1 @1"));
}

TEST(ReplayPlan, UsesAnEventAgainOnceItWasWaitedFor) {
  const auto plan = plan_of({"malloc,1,512,0", "malloc,2,512,0", "malloc,3,512,0", "free,1,512,1",
                             "free,2,512,0", "free,3,512,1", "sync,2,512,0"});
  EXPECT_EQ(plan.events, 2U);
  EXPECT_THAT(steps_of(plan), testing::Contains("record e1 @0"));
}

TEST(ReplayPlan, LeavesSegmentsOut) {
  const auto plan = plan_of({"segment_malloc,1,512,0", "malloc,2,512,0", "segment_free,1,512,0"});
  EXPECT_THAT(steps_of(plan), ElementsAre("malloc 2 @0"));
  EXPECT_EQ(plan.rows, 1U);
  EXPECT_EQ(plan.segment_rows, 2U);
}

void expect_refused(std::initializer_list<const char*> lines, const char* reason) {
  const auto plan = make_plan(rows_of(lines), {});
  ASSERT_FALSE(plan.has_value()) << reason;
  EXPECT_EQ(plan.error().line, lines.size() + 1) << reason;
  EXPECT_THAT(plan.error().reason, HasSubstr(reason));
}

TEST(ReplayPlan, RefusesWhatContradictsItself) {
  expect_refused({"free,1,512,0"}, "free of block 1: it has no malloc before it");
  expect_refused({"malloc,1,512,0", "malloc,1,512,0"}, "malloc'ed already in line 2");
  expect_refused({"malloc,1,512,0", "free,1,512,0", "malloc,1,512,0"}, "malloc'ed already in line 2");
  expect_refused({"malloc,1,512,0", "free,1,512,0", "free,1,512,0"}, "it was freed already in line 3");
  expect_refused({"malloc,1,512,0", "free,1,1024,0"}, "1024 bytes, but its malloc in line 2 has 512");
  expect_refused({"sync,1,512,0"}, "sync of block 1: it has no malloc before it");
  expect_refused({"malloc,1,512,0", "sync,1,512,0"}, "it has not been freed");
  expect_refused({"malloc,1,512,0", "free,1,512,0", "sync,1,1024,0"}, "not those of its free in line 3");
  expect_refused({"malloc,1,512,0", "free,1,512,0", "sync,1,512,3"}, "not those of its free in line 3");
  expect_refused({"malloc,1,512,0", "free,1,512,0", "sync,1,512,0", "sync,1,512,0"},
                 "its free took effect already in line 4");
}

TEST(ReplayBudget, CountsMemoryThatStaysWithAnotherStream) {
  const auto moving = plan_of(
      {"malloc,1,1073741824,0", "free,1,1073741824,1", "malloc,2,1073741824,0", "free,2,1073741824,1"});
  EXPECT_GE(memory_needed(moving, 512), std::uint64_t{2} << 30);
  const auto staying = plan_of({"malloc,1,1073741824,0", "free,1,1073741824,0", "malloc,2,1073741824,0"});
  EXPECT_GE(memory_needed(staying, 512), std::uint64_t{1} << 30);
  EXPECT_LT(memory_needed(staying, 512), std::uint64_t{3} << 30);
}

TEST(ReplayBudget, IsNeverNothing) { EXPECT_GT(memory_needed(replay_plan{}, 512), 0U); }

TEST(ReplayBudget, DoesNotWrap) {
  const auto plan = plan_of({"malloc,1,18446744073709551615,0", "malloc,2,18446744073709551615,0"});
  EXPECT_GE(memory_needed(plan, 512), std::uint64_t{1} << 63);
}

}  // namespace

}  // namespace soma::tools
