// The place for one answer that a thread waits for.

#include <chrono>
#include <future>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "actors/slot.hpp"
#include "support/gate.hpp"

namespace {

using soma::actors::slot;
using steady = std::chrono::steady_clock;
using support::patience;
using support::short_wait;

TEST(Slot, IsEmptyAtFirst) {
  const slot<int> place;
  EXPECT_FALSE(place.filled());
}

TEST(Slot, HoldsWhatItWasFilledWith) {
  slot<std::string> place;
  place.fill("seven");
  ASSERT_TRUE(place.filled());
  EXPECT_TRUE(place.wait_until({}));
  EXPECT_EQ(place.take().value(), "seven");
}

TEST(Slot, HoldsAFault) {
  slot<int> place;
  place.fill(soma::memory::failed(soma::memory::fault_code::actor_gone, "it is gone"));
  EXPECT_EQ(place.take().error().code, soma::messages::fault_code::actor_gone);
}

TEST(Slot, WakesTheThreadThatWaits) {
  slot<int> place;
  std::promise<void> waiting;
  auto got = std::async(std::launch::async, [&] {
    waiting.set_value();
    return place.wait_until(steady::now() + patience) ? place.take().value() : 0;
  });
  waiting.get_future().wait();
  place.fill(7);
  EXPECT_EQ(got.get(), 7);
}

TEST(Slot, LosesNoFillInARace) {
  for (int round = 0; round < 2000; ++round) {
    slot<int> place;
    std::thread filler([&] { place.fill(round); });
    const bool filled = place.wait_until(steady::now() + patience);
    filler.join();
    ASSERT_TRUE(filled);
    ASSERT_EQ(place.take().value(), round);
  }
}

TEST(Slot, StopsWaitingAtTheDeadline) {
  slot<int> place;
  const auto limit = steady::now() + short_wait;
  EXPECT_FALSE(place.wait_until(limit));
  EXPECT_GE(steady::now(), limit);
}

TEST(Slot, DoesNotWaitForADeadlineThatIsOver) {
  slot<int> place;
  EXPECT_FALSE(place.wait_until(steady::now() - std::chrono::seconds(1)));
}

TEST(Slot, TakesAFillAfterTheDeadline) {
  slot<int> place;
  ASSERT_FALSE(place.wait_until(steady::now() + short_wait));
  place.fill(7);
  EXPECT_TRUE(place.wait_until(steady::now() + patience));
  EXPECT_EQ(place.take().value(), 7);
}

// Such a deadline is what adding a very long time to now gives.
TEST(Slot, TakesTheEarliestDeadlineForOver) {
  slot<int> place;
  auto waited = std::async(std::launch::async, [&] { return place.wait_until(steady::time_point::min()); });
  const bool returned = waited.wait_for(std::chrono::seconds(2)) == std::future_status::ready;
  EXPECT_TRUE(returned);
  if (!returned) {
    place.fill(0);  // so that the test ends
  }
  EXPECT_EQ(waited.get(), !returned);
}

TEST(Slot, WaitsForTheLatestDeadline) {
  slot<int> place;
  std::promise<void> waiting;
  auto waited = std::async(std::launch::async, [&] {
    waiting.set_value();
    return place.wait_until(steady::time_point::max());
  });
  waiting.get_future().wait();
  EXPECT_EQ(waited.wait_for(short_wait), std::future_status::timeout);
  place.fill(7);
  EXPECT_TRUE(waited.get());
}

}  // namespace
