// The way back of a request.

#include <array>
#include <memory>
#include <utility>

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

TEST(Answer, IsForOneHolderAtATime) {
  const reply<int> got;
  auto token = got.token();
  const auto holder = std::move(token);
  token(1);  // NOLINT(bugprone-use-after-move): what was moved from is nobody's
  EXPECT_FALSE(got.arrived());
  holder(2);
  EXPECT_EQ(got.times(), 1U);
  EXPECT_EQ(got.value(), 2);
}

TEST(Answer, StaysCalledWhenItIsMoved) {
  const reply<int> got;
  auto token = got.token();
  token(1);
  const auto holder = std::move(token);
  EXPECT_FALSE(holder(2));
  EXPECT_EQ(got.times(), 1U);
}

// What it delivers to may be larger than the room in the token.
TEST(Answer, DeliversToSomethingLarge) {
  const reply<int> got;
  const auto alive = std::make_shared<int>(0);
  {
    std::array<std::shared_ptr<int>, 8> large;
    large.fill(alive);
    messages::answer<int> token([token = got.token(), large](messages::result<int> value) {
      return large[7] != nullptr && token(std::move(value));
    });
    large.fill(nullptr);
    EXPECT_EQ(alive.use_count(), 9);
    const auto moved = std::move(token);
    EXPECT_EQ(alive.use_count(), 9);
    EXPECT_TRUE(moved(7));
  }
  EXPECT_EQ(got.value(), 7);
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(Answer, IsActorGoneWhenTheTokenIsDropped) {
  const reply<int> got;
  { const auto token = got.token(); }
  EXPECT_TRUE(got.failed_with(fault_code::actor_gone));
}

TEST(Answer, IsActorGoneWhenAnotherTokenTakesItsPlace) {
  const reply<int> got;
  const reply<int> next;
  auto token = got.token();
  token = next.token();
  EXPECT_TRUE(got.failed_with(fault_code::actor_gone));
  EXPECT_FALSE(next.arrived());
  token = {};
  EXPECT_TRUE(next.failed_with(fault_code::actor_gone));
}

TEST(Answer, AddsNothingWhenAUsedTokenIsDropped) {
  const reply<int> got;
  { got.token()(7); }
  EXPECT_EQ(got.times(), 1U);
}

TEST(Answer, OfNobodyDoesNothing) {
  const messages::answer<int> nobody{};
  EXPECT_FALSE(nobody(7));
}

}  // namespace
