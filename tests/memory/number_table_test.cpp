// The table of numbers against std::map, and the list that is nearly always short.

#include "memory/number_table.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/short_list.hpp"

namespace {

using namespace soma::memory;
using testing::ElementsAre;

TEST(NumberTable, FindsWhatWasInsertedAndNotErased) {
  std::mt19937 random(7);
  number_table table;
  std::map<std::uint64_t, std::uint32_t> expected;
  for (std::uint32_t i = 1; i <= 20000; ++i) {
    const std::uint64_t key = random() % 700 * 512;  // as addresses are: many neighbours, all multiples
    if (const auto known = expected.find(key); known != expected.end()) {
      table.erase(key);
      expected.erase(known);
    } else {
      table.insert(key, i);
      expected.emplace(key, i);
    }
    const std::uint64_t asked = random() % 700 * 512;
    const auto known = expected.find(asked);
    ASSERT_EQ(table.find(asked), known == expected.end() ? 0 : known->second);
    ASSERT_EQ(table.size(), expected.size());
  }
}

TEST(NumberTable, ZeroIsAKeyAsAnyOther) {
  number_table table;
  EXPECT_EQ(table.find(0), 0U);
  table.insert(0, 5);
  EXPECT_EQ(table.find(0), 5U);
  table.erase(0);
  EXPECT_EQ(table.find(0), 0U);
}

TEST(ShortList, KeepsItsElementsInOrderHoweverManyThereAre) {
  short_list<int, 2> list;
  EXPECT_TRUE(list.empty());
  EXPECT_THAT(list, ElementsAre());
  list.push_back(1);
  EXPECT_THAT(list, ElementsAre(1));
  list.push_back(2);
  EXPECT_THAT(list, ElementsAre(1, 2));
  list.push_back(3);
  list.push_back(4);
  EXPECT_THAT(list, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(list.front(), 1);
  EXPECT_EQ(list.back(), 4);
  const auto copy = list;
  list.clear();
  EXPECT_TRUE(list.empty());
  EXPECT_THAT(copy, ElementsAre(1, 2, 3, 4));
}

}  // namespace
