// The division of the addresses: whole slots, nothing shared, and room enough for each use.

#include "memory/layout.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "memory/sizes.hpp"
#include "memory/window_list.hpp"

namespace {

using namespace soma::memory;

constexpr address base{std::uint64_t{1} << 40};
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

std::vector<range> parts_of(const device_layout& layout) { return {layout.plain, layout.host, layout.pools}; }

TEST(Layout, TheLeastRangeHasASlotForEachUse) {
  const range addresses{base, least_device_range()};
  const auto layout = plan_device(addresses, 0, 1, 64 * gibibyte);
  EXPECT_EQ(layout.plain.bytes, slot_bytes);
  EXPECT_EQ(layout.host.bytes, slot_bytes);
  EXPECT_GE(layout.pools.bytes, slot_bytes);
  EXPECT_EQ(layout.whole(), addresses);
}

TEST(Layout, ALargeRangeGivesMoreAddressesThanMemory) {
  constexpr std::uint64_t memory = 4 * gibibyte;
  const auto layout = plan_device({base, 1024 * gibibyte}, 0, 1, memory);
  EXPECT_GT(layout.plain.bytes, memory);
  EXPECT_LE(layout.plain.bytes, 4 * memory) << "plain memory needs no more";
  EXPECT_GT(layout.host.bytes, slot_bytes);
  EXPECT_GT(layout.pools.bytes, 8 * memory);
}

RC_GTEST_PROP(LayoutProperties, PartsAreWholeSlotsDisjointAndInside, ()) {
  const auto devices = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto memory = *rc::gen::inRange<std::uint64_t>(1, 100 * gibibyte);
  const auto spare = *rc::gen::inRange<std::uint64_t>(0, 4096 * gibibyte);
  const range addresses{base, devices * least_device_range() + round_down(spare, granule_bytes)};
  auto free_from = addresses.begin;
  for (std::uint32_t index = 0; index < devices; ++index) {
    const auto layout = plan_device(addresses, index, devices, memory);
    for (const auto part : parts_of(layout)) {
      RC_ASSERT(part.bytes > 0U);
      RC_ASSERT(part.bytes % slot_bytes == 0U);
      RC_ASSERT((part.begin - addresses.begin) % slot_bytes == 0U);
      RC_ASSERT(part.begin >= free_from);
      free_from = part.end();
    }
    RC_ASSERT(layout.whole() == (range{layout.plain.begin, layout.pools.end() - layout.plain.begin}));
    if (addresses.bytes >= 8 * round_up(memory, slot_bytes) * devices) {
      RC_ASSERT(layout.plain.bytes >= memory);
      RC_ASSERT(layout.pools.bytes >= memory);
    }
  }
  RC_ASSERT(free_from <= addresses.end());
}

}  // namespace
