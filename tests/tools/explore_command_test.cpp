#include "tools/explore_command.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/finished_command.hpp"

namespace soma::tools {

namespace {

using testing::HasSubstr;

class ExploreCommand : public testing::Test {
protected:
  /// Runs `soma explore` with these arguments and returns the exit status.
  int run(std::vector<std::string> arguments) {
    auto done = run_command(add_explore_command, "explore", std::move(arguments));
    out_ = std::move(done.out);
    errors_ = std::move(done.err);
    return done.status;
  }

  static std::string file_with(const std::string& name, const std::string& text) {
    auto path = testing::TempDir() + name;
    std::ofstream(path) << text;
    return path;
  }

  std::string out_;
  std::string errors_;
};

TEST_F(ExploreCommand, ACorrectScenarioHasALineAndStatusZero) {
  const auto file = file_with("right.soma", "P = pool(0,0,0)\na = alloc(S1, 2M)\nfree(a, S1)\n");
  EXPECT_EQ(run({file}), exit_done);
  EXPECT_THAT(out_, HasSubstr(file + ": "));
  EXPECT_THAT(out_, HasSubstr("these are all; nothing found\n"));
}

TEST_F(ExploreCommand, AFailureIsReportedWithItsChoicesAndStatusOne) {
  const auto file = file_with("held.soma", "hold(S1, g)\nsync(S1)\n");
  EXPECT_EQ(run({"--random", "3", "--seed", "5", file}), exit_failed);
  EXPECT_THAT(out_, HasSubstr("FAILED: deadlock"));
  EXPECT_THAT(out_, HasSubstr("again: soma explore --choices "));
  EXPECT_THAT(out_, HasSubstr("or: soma explore --random 1 --seed 5 " + file));
}

TEST_F(ExploreCommand, AFileThatIsNoScenarioHasItsLineAndStatusTwo) {
  const auto file = file_with("wrong.soma", "dsync\njump(S1)\n");
  EXPECT_EQ(run({file}), exit_usage);
  EXPECT_THAT(errors_, HasSubstr("soma: " + file + ":2: found 'jump', expected "));
}

TEST_F(ExploreCommand, WhatCannotBeReadHasStatusTwo) {
  EXPECT_EQ(run({"/no/such/file.soma"}), exit_usage);
  EXPECT_EQ(errors_, "soma: /no/such/file.soma: the file cannot be read\n");
  EXPECT_EQ(run({"--choices", "A", "/no/such/file.soma"}), exit_usage);
  EXPECT_THAT(errors_, HasSubstr("'A' is not a row of choices"));
  EXPECT_EQ(run({}), exit_usage);
}

TEST_F(ExploreCommand, RandomScenariosAreExplored) {
  EXPECT_EQ(run({"--programs", "5", "--seed", "3"}), exit_done);
  EXPECT_THAT(out_, HasSubstr("5 random scenarios: 150 runs"));
}

TEST_F(ExploreCommand, TheLogHasAllSteps) {
  const auto file = file_with("logged.soma", "query(S1)\n");
  EXPECT_EQ(run({"--choices", "0", "--log", file}), exit_done);
  EXPECT_THAT(out_, HasSubstr("     1  main: query(S1)\n"));
  EXPECT_THAT(out_, HasSubstr("stream S1        -> main             its answer"));
}

}  // namespace

}  // namespace soma::tools
