// Whole scenarios: what is found in them, again and again the same.

#include "sim/explore.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/generate.hpp"
#include "sim/report.hpp"
#include "sim/scenarios.hpp"
#include "sim/shrink.hpp"

namespace sim_tests {

using sim::strategy;
using testing::HasSubstr;

constexpr const char* by_event = R"(P = pool(1,0,0)
a = alloc(S1, 4M)
hold(S1, g, w:a=AA)
free(a, S1)
rec(E1, S1)
wait(S2, E1)
b = alloc(S2, 4M)
run(S2, w:b=BB, r:b=BB)
expect b == a
open g
sync(S2)
expect used(P) == 4M
)";

// -- what is right ------------------------------------------------------------------------------------------

TEST(Explore, ACorrectScenarioPassesInEveryOrder) {
  const auto found = explore(by_event, strategy::exhaustive, 10'000);
  EXPECT_EQ(failure_of(found), "no failure");
  EXPECT_TRUE(found.exhaustive);
  EXPECT_GT(found.runs, 10U);
  EXPECT_EQ(found.distinct, found.runs);
}

TEST(Explore, ThreadsOfTheHostTakeTurnsInEveryOrder) {
  const auto found = explore(R"(P = pool(0,0,0; 4M)
T2: maybe a = alloc(S1, 4M)
maybe b = alloc(S2, 4M)
expect used(P) <= 4M
)",
                             strategy::exhaustive, 100'000);
  EXPECT_EQ(failure_of(found), "no failure");
  EXPECT_TRUE(found.exhaustive);
}

TEST(Explore, AHostThatWaitsForATaskToStartSeesIt) {
  const auto found = explore(R"(P = pool(0,0,0)
a = alloc(S1, 2M)
run(S1, w:a=AA, mark:x)
hold(S1, g, r:a=AA)
seen(x)
started(g)
expect query(S1) == 0
open g
)",
                             strategy::exhaustive, 10'000);
  EXPECT_EQ(failure_of(found), "no failure");
  EXPECT_TRUE(found.exhaustive);
}

TEST(Explore, ATimeLimitRunsOutInSomeOrdersOnly) {
  const auto found = explore("run(S1)\nsync(S1, 0)\n", strategy::exhaustive, 10'000);
  EXPECT_EQ(failure_of(found), "no failure");
  const auto other = explore("run(S1)\nfails sync(S1, 0)\n", strategy::exhaustive, 10'000);
  EXPECT_THAT(failure_of(other),
              HasSubstr("call: line 2: fails sync(S1, 0): it should have failed, and succeeded"));
}

// -- what is wrong ------------------------------------------------------------------------------------------

TEST(Explore, ADeadlockSaysWhoWaitsForWhat) {
  const auto found = explore("hold(S1, g)\nsync(S1)\nopen g\n", strategy::random, 10);
  EXPECT_THAT(failure_of(found), HasSubstr("deadlock: nothing can go on:"));
  EXPECT_THAT(failure_of(found), HasSubstr("main waits for the answer to sync(S1) (line 2)"));
  EXPECT_THAT(failure_of(found), HasSubstr("engine 1 waits at the closed gate g in hold(S1, g)"));
}

TEST(Explore, DeadlockedThreadsAreWoundUp) {
  const auto found = explore(R"(hold(S1, g)
T2: sync(S1)
T3: sync(S1)
T3: open g
sync(S1)
)",
                             strategy::random, 10);
  EXPECT_THAT(failure_of(found), HasSubstr("deadlock"));
  EXPECT_THAT(failure_of(found), HasSubstr("T2 waits"));
}

// The program itself is wrong: nothing orders S2's read before the free.
constexpr const char* unordered_read = R"(P = pool(1,0,0)
a = alloc(S1, 4M)
run(S1, w:a=AA)
rec(E1, S1)
wait(S2, E1)
run(S2, r:a=AA)
free(a, S1)
b = alloc(S1, 4M)
run(S1, w:b=BB)
sync(S1)
sync(S2)
)";

TEST(Explore, AMissingOrderIsFoundByTheOrderOfWhatWasExecuted) {
  EXPECT_THAT(failure_of(explore(unordered_read, strategy::exhaustive, 1000)), HasSubstr("hand_over: "));
}

TEST(Explore, AScenarioThatExpectsARaceIsNotWatchedForIt) {
  const auto text = std::string(unordered_read) + "expect race use_after_free\n";
  EXPECT_EQ(failure_of(explore(text, strategy::random, 100)), "no failure");
}

TEST(Explore, ForeignContentsAreFound) {
  const auto found = explore(R"(P = pool(0,0,0)
a = alloc(S1, 4M)
run(S1, w:a=AA)
run(S1, r:a=AB)
)",
                             strategy::exhaustive, 100);
  EXPECT_THAT(failure_of(found), HasSubstr("contents: run(S1, r:a=AB) finds AA in a, not AB"));
}

TEST(Explore, ExpectationsAreChecked) {
  const std::string begin = "P = pool(0,0,0; 8M)\na = alloc(S1, 2M)\nb = alloc(S1, 2M)\n";
  const auto says = [&](const std::string& statement) {
    return failure_of(explore(begin + statement, strategy::random, 1));
  };
  EXPECT_EQ(says("expect a == b"), "expect: line 4: expect a == b: they are at different addresses");
  EXPECT_EQ(says("expect a != a"), "expect: line 4: expect a != a: they are at the same address");
  EXPECT_EQ(says("expect inside(a, b)"), "expect: line 4: expect inside(a, b): it does not lie there");
  EXPECT_EQ(says("expect used(P) == 2M"), "expect: line 4: expect used(P) == 2M: it is 4M");
  EXPECT_EQ(says("expect live(P) > 2"), "expect: line 4: expect live(P) > 2: it is 2");
  EXPECT_EQ(says("expect os(P) != 2"), "expect: line 4: expect os(P) != 2: it is 2");
  EXPECT_EQ(says("expect inside(a, a)\nexpect served(P, new_memory) == 2\nexpect query(S1) <= 1"),
            "no failure");
  EXPECT_THAT(says("c = alloc(S1, 8M)"), HasSubstr("call: line 4: c = alloc(S1, 8M): out_of_memory: "));
  EXPECT_EQ(says("c = alloc(S1, 8M)\nexpect fails(c)"), "no failure");
  EXPECT_EQ(says("fails pfree(a)"), "call: line 4: fails pfree(a): it should have failed, and succeeded");
}

// -- again the same -----------------------------------------------------------------------------------------

void expect_the_same_log_twice(const sim::scenario& program, sim::chooser& by) {
  sim::runner with;
  sim::run_options options;
  options.keep_log = true;
  const auto first = with.run(program, by, options);
  const auto second = with.run(program, by, options);
  EXPECT_EQ(first.log, second.log);
  EXPECT_EQ(first.hash, second.hash);
  sim::replay_chooser replay(first.choices);
  EXPECT_EQ(with.run(program, replay, options).log, first.log);
  EXPECT_THAT(first.log, Not(HasSubstr("0x")));
}

TEST(Determinism, TheSameSeedGivesTheSameLog) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto program = sim::random_scenario(seed);
    sim::random_chooser at_random(seed);
    expect_the_same_log_twice(program, at_random);
    sim::pct_chooser by_pct(seed, 3, 100);
    expect_the_same_log_twice(program, by_pct);
  }
}

TEST(Determinism, AFailureIsFoundAgainByItsChoices) {
  const auto program = scenario(
      "P = pool(0,1,0)\na = alloc(S1, 2M)\nrun(S1)\nfree(a, S1)\nb = alloc(S2, 2M)\nexpect b == a\n");
  sim::options options;
  options.how = strategy::random;
  const auto found = sim::explore(program, options);
  ASSERT_TRUE(found.failed);
  options.how = strategy::replay;
  options.choices = found.failed->choices;
  const auto again = sim::explore(program, options);
  ASSERT_TRUE(again.failed);
  EXPECT_EQ(again.failed->what.text, found.failed->what.text);
  EXPECT_EQ(again.failed->log, found.failed->log);
}

// -- smaller ------------------------------------------------------------------------------------------------

// Finds fault with every task that writes the byte 42 to a block of stream S2's.
class dislikes_42 final : public sim::checker {
public:
  dislikes_42() : checker("dislikes") {}
  void touches(const sim::task& running, const sim::access& how, const sim::block& /*touched*/,
               const sim::past& /*before*/) override {
    if (how.value == 0x42 && running.what->stream.text == "S2") {
      fail("42 on S2");
    }
  }
};

TEST(Shrink, LeavesWhatTheFailureNeeds) {
  const auto program = scenario(R"(P = pool(1,1,0; 64M)
a = alloc(S1, 8M)
run(S1, w:a=AA)
b = alloc(S2, 8M)
run(S2, w:b=01, r:b=01)
rec(E1, S1)
wait(S2, E1)
hold(S3, g)
run(S2, r:a=AA, w:b=42)
free(b, S2)
free(a, S2)
open g
sync(S2)
trim(P, 0)
)");
  sim::options options;
  options.how = strategy::random;
  options.run.extra_checker = [] { return std::make_unique<dislikes_42>(); };
  sim::runner with;
  const auto found = sim::explore(with, program, options);
  ASSERT_TRUE(found.failed);
  const auto smaller = sim::shrink(with, program, *found.failed, options.run, std::chrono::minutes(5));
  EXPECT_EQ(smaller.what.checker, "dislikes");
  EXPECT_EQ(to_text(smaller.program), "device 1G\nP = pool(0,0,0)\nb = alloc(S2, 2M)\nrun(S2, w:b=42)\n");
  EXPECT_TRUE(smaller.choices.empty());
}

TEST(Report, TellsWhatWasFoundAndHowToSeeItAgain) {
  auto program = scenario("hold(S1, g)\nsync(S1)\nopen g\n");
  program.title = "held.soma";
  sim::runner with;
  const sim::options options;
  const auto found = sim::explore(with, program, options);
  EXPECT_EQ(sim::summary(found), "1 runs, 1 different; FAILED: deadlock");
  const auto text = sim::report(with, program, *found.failed, options);
  EXPECT_THAT(text, HasSubstr("checker deadlock:\n    nothing can go on:"));
  EXPECT_THAT(text, HasSubstr("again: soma explore --choices 0 held.soma"));
  EXPECT_THAT(text, HasSubstr("main             -> stream S1        synchronize_stream"));
  EXPECT_THAT(text, HasSubstr("    device 1G\n    hold(S1, g)\n    sync(S1)\n"));
}

// -- random scenarios ---------------------------------------------------------------------------------------

TEST(RandomScenarios, PassInRandomOrders) {
  sim::runner with;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const auto program = sim::random_scenario(seed);
    for (const auto how : {strategy::random, strategy::pct}) {
      sim::options options;
      options.how = how;
      options.runs = 4;
      const auto found = sim::explore(with, program, options);
      ASSERT_FALSE(found.failed) << "seed " << seed << "\n" << to_text(program) << failure_of(found);
    }
  }
}

}  // namespace sim_tests
