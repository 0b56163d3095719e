// Windows of addresses: first fit, whole slots, and that what is given back can be had again.

#include "memory/window_list.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using namespace soma::memory;

constexpr range slots(std::uint64_t first, std::uint64_t count) {
  return {address{first * slot_bytes}, count * slot_bytes};
}

constexpr range all = slots(10, 8);

TEST(WindowList, WindowsAreWholeSlotsFromTheLowestAddressOn) {
  window_list windows(all);
  EXPECT_EQ(windows.take(1), slots(10, 1));
  EXPECT_EQ(windows.take(slot_bytes + 1), slots(11, 2));
  EXPECT_EQ(windows.take(slot_bytes), slots(13, 1));
  EXPECT_EQ(windows.free_bytes(), 4 * slot_bytes);
}

TEST(WindowList, WhatIsGivenBackIsFoundFirstIfItFits) {
  window_list windows(all);
  const auto low = windows.take(2 * slot_bytes);
  ASSERT_TRUE(windows.take(slot_bytes));
  ASSERT_TRUE(low);
  windows.give_back(*low);
  EXPECT_EQ(windows.take(3 * slot_bytes), slots(13, 3)) << "the hole is too small";
  EXPECT_EQ(windows.take(slot_bytes), slots(10, 1));
  EXPECT_EQ(windows.take(slot_bytes), slots(11, 1));
}

TEST(WindowList, ATakenUpListGivesNothing) {
  window_list windows(all);
  EXPECT_EQ(windows.take(all.bytes + 1), std::nullopt);
  EXPECT_EQ(windows.take(all.bytes), all);
  EXPECT_EQ(windows.free_bytes(), 0U);
  EXPECT_EQ(windows.take(1), std::nullopt);
  windows.give_back(all);
  EXPECT_EQ(windows.take(all.bytes), all);
}

TEST(WindowList, NonsenseIsAnsweredWithNothing) {
  window_list windows(all);
  EXPECT_EQ(windows.take(0), std::nullopt);
  EXPECT_EQ(windows.take(std::numeric_limits<std::uint64_t>::max()), std::nullopt) << "rounding up wraps";
  EXPECT_EQ(windows.free_bytes(), all.bytes);
  window_list empty({address{0}, 0});
  EXPECT_EQ(empty.take(1), std::nullopt);
  EXPECT_EQ(empty.free_bytes(), 0U);
}

TEST(WindowList, NeighboursGivenBackInAnyOrderBecomeOneWindow) {
  std::vector<std::size_t> order{0, 1, 2};
  do {
    window_list windows(slots(0, 3));
    std::vector<range> taken;
    for (auto count = order.size(); count > 0; --count) {
      taken.push_back(windows.take(slot_bytes).value());
    }
    for (const auto which : order) {
      windows.give_back(taken[which]);
    }
    EXPECT_EQ(windows.take(3 * slot_bytes), slots(0, 3));
  } while (std::ranges::next_permutation(order).found);
}

TEST(WindowList, HalfOfTheLargestRunLeavesSomethingForOthers) {
  window_list windows(slots(0, 8));
  EXPECT_EQ(windows.take_half(), slots(0, 4));
  EXPECT_EQ(windows.take_half(), slots(4, 2));
  EXPECT_EQ(windows.take_half(), slots(6, 1));
  EXPECT_EQ(windows.take_half(), slots(7, 1)) << "at least one slot";
  EXPECT_EQ(windows.take_half(), std::nullopt);
}

bool overlap(range left, range right) { return left.begin < right.end() && right.begin < left.end(); }

RC_GTEST_PROP(WindowListProperties, WindowsNeverOverlapAndNothingIsLost, ()) {
  using step = std::pair<bool, std::uint64_t>;
  const auto steps = *rc::gen::container<std::vector<step>>(
      rc::gen::pair(rc::gen::arbitrary<bool>(), rc::gen::inRange<std::uint64_t>(0, 100)));
  window_list windows(all);
  std::vector<range> live;
  for (const auto& [takes, pick] : steps) {
    if (takes) {
      const auto taken = pick % 8 == 0 ? windows.take_half() : windows.take((pick % 4) * slot_bytes + 1);
      if (taken) {
        RC_ASSERT(taken->begin >= all.begin);
        RC_ASSERT(taken->end() <= all.end());
        RC_ASSERT(std::ranges::none_of(live, [&](range other) { return overlap(other, *taken); }));
        live.push_back(*taken);
      }
    } else if (!live.empty()) {
      const auto chosen = live.begin() + static_cast<std::ptrdiff_t>(pick % live.size());
      windows.give_back(*chosen);
      live.erase(chosen);
    }
    auto bytes = windows.free_bytes();
    for (const auto window : live) {
      bytes += window.bytes;
    }
    RC_ASSERT(bytes == all.bytes);
  }
  for (const auto window : live) {
    windows.give_back(window);
  }
  RC_ASSERT(windows.take(all.bytes) == all);
}

}  // namespace
