// The rule over who may take what: each of its parts alone, and all together against the plain sentence.

#include "memory/reach.hpp"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using namespace soma::memory;

constexpr position settled{};

position freed(std::uint64_t stream, std::uint64_t sequence) {
  return {stream_id{stream}, sequence_number{sequence}};
}

order_clock up_to(std::uint64_t stream, std::uint64_t sequence) {
  order_clock clock;
  clock.add(freed(stream, sequence));
  return clock;
}

TEST(Reach, WithoutAnyPermissionNothingMayBeTaken) {
  constexpr reach nothing{};
  EXPECT_FALSE(nothing.includes(settled));
  EXPECT_FALSE(nothing.includes(freed(1, 1)));
}

TEST(Reach, TheOwnStreamGivesAllThatItFreedAndNoSettledMemory) {
  constexpr reach own{.own = stream_id{1}};
  EXPECT_TRUE(own.includes(freed(1, 1)));
  EXPECT_TRUE(own.includes(freed(1, 1'000'000)));
  EXPECT_FALSE(own.includes(freed(2, 1)));
  EXPECT_FALSE(own.includes(settled));
}

TEST(Reach, SettledMemoryIsForAllWhoMayHaveIt) {
  constexpr reach fresh{.settled = true};
  EXPECT_TRUE(fresh.includes(settled));
  EXPECT_FALSE(fresh.includes(freed(1, 1)));
}

TEST(Reach, AnOrderGivesFreesUpToItsPositionAndNoLaterOnes) {
  const auto clock = up_to(2, 5);
  for (const auto& rule : {reach{.ordered = &clock}, reach{.executed = &clock}}) {
    EXPECT_TRUE(rule.includes(freed(2, 4)));
    EXPECT_TRUE(rule.includes(freed(2, 5)));
    EXPECT_FALSE(rule.includes(freed(2, 6)));
    EXPECT_FALSE(rule.includes(freed(1, 1)));
    EXPECT_FALSE(rule.includes(settled));
  }
}

TEST(Reach, OfTwoOrdersTheFurtherOneCounts) {
  const auto near = up_to(2, 5);
  const auto far = up_to(2, 8);
  EXPECT_EQ((reach{.ordered = &near, .executed = &far}).limit(stream_id{2}), sequence_number{8});
  EXPECT_EQ((reach{.ordered = &far, .executed = &near}).limit(stream_id{2}), sequence_number{8});
}

TEST(Reach, EverythingMeansEverything) {
  constexpr reach all{.everything = true};
  EXPECT_TRUE(all.includes(settled));
  EXPECT_TRUE(all.includes(freed(7, 1'000'000)));
}

RC_GTEST_PROP(ReachProperties, AFreeIsIncludedExactlyIfOneOfThePermissionsCoversIt, ()) {
  constexpr std::uint64_t streams = 4;
  const auto own = *rc::gen::inRange<std::uint64_t>(0, streams);
  const bool takes_settled = *rc::gen::arbitrary<bool>();
  const bool takes_all = *rc::gen::inRange(0, 8) == 0;
  const bool by_order = *rc::gen::arbitrary<bool>();
  const bool by_execution = *rc::gen::arbitrary<bool>();
  std::array<std::uint64_t, streams> ordered{};
  std::array<std::uint64_t, streams> executed{};
  order_clock ordered_clock;
  order_clock executed_clock;
  for (std::uint64_t stream = 1; stream < streams; ++stream) {
    ordered.at(stream) = *rc::gen::inRange<std::uint64_t>(0, 10);
    executed.at(stream) = *rc::gen::inRange<std::uint64_t>(0, 10);
    if (ordered.at(stream) > 0) {
      ordered_clock.add(freed(stream, ordered.at(stream)));
    }
    if (executed.at(stream) > 0) {
      executed_clock.add(freed(stream, executed.at(stream)));
    }
  }
  const reach rule{.own = stream_id{own},
                   .settled = takes_settled,
                   .ordered = by_order ? &ordered_clock : nullptr,
                   .executed = by_execution ? &executed_clock : nullptr,
                   .everything = takes_all};

  RC_ASSERT(rule.includes(settled) == (takes_all || takes_settled));
  for (std::uint64_t stream = 1; stream < streams; ++stream) {
    for (std::uint64_t sequence = 1; sequence <= 11; ++sequence) {
      const bool expected = takes_all || stream == own || (by_order && sequence <= ordered.at(stream)) ||
                            (by_execution && sequence <= executed.at(stream));
      RC_ASSERT(rule.includes(freed(stream, sequence)) == expected);
    }
  }
}

}  // namespace
