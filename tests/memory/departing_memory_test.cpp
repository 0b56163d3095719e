// When memory that was moved away goes back to the system.

#include "memory/departing_memory.hpp"

#include <cstdint>

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

position at(std::uint64_t stream, std::uint64_t sequence) {
  return {stream_id{stream}, sequence_number{sequence}};
}

TEST(DepartingMemory, WhatNobodyMayTouchIsDueAtOnce) {
  departing_memory departing;
  departing.add(granules(3, 2), {});
  departing.add(granules(1, 2), {});
  EXPECT_THAT(departing.due(), ElementsAre(granules(1, 4))) << "neighbours together";
  EXPECT_FALSE(departing.is_awaited());
  departing.gone(granules(1, 4));
  EXPECT_TRUE(departing.empty());
}

TEST(DepartingMemory, AGranuleWaitsForAllFreesOfWhatWasInIt) {
  departing_memory departing;
  departing.add(granules(0, 1), {at(1, 4), at(2, 7)});
  departing.executed(at(1, 3));
  departing.executed(at(2, 9));
  EXPECT_THAT(departing.due(), IsEmpty());
  EXPECT_TRUE(departing.is_awaited());
  EXPECT_THAT(departing.all(), ElementsAre(granules(0, 1)));
  departing.executed(at(1, 4));
  EXPECT_THAT(departing.due(), ElementsAre(granules(0, 1)));
}

TEST(DepartingMemory, WhatTheHostHasSeenHasBeenExecuted) {
  departing_memory departing;
  departing.add(granules(0, 1), {at(1, 4), at(2, 7)});
  order_clock seen;
  seen.add(at(1, 5));
  seen.add(at(2, 7));
  departing.executed(seen);
  EXPECT_THAT(departing.due(), ElementsAre(granules(0, 1)));
}

TEST(DepartingMemory, WhatIsKeptIsNotDueLater) {
  departing_memory departing;
  departing.add(granules(0, 2), {at(1, 4)});
  departing.keep(granules(0, 1));
  EXPECT_FALSE(departing.contains(granules(0, 1).begin));
  EXPECT_TRUE(departing.contains(granules(1, 1).begin));
  departing.executed(at(1, 4));
  EXPECT_THAT(departing.due(), ElementsAre(granules(1, 1)));
}

TEST(DepartingMemory, AGranuleThatWasKeptMayDepartAgainForAnotherFree) {
  departing_memory departing;
  departing.add(granules(0, 1), {at(1, 4)});
  departing.keep(granules(0, 1));
  departing.add(granules(0, 1), {at(1, 8)});
  departing.executed(at(1, 4));
  EXPECT_THAT(departing.due(), IsEmpty());
  departing.executed(at(1, 8));
  EXPECT_THAT(departing.due(), ElementsAre(granules(0, 1)));
}

TEST(DepartingMemory, WhatTheSystemRefusesStaysDue) {
  departing_memory departing;
  departing.add(granules(0, 1), {});
  departing.add(granules(4, 1), {});
  departing.gone(granules(4, 1));
  EXPECT_THAT(departing.due(), ElementsAre(granules(0, 1)));
}

}  // namespace
