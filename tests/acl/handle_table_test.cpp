#include "api/acl/handle_table.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace soma::acl {
namespace {

struct thing {
  explicit thing(int number, std::atomic<int>* ends = nullptr) : value(number), ended(ends) {}

  thing(const thing&) = delete;
  thing& operator=(const thing&) = delete;

  ~thing() {
    if (ended != nullptr)
      ++*ended;
  }

  int value;
  std::atomic<int>* ended;
};

using table = handle_table<thing, 0xA1>;

TEST(HandleTable, FindsWhatWasInserted) {
  table things;
  void* const first = things.insert(std::make_shared<thing>(1));
  void* const second = things.insert(std::make_shared<thing>(2));
  EXPECT_NE(first, nullptr);
  EXPECT_NE(first, second);
  EXPECT_EQ(things.find(first)->value, 1);
  EXPECT_EQ(things.find(second)->value, 2);
  EXPECT_EQ(things.size(), 2U);
}

TEST(HandleTable, ATakenHandleIsDead) {
  table things;
  void* const handle = things.insert(std::make_shared<thing>(1));
  EXPECT_EQ(things.take(handle)->value, 1);
  EXPECT_FALSE(things.find(handle));
  EXPECT_EQ(things.take(handle), nullptr);
  EXPECT_EQ(things.size(), 0U);
}

TEST(HandleTable, AHandleStaysDeadWhenItsSlotIsUsedAgain) {
  table things;
  void* const old = things.insert(std::make_shared<thing>(1));
  things.take(old);
  void* const next = things.insert(std::make_shared<thing>(2));
  EXPECT_NE(old, next);
  EXPECT_FALSE(things.find(old));
  EXPECT_TRUE(things.find(next));
}

TEST(HandleTable, InventedHandlesAreNotGood) {
  table things;
  handle_table<thing, 0xA2> others;
  void* const handle = things.insert(std::make_shared<thing>(1));
  int local = 0;
  EXPECT_FALSE(things.find(nullptr));
  EXPECT_FALSE(things.find(&local));
  EXPECT_FALSE(things.find(reinterpret_cast<void*>(std::uintptr_t{0x1234})));
  EXPECT_FALSE(others.find(handle));
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  for (unsigned bit = 0; bit != 64; ++bit)
    EXPECT_FALSE(things.find(reinterpret_cast<void*>(number ^ (std::uintptr_t{1} << bit)))) << "bit " << bit;
}

TEST(HandleTable, APinKeepsTheObjectButNotTheHandle) {
  std::atomic<int> ended = 0;
  table things;
  void* const handle = things.insert(std::make_shared<thing>(1, &ended));
  {
    const auto pin = things.find(handle);
    things.take(handle);
    EXPECT_FALSE(things.find(handle));
    EXPECT_EQ(ended, 0);
    EXPECT_EQ(pin->value, 1);
  }
  EXPECT_EQ(ended, 1);
}

TEST(HandleTable, ASlotIsRetiredBeforeItsGenerationWraps) {
  handle_table<thing, 0xA1, 2> things;  // generations 1, 2 and 3
  std::set<void*> seen;
  for (int round = 0; round != 1000; ++round) {
    void* const handle = things.insert(std::make_shared<thing>(round));
    EXPECT_TRUE(seen.insert(handle).second) << "a handle was given out twice";
    things.take(handle);
  }
}

TEST(HandleTable, GrowsAndKeepsItsSlots) {
  table things;
  std::vector<void*> handles;
  for (int number = 0; number != 10000; ++number)
    handles.push_back(things.insert(std::make_shared<thing>(number)));
  for (int number = 0; number != 10000; ++number)
    ASSERT_EQ(things.find(handles[static_cast<std::size_t>(number)])->value, number);
  EXPECT_EQ(things.take_all().size(), 10000U);
  EXPECT_EQ(things.size(), 0U);
  EXPECT_FALSE(things.find(handles.front()));
}

TEST(HandleTable, OneOfManyTakersGetsTheObject) {
  std::atomic<int> ended = 0;
  table things;
  constexpr int rounds = 2000;
  std::vector<void*> handles;
  for (int round = 0; round != rounds; ++round)
    handles.push_back(things.insert(std::make_shared<thing>(round, &ended)));
  std::atomic<int> taken = 0;
  std::vector<std::thread> threads;
  for (int index = 0; index != 4; ++index)
    threads.emplace_back([&] {
      for (int round = 0; round != rounds; ++round) {
        void* const handle = handles[static_cast<std::size_t>(round)];
        if (const auto pin = things.find(handle)) {
          EXPECT_EQ(pin->value, round);
        }
        if (things.take(handle) != nullptr)
          ++taken;
        void* const other = things.insert(std::make_shared<thing>(-1, &ended));
        EXPECT_EQ(things.find(other)->value, -1);
        things.take(other);
      }
    });
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(taken, rounds);
  EXPECT_EQ(ended, rounds + 4 * rounds);
  EXPECT_EQ(things.size(), 0U);
}

}  // namespace
}  // namespace soma::acl
