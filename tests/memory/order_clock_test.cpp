// The vector clock: what one task adds, and that merging two clocks is the least clock above both.

#include "memory/order_clock.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using namespace soma::memory;

position task(std::uint64_t stream, std::uint64_t sequence) {
  return {stream_id{stream}, sequence_number{sequence}};
}

constexpr std::uint64_t streams = 60;

order_clock some_clock() {
  const auto tasks = *rc::gen::container<std::vector<std::pair<std::uint64_t, std::uint64_t>>>(
      rc::gen::pair(rc::gen::inRange<std::uint64_t>(1, streams), rc::gen::inRange<std::uint64_t>(1, 20)));
  order_clock clock;
  for (const auto& [stream, sequence] : tasks) {
    clock.add(task(stream, sequence));
  }
  return clock;
}

order_clock merged(order_clock left, const order_clock& right) {
  left.add(right);
  return left;
}

TEST(OrderClock, ANewClockCoversNoTask) {
  const order_clock clock;
  EXPECT_EQ(clock.of(stream_id{1}), sequence_number::none);
  EXPECT_FALSE(clock.covers(task(1, 1)));
  EXPECT_TRUE(clock.positions().empty());
}

TEST(OrderClock, ATaskBringsThoseBeforeItOnItsStream) {
  order_clock clock;
  EXPECT_TRUE(clock.add(task(2, 5)));
  EXPECT_TRUE(clock.covers(task(2, 1)));
  EXPECT_TRUE(clock.covers(task(2, 5)));
  EXPECT_FALSE(clock.covers(task(2, 6)));
  EXPECT_FALSE(clock.covers(task(1, 1)));
  EXPECT_FALSE(clock.covers(task(3, 1)));
}

TEST(OrderClock, AddingSaysWhetherItWasNew) {
  order_clock clock;
  EXPECT_TRUE(clock.add(task(1, 3)));
  EXPECT_FALSE(clock.add(task(1, 3)));
  EXPECT_FALSE(clock.add(task(1, 2)));
  EXPECT_EQ(clock.of(stream_id{1}), sequence_number{3}) << "an older task takes nothing away";
  EXPECT_TRUE(clock.add(task(1, 4)));
  EXPECT_EQ(clock.of(stream_id{1}), sequence_number{4});
}

TEST(OrderClock, MergingSaysWhetherAnyOfItWasNew) {
  order_clock clock;
  clock.add(task(1, 3));
  order_clock other;
  EXPECT_FALSE(clock.add(other));
  other.add(task(1, 2));
  EXPECT_FALSE(clock.add(other));
  other.add(task(2, 1));
  EXPECT_TRUE(clock.add(other)) << "the first of the tasks is old, the second is new";
  EXPECT_FALSE(clock.add(other));
  // The other way round: the first is new, the last is old.
  order_clock third;
  third.add(task(1, 9));
  third.add(task(2, 1));
  EXPECT_TRUE(clock.add(third));
}

TEST(OrderClock, StreamsAreKeptInOrderWhateverTheOrderOfAdding) {
  order_clock clock;
  for (const auto stream : std::initializer_list<std::uint64_t>{3, 1, 4, 2}) {
    clock.add(task(stream, stream * 10));
  }
  const std::vector<position> expected{task(1, 10), task(2, 20), task(3, 30), task(4, 40)};
  EXPECT_EQ(clock.positions(), expected);
}

TEST(OrderClock, ACopyDoesNotChangeWithTheOriginal) {
  order_clock clock;
  clock.add(task(1, 3));
  const auto before = clock;
  clock.add(task(1, 4));
  EXPECT_EQ(before.of(stream_id{1}), sequence_number{3});
  const auto after = clock;
  order_clock other;
  other.add(task(2, 1));
  clock.add(other);
  EXPECT_EQ(after.of(stream_id{2}), sequence_number::none);
  clock.forget(after);
  EXPECT_EQ(after.of(stream_id{1}), sequence_number{4});
}

TEST(OrderClock, AMergeIntoNothingDoesNotChangeWithTheOther) {
  order_clock other;
  other.add(task(1, 3));
  order_clock clock;
  EXPECT_TRUE(clock.add(other));
  EXPECT_FALSE(clock.add(other));
  other.add(task(1, 4));
  EXPECT_EQ(clock.of(stream_id{1}), sequence_number{3});
}

TEST(OrderClock, ForgettingKeepsWhatTheOtherDoesNotKnowAsFar) {
  order_clock clock;
  clock.add(task(1, 3));
  clock.add(task(2, 7));
  clock.add(task(3, 1));
  order_clock other;
  other.add(task(1, 3));
  other.add(task(2, 6));
  other.add(task(4, 9));
  clock.forget(other);
  const std::vector<position> expected{task(2, 7), task(3, 1)};
  EXPECT_EQ(clock.positions(), expected);
  clock.forget(clock);
  EXPECT_TRUE(clock.empty());
  EXPECT_EQ(clock, order_clock{});
}

RC_GTEST_PROP(OrderClockProperties, MergingIsThePointwiseMaximum, ()) {
  const auto left = some_clock();
  const auto right = some_clock();
  const auto both = merged(left, right);
  for (std::uint64_t stream = 0; stream <= streams; ++stream) {
    const stream_id id{stream};
    RC_ASSERT(number(both.of(id)) == std::max(number(left.of(id)), number(right.of(id))));
  }
}

RC_GTEST_PROP(OrderClockProperties, MergingIsCommutativeAssociativeAndIdempotent, ()) {
  const auto left = some_clock();
  const auto right = some_clock();
  const auto third = some_clock();
  RC_ASSERT(merged(left, right) == merged(right, left));
  RC_ASSERT(merged(merged(left, right), third) == merged(left, merged(right, third)));
  RC_ASSERT(merged(left, left) == left);
}

RC_GTEST_PROP(OrderClockProperties, WhatIsForgottenIsWhatTheOtherCovers, ()) {
  const auto clock = some_clock();
  const auto other = some_clock();
  auto rest = clock;
  rest.forget(other);
  for (std::uint64_t stream = 0; stream <= streams; ++stream) {
    const stream_id id{stream};
    const bool is_forgotten = other.of(id) >= clock.of(id);
    RC_ASSERT(rest.of(id) == (is_forgotten ? sequence_number::none : clock.of(id)));
  }
  RC_ASSERT(merged(rest, other) == merged(clock, other));
}

RC_GTEST_PROP(OrderClockProperties, MergingOnlyGrows, ()) {
  const auto left = some_clock();
  const auto right = some_clock();
  auto both = left;
  const bool is_new = both.add(right);
  RC_ASSERT(is_new == (both != left));
  for (const auto& clock : {left, right}) {
    RC_ASSERT(std::ranges::all_of(clock.positions(), [&](position known) { return both.covers(known); }));
  }
  RC_ASSERT(!both.add(right));
}

RC_GTEST_PROP(OrderClockProperties, TheListHasEachStreamOnceByRisingId, ()) {
  const auto clock = merged(some_clock(), some_clock());
  const auto& known = clock.positions();
  RC_ASSERT(std::ranges::adjacent_find(known, [](position left, position right) {
              return left.stream >= right.stream;
            }) == known.end());
}

}  // namespace
