// The way back of a request.

#include "fixture.hpp"

namespace {

using namespace actor_tests;

TEST(Answer, DeliversTheValue) {
  const reply<int> got;
  got.token()(7);
  EXPECT_EQ(got.value(), 7);
}

TEST(Answer, DeliversTheFault) {
  const reply<int> got;
  got.token()(memory::failed(fault_code::timed_out, "late"));
  EXPECT_EQ(got.failure().code, fault_code::timed_out);
  EXPECT_EQ(got.failure().text, "late");
}

TEST(Answer, IgnoresTheSecondCall) {
  const reply<int> got;
  const auto token = got.token();
  token(1);
  token(2);
  EXPECT_EQ(got.times(), 1U);
  EXPECT_EQ(got.value(), 1);
}

TEST(Answer, CountsTheCallsOfAllCopiesAsOne) {
  const reply<int> got;
  const auto token = got.token();
  const auto copy = token;  // NOLINT(performance-unnecessary-copy-initialization)
  copy(1);
  token(2);
  EXPECT_EQ(got.times(), 1U);
  EXPECT_EQ(got.value(), 1);
}

TEST(Answer, IsActorGoneWhenTheTokenIsDropped) {
  const reply<int> got;
  { const auto token = got.token(); }
  EXPECT_TRUE(got.failed_with(fault_code::actor_gone));
}

TEST(Answer, IsActorGoneOnlyWhenTheLastCopyIsDropped) {
  const reply<int> got;
  auto token = got.token();
  auto copy = token;
  token = {};
  EXPECT_FALSE(got.arrived());
  copy = {};
  EXPECT_TRUE(got.failed_with(fault_code::actor_gone));
}

TEST(Answer, AddsNothingWhenAUsedTokenIsDropped) {
  const reply<int> got;
  { got.token()(7); }
  EXPECT_EQ(got.times(), 1U);
}

TEST(Answer, OfNobodyDoesNothing) {
  const messages::answer<int> nobody;
  nobody(7);
}

}  // namespace
