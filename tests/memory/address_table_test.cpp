// The table of records by address against std::map.

#include "memory/address_table.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace {

using namespace soma::memory;

struct record {
  address begin = address::null;
  std::uint64_t value = 0;
};

class AddressTable : public testing::Test {
protected:
  using table = address_table<record>;

  table::place add(address begin, std::uint64_t value) {
    if (table_.is_full()) {
      table_.rebuild();
    }
    return table_.add({begin, value});
  }

  table table_;
};

TEST_F(AddressTable, FindsWhatWasAddedAndNotRemoved) {
  std::mt19937 random(7);
  std::map<address, std::uint64_t> expected;
  for (std::uint64_t turn = 0; turn < 30'000; ++turn) {
    const std::uint64_t range = turn < 15'000 ? 2000 : 40;  // many at first, few later
    const address begin{(1 + random() % range) * 512};
    if (const auto known = expected.find(begin); known != expected.end()) {
      table_.remove(table_.find(begin));
      expected.erase(known);
    } else {
      const auto place = add(begin, turn);
      ASSERT_EQ(place, table_.find(begin));
      expected.emplace(begin, turn);
    }
    const address asked{(1 + random() % range) * 512};
    const auto found = table_.find(asked);
    const auto known = expected.find(asked);
    ASSERT_EQ(found != 0, known != expected.end());
    if (found != 0) {
      ASSERT_EQ(table_[found].value, known->second);
    }
    ASSERT_EQ(table_.size(), expected.size());
  }
}

TEST_F(AddressTable, SaysWhereEachRecordIsAfterARebuild) {
  std::map<std::uint64_t, table::place> places;
  for (std::uint64_t value = 1; value <= 1000; ++value) {
    if (table_.is_full()) {
      const auto moved = table_.rebuild();
      EXPECT_EQ(moved[0], 0U);
      for (auto& [of, place] : places) {
        place = moved[place];
      }
    }
    places[value] = table_.add({address{value * 512}, value});
  }
  for (const auto& [value, place] : places) {
    EXPECT_EQ(table_[place].value, value);
  }
  std::size_t visited = 0;
  table_.for_each([&](const record& each) { visited += places.count(each.value); });
  EXPECT_EQ(visited, places.size());
}

// Marks of what was removed fill it as well, but make it no bigger.
TEST_F(AddressTable, GrowsByWhatIsInItOnly) {
  table::place highest = 0;
  for (std::uint64_t turn = 1; turn <= 10'000; ++turn) {
    const auto place = add(address{turn * 512}, turn);
    highest = std::max(highest, place);
    table_.remove(place);
  }
  EXPECT_LE(highest, 16U);
}

// A program can ask for any address.
TEST_F(AddressTable, HasNothingAtAddressesThatStandForNoRecord) {
  EXPECT_EQ(table_.find(address::null), 0U);
  for (std::uint64_t value = 1; value <= 3; ++value) {
    table_.remove(add(address{value * 512}, value));
  }
  EXPECT_EQ(table_.find(address::null), 0U);
  for (std::uint64_t any = 1; any < 64; ++any) {
    EXPECT_EQ(table_.find(address{any}), 0U);
  }
  EXPECT_EQ(table_.find(address{512}), 0U);
}

TEST_F(AddressTable, WhatIsRemovedStaysReadable) {
  const auto place = add(address{512}, 7);
  table_.remove(place);
  EXPECT_EQ(table_[place].value, 7U);
}

}  // namespace
