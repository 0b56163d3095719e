// Blocks that can be moved: what moves where, what keeps still, and that no byte is lost on the way.

#include <cstring>
#include <map>
#include <numeric>
#include <vector>

#include <sys/mman.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "memory/backing.hpp"
#include "memory/granule_map.hpp"
#include "memory/movable_pool.hpp"
#include "memory/sizes.hpp"
#include "support/failing_system.hpp"

namespace {

using namespace soma::memory;

constexpr address base{std::uint64_t{1} << 40};
address at(std::uint64_t offset) { return base + offset; }

address place_of(movable_pool& pool, movable_id block) {
  const auto place = pool.pin(block).value();
  EXPECT_TRUE(pool.unpin(block));
  return place;
}

TEST(MovablePool, MovesBlocksTogether) {
  movable_pool pool({base, 1000}, 10);
  const auto first = pool.allocate(100).value();
  const auto second = pool.allocate(200).value();
  const auto third = pool.allocate(300).value();
  ASSERT_TRUE(pool.free(first));
  EXPECT_DOUBLE_EQ(pool.compact()->report.fragmentation_before, 1 - 400.0 / 500);
  pool.finish();
  EXPECT_EQ(place_of(pool, second), at(0));
  EXPECT_EQ(place_of(pool, third), at(200));
  EXPECT_EQ(pool.figures().largest_free, 500U);
  EXPECT_TRUE(pool.compact()->moves.empty()) << "nothing is left to do";
  EXPECT_FALSE(pool.is_moving());
}

TEST(MovablePool, APinnedBlockStays) {
  movable_pool pool({base, 1000}, 10);
  const auto first = pool.allocate(100).value();
  const auto pinned = pool.allocate(100).value();
  const auto large = pool.allocate(300).value();
  const auto small = pool.allocate(50).value();
  EXPECT_EQ(pool.pin(pinned), at(100));
  ASSERT_TRUE(pool.free(first));
  const auto report = pool.compact()->report;
  pool.finish();
  EXPECT_EQ(report.blocks_pinned, 1U);
  EXPECT_EQ(place_of(pool, large), at(200)) << "it fits nowhere below";
  EXPECT_EQ(place_of(pool, small), at(0)) << "it fits before the pinned one";
  EXPECT_EQ(place_of(pool, pinned), at(100));
  ASSERT_TRUE(pool.unpin(pinned));
  EXPECT_EQ(pool.compact()->report.blocks_pinned, 0U);
  EXPECT_EQ(place_of(pool, pinned), at(50));
}

TEST(MovablePool, WhatAMoveLeavesIsGivenOutWhenItWasMade) {
  movable_pool pool({base, 300}, 10);
  const auto first = pool.allocate(100).value();
  const auto second = pool.allocate(200).value();
  ASSERT_TRUE(pool.free(first));
  ASSERT_TRUE(pool.compact());
  EXPECT_TRUE(pool.is_moving());
  EXPECT_FALSE(pool.allocate(100)) << "the bytes are still read there";
  EXPECT_EQ(pool.compact().error().code, fault_code::not_complete);
  ASSERT_TRUE(pool.free(second));
  EXPECT_FALSE(pool.allocate(100)) << "and written there";
  EXPECT_TRUE(pool.is_consistent());
  pool.finish();
  EXPECT_TRUE(pool.allocate(300));
}

TEST(MovablePool, APinnedBlockIsFreedWhenItIsUnpinned) {
  movable_pool pool({base, 300}, 10);
  const auto block = pool.allocate(300).value();
  ASSERT_TRUE(pool.pin(block));
  ASSERT_TRUE(pool.pin(block));
  ASSERT_TRUE(pool.free(block));
  EXPECT_FALSE(pool.free(block)) << "a second free";
  EXPECT_FALSE(pool.pin(block));
  EXPECT_FALSE(pool.allocate(10));
  ASSERT_TRUE(pool.unpin(block));
  ASSERT_TRUE(pool.unpin(block));
  EXPECT_FALSE(pool.unpin(block));
  EXPECT_TRUE(pool.allocate(300));
}

TEST(MovablePool, RefusesWhatItCannotHave) {
  movable_pool pool({base, 300}, 10);
  EXPECT_EQ(pool.allocate(0).error().code, fault_code::invalid_argument);
  EXPECT_EQ(pool.allocate(301).error().code, fault_code::invalid_argument);
  EXPECT_EQ(pool.free(movable_id{7}).error().code, fault_code::unknown_address);
  EXPECT_EQ(pool.unpin(pool.allocate(1).value()).error().code, fault_code::invalid_argument);
  const auto refused = pool.allocate(300);
  EXPECT_EQ(refused.error().code, fault_code::out_of_memory);
  EXPECT_THAT(refused.error().text, testing::HasSubstr("compacting may make a larger one"));
}

TEST(MovablePool, LargeBlocksAreWholeGranulesAndMoveByMapping) {
  movable_pool pool({base, 10 * granule_bytes}, 64);
  const auto small = pool.allocate(64).value();
  const auto first = pool.allocate(granule_bytes + 1).value();
  const auto second = pool.allocate(granule_bytes).value();
  EXPECT_EQ(place_of(pool, first), at(granule_bytes));
  EXPECT_EQ(place_of(pool, second), at(3 * granule_bytes));
  ASSERT_TRUE(pool.free(first));
  ASSERT_TRUE(pool.free(small));
  const auto plan = pool.compact().value();
  ASSERT_EQ(plan.moves.size(), 1U);
  EXPECT_EQ(plan.report.bytes_mapped, granule_bytes);
  EXPECT_EQ(plan.report.bytes_copied, 0U);
  EXPECT_EQ(plan.moves[0].to, base);
}

// Random programs over a shadow of the memory: each block keeps its bytes through all moves.
RC_GTEST_PROP(MovablePool, KeepsEveryByteInRandomPrograms, ()) {
  constexpr std::uint64_t bytes = 64 * 100;
  std::vector<std::uint32_t> memory(bytes / 64);  // one word for each unit
  movable_pool pool({base, bytes}, 64);
  std::map<movable_id, std::uint64_t> live;  // and its units
  std::map<movable_id, address> pinned;
  const auto words = [&](address place) {
    return memory.begin() + static_cast<std::ptrdiff_t>((place - base) / 64);
  };
  std::vector<block_move> pending;
  const auto finish = [&] {
    for (const auto& move : pending) {
      std::vector<std::uint32_t> held(words(move.from), words(move.from + move.bytes));
      std::copy(held.begin(), held.end(), words(move.to));
    }
    pending.clear();
    pool.finish();
  };
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint8_t, std::uint8_t>>>(
      rc::gen::arbitrary<std::pair<std::uint8_t, std::uint8_t>>());
  for (const auto& [what, amount] : steps) {
    const auto chosen = live.empty()
                            ? live.end()
                            : std::next(live.begin(), static_cast<std::ptrdiff_t>(amount % live.size()));
    if (what % 8 < 4) {
      const auto units = amount % 12 + 1U;
      if (const auto block = pool.allocate(units * 64 - amount % 64)) {
        const auto place = place_of(pool, *block);
        std::fill(words(place), words(place + units * 64), static_cast<std::uint32_t>(*block));
        live.emplace(*block, units);
      }
    } else if (what % 8 == 4 && chosen != live.end() && !pinned.contains(chosen->first)) {
      RC_ASSERT(pool.free(chosen->first).has_value());
      live.erase(chosen);
    } else if (what % 8 == 5 && chosen != live.end()) {
      if (const auto pin = pinned.find(chosen->first); pin != pinned.end()) {
        RC_ASSERT(pool.unpin(pin->first).has_value());
        pinned.erase(pin);
      } else {
        pinned.emplace(chosen->first, pool.pin(chosen->first).value());
      }
    } else if (what % 8 == 6 && !pool.is_moving()) {
      auto plan = pool.compact().value();
      RC_ASSERT(plan.report.blocks_pinned == pinned.size());
      for (const auto& move : plan.moves) {
        RC_ASSERT(move.to < move.from);
      }
      pending = std::move(plan.moves);
    } else {
      finish();
      for (const auto& [block, units] : live) {
        const auto place = place_of(pool, block);
        RC_ASSERT(std::all_of(words(place), words(place + units * 64), [id = block](std::uint32_t word) {
          return word == static_cast<std::uint32_t>(id);
        }));
      }
    }
    RC_ASSERT(pool.is_consistent());
    for (const auto& [block, place] : pinned) {
      RC_ASSERT(place_of(pool, block) == place);
    }
  }
}

// -- mapping ------------------------------------------------------------------------------------------------

class GranuleMap : public testing::Test {
protected:
  static constexpr std::uint64_t count = 4;
  void SetUp() override {
    ASSERT_TRUE(backing_->hold(whole_));
    for (std::uint64_t place = 0; place < count; ++place) {
      word(place) = place + 1;
    }
  }
  std::uint64_t& word(std::uint64_t place) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the memory under test
    return *reinterpret_cast<std::uint64_t*>(number(granule(place)));
  }
  [[nodiscard]] address granule(std::uint64_t place) const { return whole_.begin + place * granule_bytes; }

  std::unique_ptr<backing> backing_ =
      std::move(backing::reserve(64 * granule_bytes, 64 * granule_bytes).value());
  range whole_{backing_->addresses().begin + granule_bytes, count* granule_bytes};
  granule_map map_{whole_, backing_->file_of(whole_).first, backing_->file_of(whole_).second};
};

TEST_F(GranuleMap, ExchangesWhatGranulesHold) {
  ASSERT_TRUE(map_.exchange(granule(0), granule(2)));
  ASSERT_TRUE(map_.exchange(granule(2), granule(3)));
  EXPECT_EQ(word(0), 3U);
  EXPECT_EQ(word(1), 2U);
  EXPECT_EQ(word(2), 4U);
  EXPECT_EQ(word(3), 1U);
  word(3) = 5;
  EXPECT_EQ(word(0), 3U) << "no granule is in two places";
  ASSERT_TRUE(map_.restore());
  for (std::uint64_t place = 0; place < count; ++place) {
    EXPECT_EQ(word(place), place == 0 ? 5 : place + 1) << place;
  }
  ASSERT_TRUE(backing_->release(whole_));
}

TEST_F(GranuleMap, ARefusalLeavesBothAsTheyWere) {
  for (const int nth : {1, 2}) {
    support::failing_system system({system_request::addresses}, nth);
    EXPECT_FALSE(map_.exchange(granule(0), granule(1)));
    EXPECT_EQ(system.failed(), 1);
    EXPECT_EQ(word(0), 1U);
    EXPECT_EQ(word(1), 2U);
    word(0) = 9;
    EXPECT_EQ(word(1), 2U);
    word(0) = 1;
  }
  EXPECT_TRUE(map_.exchange(granule(0), granule(1)));
}

TEST_F(GranuleMap, WhatCannotBeBroughtBackIsTold) {
  ASSERT_TRUE(map_.exchange(granule(0), granule(1)));
  {
    const support::failing_system system({system_request::addresses}, 2);
    EXPECT_FALSE(map_.restore());
  }
  EXPECT_TRUE(map_.restore());
  EXPECT_EQ(word(0), 1U);
}

}  // namespace
