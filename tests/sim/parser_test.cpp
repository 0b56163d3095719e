#include "sim/parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/generate.hpp"
#include "sim/scenarios.hpp"

namespace {

using sim_tests::error_of;
using sim_tests::scenario;
using testing::HasSubstr;

// What is printed is read as the same again.
TEST(Parser, ReadsEachStatementAndPrintsIt) {
  const std::string text = R"(device 256M
P = pool(1,0,1; 64M; 0)
Q = pool(0,1,0;; 4M; 512)
R = pool(0,0,0)
a = alloc(S1, 8M)
b = alloc(S1, 8M, Q)
m = malloc(2097153)
hold(S1, g, w:a=AA, r:b)
run(S1, w:a=0A, r:b=BB, mark:x)
free(a, S1)
pfree(b)
rec(E1, S1)
wait(S2, E1)
sync(S1)
sync(E1)
sync(S1, 0)
sync(E1, 20)
dsync
query(S1)
query(E1)
trim(P, 2M)
set(P, event, 1)
set(P, threshold, 4M)
open g
started(g)
seen(x)
T2: free(m, S1)
fails free(m, S2)
maybe c = alloc(S1, 2M)
destroy(S1)
destroy(E1)
destroy(P)
expect a == b
expect a != b
expect inside(a, b)
expect used(Q) == 4M
expect reserved(Q) <= 8M
expect query(S2) == 1
expect query(E1) == 0
expect served(Q, event) == 1
expect os(Q) >= 1
expect osreturns(Q) < 3
expect race use_after_free double_free
)";
  EXPECT_EQ(to_text(scenario(text)), text);
}

TEST(Parser, ReadsBlanksCommentsAndSeveralStatementsOnALine) {
  const auto read =
      scenario("# a scenario\nP=pool( 1 , 0 , 0 ;64M ) ; a = alloc(S1,2M+1)# and so on\n\n  ;free(a,S1)");
  ASSERT_EQ(read.statements.size(), 3U);
  EXPECT_EQ(read.statements[0].settings.limit, 64U << 20);
  EXPECT_EQ(read.statements[1].bytes, (2U << 20) + 1);
  EXPECT_EQ(read.statements[2].line, 4U);
}

TEST(Parser, ABlockThatIsAssignedTwiceIsANewOne) {
  const auto read =
      scenario("P = pool(0,0,0); a = alloc(S1, 2M); free(a, S1); a = alloc(S1, 2M); free(a, S1)");
  EXPECT_EQ(read.blocks, (std::vector<std::string>{"a", "a#2"}));
  EXPECT_EQ(read.statements[2].block.index, 0U);
  EXPECT_EQ(read.statements[4].block.index, 1U);
}

TEST(Parser, AThreadMayUseWhatAnotherOneMakesFurtherDown) {
  const auto read = scenario("P = pool(0,0,0); T2: free(a, S1); a = alloc(S1, 2M)");
  EXPECT_EQ(read.threads, 2U);
  EXPECT_EQ(read.statements[1].block.index, 0U);
}

TEST(Parser, AnExpectedFailureBelongsToTheAlloc) {
  const auto read = scenario("P = pool(0,0,0; 2M); b = alloc(S1, 4M); expect fails(b)");
  EXPECT_EQ(read.statements[1].outcome, soma::sim::wanted::failure);
}

TEST(Parser, ErrorsNameLineWordAndWhatWasExpected) {
  EXPECT_EQ(error_of("P = pool(1,0,0)\nfree(a S1)"), "2: found 'S1', expected ','");
  EXPECT_EQ(error_of("P = pool(1,0,0\n"), "1: the statement ends, expected ')'");
  EXPECT_THAT(error_of("jump(S1)"),
              HasSubstr("1: found 'jump', expected NAME = ..., expect, or one of free pfree"));
  EXPECT_THAT(error_of("a = take(S1)"),
              HasSubstr("found 'take', expected pool(...), alloc(...) or malloc(...)"));
  EXPECT_THAT(error_of("a = malloc(2X)"),
              HasSubstr("found 'X', expected a size that ends in a digit, K, M, G or T"));
  EXPECT_THAT(error_of("a = malloc(big)"), HasSubstr("found 'big', expected a number of bytes"));
  EXPECT_THAT(error_of("P = pool(2,0,0)"), HasSubstr("found '2', expected 0 or 1"));
  EXPECT_THAT(error_of("run(S1, w:a)"), HasSubstr("found ')', expected '='"));
  EXPECT_THAT(error_of("run(S1, w:a=XY)"), HasSubstr("expected a byte of one or two hexadecimal digits"));
  EXPECT_THAT(error_of("sync(Q)"), HasSubstr("found 'Q', expected a stream (S...) or an event (E...)"));
  EXPECT_THAT(error_of("rec(S1, E1)"), HasSubstr("found 'S1', expected an event"));
  EXPECT_THAT(error_of("S1 = malloc(2M)"), HasSubstr("found 'S1', expected the name of a block or pool"));
  EXPECT_THAT(error_of("dsync\ndevice 4M"),
              HasSubstr("2: found 'device', expected it as the first statement"));
  EXPECT_THAT(error_of("expect huge(P) == 1"), HasSubstr("found 'huge', expected used, used_high, reserved"));
  EXPECT_THAT(error_of("open g now"), HasSubstr("found 'now', expected the end of the statement"));
  EXPECT_THAT(error_of("x: dsync"), HasSubstr("found 'x', expected the number of a thread"));
  EXPECT_THAT(error_of("T9: dsync"),
              HasSubstr("found 'T9', expected the number of a thread before ':', T2 to T8"));
}

TEST(Parser, RefusesNamesThatNothingMakes) {
  EXPECT_EQ(error_of("free(a, S1)"), "1: block 'a' is never made");
  EXPECT_EQ(error_of("P = pool(0,0,0); free(a, S1)\na = alloc(S1, 2M)"),
            "1: block 'a' is used before it is made");
  EXPECT_EQ(error_of("a = alloc(S1, 2M)"), "1: an alloc needs a pool: write P = pool(1,0,0) above it");
  EXPECT_EQ(error_of("trim(P, 0)"), "1: pool 'P' is never made");
  EXPECT_EQ(error_of("P = pool(0,0,0); P = pool(0,0,0)"), "1: pool 'P' is made a second time");
}

TEST(Generator, MakesCorrectProgramsThatCanBePrintedAndRead) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto made = soma::sim::random_scenario(seed);
    EXPECT_EQ(to_text(scenario(to_text(made))), to_text(made)) << seed;
    EXPECT_EQ(to_text(soma::sim::random_scenario(seed)), to_text(made)) << seed;
  }
}

}  // namespace
