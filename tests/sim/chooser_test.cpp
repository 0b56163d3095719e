#include "sim/chooser.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace soma::sim;

// Steps of parties 1, 2, ... that all have the same receiver, so that their order matters.
std::vector<option> flushes(std::vector<std::uint32_t> parties, std::uint32_t receiver = 9) {
  std::vector<option> made;
  for (const auto party : parties) {
    made.push_back({step_kind::flush, party, 0, receiver, false});
  }
  return made;
}

// Two parties with `each` steps, taken in all ways; returns the orders that the chooser gives.
std::multiset<std::string> orders(exhaustive_chooser& chooser, int each, bool same_receiver) {
  std::multiset<std::string> found;
  do {
    chooser.begin();
    std::string order;
    std::uint32_t done[2] = {0, 0};
    bool pruned = false;
    while (!pruned &&
           (done[0] < static_cast<std::uint32_t>(each) || done[1] < static_cast<std::uint32_t>(each))) {
      std::vector<option> possible;
      for (std::uint32_t party = 0; party < 2; ++party) {
        if (done[party] < static_cast<std::uint32_t>(each)) {
          possible.push_back({step_kind::flush, party, done[party], same_receiver ? 9 : party, false});
        }
      }
      const auto chosen = chooser.pick(possible);
      pruned = chosen == chooser::prune;
      if (!pruned) {
        order += static_cast<char>('a' + possible[chosen].party);
        ++done[possible[chosen].party];
      }
    }
    if (!pruned) {
      found.insert(order);
    }
  } while (chooser.next());
  return found;
}

TEST(Exhaustive, GivesEachOrderOfDependentStepsOnce) {
  exhaustive_chooser chooser;
  EXPECT_EQ(orders(chooser, 2, true),
            (std::multiset<std::string>{"aabb", "abab", "abba", "baab", "baba", "bbaa"}));
}

TEST(Exhaustive, GivesIndependentStepsInOneOrder) {
  exhaustive_chooser chooser;
  EXPECT_EQ(orders(chooser, 3, false).size(), 1U);
}

TEST(Exhaustive, GivesAllOrdersWithoutTheReduction) {
  exhaustive_chooser chooser(false);
  EXPECT_EQ(orders(chooser, 3, false).size(), 20U);
}

TEST(Random, TheSameSeedChoosesTheSame) {
  const auto possible = flushes({1, 2, 3});
  random_chooser one(7);
  random_chooser other(7);
  std::set<std::size_t> chosen;
  for (int step = 0; step < 100; ++step) {
    const auto choice = one.pick(possible);
    EXPECT_EQ(choice, other.pick(possible));
    chosen.insert(choice);
  }
  EXPECT_EQ(chosen.size(), 3U);
}

// Depth 1 has no change of priorities: the same party goes first all the time.
TEST(Pct, FollowsPriorities) {
  std::set<std::size_t> first;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    pct_chooser chooser(seed, 1, 10);
    const auto choice = chooser.pick(flushes({1, 2, 3}));
    for (int step = 0; step < 9; ++step) {
      EXPECT_EQ(chooser.pick(flushes({1, 2, 3})), choice);
    }
    first.insert(choice);
  }
  EXPECT_EQ(first.size(), 3U);
}

TEST(Pct, ChangesPrioritiesLessOftenThanItsDepth) {
  bool changed = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    pct_chooser chooser(seed, 3, 10);
    int changes = 0;
    auto before = chooser.pick(flushes({1, 2, 3}));
    for (int step = 0; step < 9; ++step) {
      const auto choice = chooser.pick(flushes({1, 2, 3}));
      changes += choice != before ? 1 : 0;
      before = choice;
    }
    EXPECT_LE(changes, 2);
    changed = changed || changes > 0;
  }
  EXPECT_TRUE(changed);
}

TEST(Replay, MissingChoicesAreZeroAndTooLargeOnesTheLargest) {
  replay_chooser chooser({1, 99});
  EXPECT_EQ(chooser.pick(flushes({1, 2, 3})), 1U);
  EXPECT_EQ(chooser.pick(flushes({1})), 0U);  // no choice: none is used up
  EXPECT_EQ(chooser.pick(flushes({1, 2, 3})), 2U);
  EXPECT_EQ(chooser.pick(flushes({1, 2, 3})), 0U);
}

TEST(Choices, AsTextAndBack) {
  const std::vector<std::size_t> choices{0, 9, 10, 35, 36, 1234, 1, 0, 0};
  EXPECT_EQ(choices_text(choices), "09az{36}{1234}1");
  EXPECT_EQ(parse_choices("09az{36}{1234}1"), (std::vector<std::size_t>{0, 9, 10, 35, 36, 1234, 1}));
  EXPECT_EQ(choices_text(std::vector<std::size_t>{}), "0");
  for (const char* const wrong : {"A", "{", "{x}", "{1", "-"}) {
    EXPECT_EQ(parse_choices(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
