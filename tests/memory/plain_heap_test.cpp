// The heap without stream order: sizes, reuse, frees at once and announced, and what can be given back.

#include "memory/plain_heap.hpp"

#include <cstdint>
#include <limits>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/sizes.hpp"

namespace {

using namespace soma::memory;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr address base{64 * granule_bytes};

constexpr range granules(std::uint64_t first, std::uint64_t count) {
  return {base + first * granule_bytes, count * granule_bytes};
}

template <class T>
void expect_unknown(const result<T>& answer) {
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, fault_code::unknown_address);
  EXPECT_FALSE(answer.error().text.empty());
}

class PlainHeap : public testing::Test {
protected:
  void TearDown() override { EXPECT_EQ(heap_.index().broken_invariant(), std::nullopt); }

  /// Allocates as a device does: from what is there, or else from new memory.
  range allocate(std::uint64_t asked) {
    const auto rounded = plain_heap::block_bytes(asked).value();
    if (const auto found = heap_.reuse(asked, rounded)) {
      return *found;
    }
    return heap_.grow(heap_.plan_growth(rounded).value(), asked);
  }

  plain_heap heap_{granules(0, 4)};
};

TEST_F(PlainHeap, BlocksAreMultiplesOf512Bytes) {
  EXPECT_EQ(plain_heap::block_bytes(1), 512U);
  EXPECT_EQ(plain_heap::block_bytes(512), 512U);
  EXPECT_EQ(plain_heap::block_bytes(513), 1024U);
}

TEST_F(PlainHeap, SizesThatCannotBeAreRefused) {
  for (const auto bytes : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
    const auto rounded = plain_heap::block_bytes(bytes);
    ASSERT_FALSE(rounded);
    EXPECT_EQ(rounded.error().code, fault_code::invalid_argument);
  }
}

TEST_F(PlainHeap, MemoryIsTakenByTheGranuleAndSharedBySmallBlocks) {
  EXPECT_EQ(allocate(1000), (range{base, 1024}));
  EXPECT_EQ(heap_.reserved(), granule_bytes);
  EXPECT_EQ(allocate(1), (range{base + 1024, 512}));
  EXPECT_EQ(heap_.reserved(), granule_bytes);
  EXPECT_EQ(heap_.index().requested_bytes(), 1001U);
}

TEST_F(PlainHeap, WhatIsFreedIsFreeForAll) {
  const auto block = allocate(granule_bytes);
  ASSERT_TRUE(heap_.free(block.begin));
  EXPECT_EQ(heap_.index().busy_bytes(), 0U);
  EXPECT_EQ(allocate(granule_bytes), block);
}

TEST_F(PlainHeap, ASecondFreeIsRefusedAndChangesNothing) {
  const auto block = allocate(600);
  ASSERT_TRUE(heap_.free(block.begin));
  expect_unknown(heap_.free(block.begin));
  expect_unknown(heap_.begin_free(block.begin));
  EXPECT_EQ(heap_.index().idle_bytes(), granule_bytes);
}

TEST_F(PlainHeap, OnlyTheFirstAddressOfABlockCanBeFreed) {
  const auto block = allocate(2048);
  expect_unknown(heap_.free(block.begin + 512));
  expect_unknown(heap_.free(block.begin + 1));
  expect_unknown(heap_.free(block.end()));
  expect_unknown(heap_.free(address::null));
  EXPECT_EQ(heap_.index().busy_bytes(), 2048U);
}

TEST_F(PlainHeap, AnAnnouncedFreeKeepsTheBlockUntilItIsCarriedOut) {
  const auto block = allocate(granule_bytes);
  ASSERT_TRUE(heap_.begin_free(block.begin));
  EXPECT_EQ(heap_.reuse(granule_bytes, granule_bytes), std::nullopt);
  EXPECT_THAT(heap_.releasable(), IsEmpty());
  heap_.end_free(block.begin);
  EXPECT_THAT(heap_.releasable(), ElementsAre(block));
}

TEST_F(PlainHeap, NobodyElseFreesABlockWhoseFreeIsAnnounced) {
  const auto block = allocate(512);
  ASSERT_TRUE(heap_.begin_free(block.begin));
  expect_unknown(heap_.begin_free(block.begin));
  expect_unknown(heap_.free(block.begin));
  heap_.end_free(block.begin);
  expect_unknown(heap_.free(block.begin));
}

TEST_F(PlainHeap, ABlockAtAnAddressFreedByAnnouncementCanBeFreedAgain) {
  const auto first = allocate(512);
  ASSERT_TRUE(heap_.begin_free(first.begin));
  heap_.end_free(first.begin);
  const auto second = allocate(512);
  ASSERT_EQ(second.begin, first.begin);
  EXPECT_TRUE(heap_.begin_free(second.begin));
  heap_.end_free(second.begin);
}

TEST_F(PlainHeap, OnlyGranulesWithoutABlockAreGivenBack) {
  const auto low = allocate(granule_bytes + 512);
  const auto high = allocate(granule_bytes);
  ASSERT_EQ(high.begin, low.end()) << "it starts in the rest of the second granule";
  ASSERT_TRUE(heap_.free(high.begin));
  EXPECT_THAT(heap_.releasable(), ElementsAre(granules(2, 1)));
  heap_.released(granules(2, 1));
  EXPECT_EQ(heap_.reserved(), 2 * granule_bytes);
  EXPECT_THAT(heap_.releasable(), IsEmpty());
  ASSERT_TRUE(heap_.free(low.begin));
  EXPECT_THAT(heap_.releasable(), ElementsAre(granules(0, 2)));
}

TEST_F(PlainHeap, AFullWindowHasNoPlace) {
  allocate(4 * granule_bytes);
  EXPECT_FALSE(heap_.plan_growth(512));
  EXPECT_FALSE(plain_heap(granules(0, 1)).plan_growth(granule_bytes + 512));
}

}  // namespace
