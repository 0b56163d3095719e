// Clocks of many streams, as trees and as lists, against a map; and that trees share what they have in
// common.

#include "memory/clock_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "memory/order_clock.hpp"

namespace {

using namespace soma::memory;

using model = std::map<std::uint64_t, std::uint64_t>;

position task(std::uint64_t stream, std::uint64_t sequence) {
  return {stream_id{stream}, sequence_number{sequence}};
}

template <class Clock>
model content_of(const Clock& clock) {
  model all;
  clock.for_each([&](const position& known) { all.emplace(number(known.stream), number(known.sequence)); });
  return all;
}

// Returns whether any of it was new.
bool add(model& to, const model& other) {
  bool is_new = false;
  for (const auto& [stream, sequence] : other) {
    is_new = is_new || to[stream] < sequence;
    to[stream] = std::max(to[stream], sequence);
  }
  return is_new;
}

void forget(model& of, const model& known) {
  std::erase_if(of, [&](const auto& entry) {
    const auto found = known.find(entry.first);
    return found != known.end() && found->second >= entry.second;
  });
}

TEST(ClockTree, KnowsStreamsFarApart) {
  clock_tree tree;
  EXPECT_TRUE(tree.empty());
  EXPECT_EQ(tree.of(stream_id{1}), sequence_number::none);
  const std::vector<std::uint64_t> ids{1, 15, 16, 17, 255, 256, 1'000'000, ~std::uint64_t{0}, 2};
  for (const auto id : ids) {
    tree.add(task(id, id / 2 + 1));
  }
  EXPECT_EQ(tree.size(), ids.size());
  for (const auto id : ids) {
    EXPECT_EQ(tree.of(stream_id{id}), sequence_number{id / 2 + 1}) << id;
    EXPECT_EQ(tree.of(stream_id{id - 1}), std::ranges::count(ids, id - 1) == 0
                                              ? sequence_number::none
                                              : sequence_number{(id - 1) / 2 + 1})
        << id;
  }
}

TEST(ClockTree, OfALowTreeNothingIsKnownBeyondItsIds) {
  clock_tree tree;
  tree.add(task(3, 1));
  EXPECT_EQ(tree.of(stream_id{19}), sequence_number::none) << "19 and 3 have the same last four bits";
  EXPECT_EQ(tree.of(stream_id{~std::uint64_t{0}}), sequence_number::none);
}

TEST(ClockTree, ACopyDoesNotChangeWithTheOriginal) {
  clock_tree tree;
  for (std::uint64_t stream = 1; stream <= 100; ++stream) {
    tree.add(task(stream, 1));
  }
  const auto before = tree;
  tree.add(task(50, 2));
  tree.add(task(5000, 1));
  EXPECT_EQ(before.of(stream_id{50}), sequence_number{1});
  EXPECT_EQ(before.size(), 100U);
  EXPECT_EQ(tree.size(), 101U);
}

TEST(ClockTree, TreesOfDifferentHeightAreMergedAndForgotten) {
  clock_tree low;
  low.add(task(3, 5));
  clock_tree high;
  high.add(task(3, 4));
  high.add(task(70'000, 9));
  auto both = low;
  EXPECT_TRUE(both.add(high));
  EXPECT_EQ(content_of(both), (model{{3, 5}, {70'000, 9}}));
  auto other = high;
  EXPECT_TRUE(other.add(low));
  EXPECT_EQ(content_of(other), content_of(both));
  EXPECT_FALSE(other.add(low));
  other.forget(low);
  EXPECT_EQ(content_of(other), (model{{70'000, 9}}));
  low.forget(both);
  EXPECT_TRUE(low.empty());
}

// Ids near each other and far apart, few clocks and many positions: lists become trees and the other way
// round.
TEST(ManyStreams, ClocksAgreeWithAMap) {
  std::mt19937_64 random(7);
  const auto up_to = [&](std::uint64_t most) { return random() % most + 1; };
  constexpr std::size_t clocks = 4;
  for (int program = 0; program < 40; ++program) {
    order_clock clock[clocks];
    model expected[clocks];
    const auto farthest = program % 4 == 0 ? std::uint64_t{1} << 40 : up_to(400);
    for (int step = 0; step < 400; ++step) {
      const auto at = random() % clocks;
      const auto other = random() % clocks;
      switch (random() % 8) {
      case 0:
        EXPECT_EQ(clock[at].add(clock[other]), add(expected[at], expected[other]));
        break;
      case 1:
        clock[at].forget(clock[other]);
        forget(expected[at], at == other ? model(expected[at]) : expected[other]);
        break;
      case 2:
        clock[at] = clock[other];
        expected[at] = expected[other];
        break;
      default:
        for (int more = 0; more < 20; ++more) {
          const auto added = task(up_to(farthest), up_to(50));
          EXPECT_EQ(clock[at].add(added),
                    add(expected[at], {{number(added.stream), number(added.sequence)}}));
        }
      }
      ASSERT_EQ(content_of(clock[at]), expected[at]);
      ASSERT_EQ(clock[at].size(), expected[at].size());
      ASSERT_EQ(clock[at].empty(), expected[at].empty());
      ASSERT_EQ(clock[at] == clock[other], expected[at] == expected[other]);
      const stream_id asked{up_to(farthest)};
      const auto known = expected[at].find(number(asked));
      ASSERT_EQ(number(clock[at].of(asked)), known == expected[at].end() ? 0 : known->second);
    }
  }
}

}  // namespace
