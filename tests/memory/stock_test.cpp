#include "memory/stock.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace soma::memory;
using holding = stock::holding;

constexpr stocked_block block(std::uint64_t begin, std::uint64_t bytes, std::uint64_t freed) {
  return {address{begin}, bytes, bytes, sequence_number{freed}};
}

std::vector<std::uint64_t> begins(const std::vector<stocked_block>& blocks) {
  std::vector<std::uint64_t> found;
  for (const auto& each : blocks) {
    found.push_back(number(each.begin));
  }
  return found;
}

using numbers = std::vector<std::uint64_t>;

TEST(Stock, GivesOutTheBlockThatWasFreedLast) {
  stock held;
  held.add(block(1000, 512, 1));
  held.add(block(2000, 512, 2));
  EXPECT_EQ(held.take(512), address{2000});
  EXPECT_EQ(held.take(512), address{1000});
  EXPECT_EQ(held.take(512), address::null);
}

TEST(Stock, ServesOnlyWhatWasAskedForTheBlock) {
  stock held;
  held.add({address{1000}, 512, 400, sequence_number{1}});
  EXPECT_EQ(held.take(512), address::null);
  EXPECT_EQ(held.take(401), address::null);
  EXPECT_EQ(held.take(0), address::null);
  EXPECT_EQ(held.take(400), address{1000});
}

TEST(Stock, KnowsWhatIsLiveAndWhatIsIdle) {
  stock held;
  held.add(block(1000, 512, 1));
  EXPECT_EQ(held.find(address{1000}), holding::idle);
  EXPECT_EQ(held.find(address{1512}), holding::nothing);
  held.take(512);
  EXPECT_EQ(held.find(address{1000}), holding::live);
  EXPECT_TRUE(held.put_back(address{1000}, sequence_number{2}));
  EXPECT_FALSE(held.put_back(address{1000}, sequence_number{3}));
  EXPECT_FALSE(held.put_back(address{1512}, sequence_number{3}));
  EXPECT_EQ(held.find(address{1000}), holding::idle);
}

TEST(Stock, OffersTheSmallestThatFitsThenTheLowest) {
  stock held;
  held.add(block(5000, 1024, 1));
  held.add(block(3000, 1024, 2));
  held.add(block(4000, 1024, 3));
  held.add(block(1000, 2048, 4));
  held.add(block(100, 512, 5));
  EXPECT_EQ(held.offer(600)->begin, address{3000});
  EXPECT_EQ(held.offer(1025)->begin, address{1000});
  EXPECT_FALSE(held.offer(2049).has_value());
}

TEST(Stock, LosesWhatWasOfferedOnceThatIsTaken) {
  stock held;
  held.add(block(5000, 1024, 1));
  held.add(block(3000, 1024, 2));
  held.add(block(4000, 1024, 3));
  static_cast<void>(held.offer(1000));
  EXPECT_EQ(held.report().bytes, 3072U);
  held.reported(true);
  EXPECT_EQ(held.count(), 2U);
  EXPECT_EQ(held.bytes(), 2048U);
  EXPECT_EQ(held.find(address{3000}), holding::nothing);
  EXPECT_EQ(held.take(1024), address{4000});
  EXPECT_EQ(held.take(1024), address{5000});
}

TEST(Stock, KeepsAnOfferThatIsNotTaken) {
  stock held;
  held.add(block(1000, 512, 1));
  static_cast<void>(held.offer(512));
  held.reported(false);
  held.reported(true);
  EXPECT_EQ(held.take(512), address{1000});
}

TEST(Stock, ReportsWhatItServedAndHowLittleWasLeft) {
  stock held;
  EXPECT_EQ(held.report().served, 0U);
  EXPECT_EQ(held.report().least_bytes, stock_report::nothing);
  held.add({address{1000}, 512, 500, sequence_number{1}});
  held.add({address{2000}, 1024, 1000, sequence_number{2}});
  EXPECT_EQ(held.take(1000), address{2000});
  EXPECT_TRUE(held.put_back(address{2000}, sequence_number{3}));
  const auto told = held.report();
  EXPECT_EQ(told.served, 1U);
  EXPECT_EQ(told.least_bytes, 512U);
  EXPECT_EQ(told.least_requested, 500U);
  EXPECT_EQ(told.bytes, 1536U);
  EXPECT_EQ(told.requested, 1500U);
  held.reported(false);
  EXPECT_EQ(held.report().served, 0U);
  EXPECT_EQ(held.report().least_bytes, stock_report::nothing);
  EXPECT_EQ(held.report().bytes, 1536U);
}

TEST(Stock, GivesTheOldestBack) {
  stock held;
  const auto count = 2 * stock::returned_at_once;
  for (std::uint64_t each = 0; each < count; ++each) {
    held.add(block(1000 * (each + 1), each % 2 == 0 ? 512 : 1024, each + 1));
  }
  const auto oldest = held.take_oldest();
  EXPECT_EQ(oldest.size(), stock::returned_at_once);
  for (const auto& each : oldest) {
    EXPECT_LE(number(each.freed), stock::returned_at_once);
    EXPECT_EQ(held.find(each.begin), holding::nothing);
  }
  EXPECT_EQ(held.count(), count - stock::returned_at_once);
  EXPECT_EQ(held.take_oldest().size(), stock::returned_at_once);
  EXPECT_TRUE(held.take_oldest().empty());
  EXPECT_EQ(held.bytes(), 0U);
}

TEST(Stock, GivesAllBackByTheOrderOfTheFrees) {
  stock held;
  held.add(block(3000, 512, 1));
  held.add(block(1000, 1024, 2));
  held.add(block(2000, 512, 3));
  held.take(1024);
  EXPECT_EQ(begins(held.take_idle()), (numbers{3000, 2000}));
  EXPECT_EQ(held.count(), 0U);
  EXPECT_EQ(held.bytes(), 0U);
  EXPECT_EQ(held.find(address{2000}), holding::nothing);
  EXPECT_EQ(held.report().served, 0U);  // that was told
}

TEST(Stock, KeepsLiveBlocksWhenItGivesAllBack) {
  stock held;
  held.add(block(1000, 1024, 1));
  held.take(1024);
  EXPECT_TRUE(held.take_idle().empty());
  EXPECT_TRUE(held.has_live());
  EXPECT_TRUE(held.put_back(address{1000}, sequence_number{2}));
  EXPECT_FALSE(held.has_live());
  EXPECT_EQ(held.take(1024), address{1000});
}

TEST(Stock, HasABlockThatIsLiveFromTheStart) {
  stock held;
  held.add_live({address{1000}, 512}, 400);
  EXPECT_EQ(held.find(address{1000}), holding::live);
  EXPECT_EQ(held.count(), 0U);
  EXPECT_EQ(held.take(400), address::null);
  EXPECT_TRUE(held.put_back(address{1000}, sequence_number{3}));
  EXPECT_EQ(held.bytes(), 512U);
  EXPECT_EQ(held.requested(), 400U);
  EXPECT_EQ(held.take(400), address{1000});
}

TEST(Stock, ForgetsALiveBlockAndSaysWhichTaskFreedItLast) {
  stock held;
  held.add_live({address{1000}, 512}, 512);
  held.add(block(2000, 512, 7));
  held.take(512);
  EXPECT_EQ(held.forget_live(address{1000}), sequence_number::none);
  EXPECT_EQ(held.forget_live(address{2000}), sequence_number{7});
  EXPECT_EQ(held.find(address{1000}), holding::nothing);
  EXPECT_FALSE(held.has_live());
}

// Against a list that is searched, with ever new sizes, so that classes come and go; now and then it is
// collected.
TEST(Stock, DoesAsAListDoes) {
  std::mt19937_64 random(7);
  stock held;
  std::vector<stocked_block> idle;  // by rising sequence
  std::map<std::uint64_t, stocked_block> live;
  std::uint64_t sequence = 0;
  std::uint64_t next_begin = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t size = 512 * (1 + random() % 10 + static_cast<std::uint64_t>(step) / 50);
    if (step % 777 == 776) {
      const auto all = held.take_idle();
      ASSERT_TRUE(std::equal(
          all.begin(), all.end(), idle.begin(), idle.end(), [](const auto& one, const auto& other) {
            return one.begin == other.begin && one.bytes == other.bytes && one.freed == other.freed;
          }));
      idle.clear();
    }
    switch (random() % 6) {
    case 5: {
      const range made{address{next_begin += 1'000'000}, size};
      held.add_live(made, size);
      live[number(made.begin)] = {made.begin, size, size, sequence_number::none};
      break;
    }
    case 0: {
      const auto made = block(next_begin += 1'000'000, size, ++sequence);
      held.add(made);
      idle.push_back(made);
      break;
    }
    case 1:
    case 2: {
      const auto last =
          std::find_if(idle.rbegin(), idle.rend(), [&](const auto& each) { return each.requested == size; });
      const auto got = held.take(size);
      ASSERT_EQ(got, last == idle.rend() ? address::null : last->begin);
      if (last != idle.rend()) {
        live[number(got)] = *last;
        idle.erase(std::next(last).base());
      }
      break;
    }
    case 3:
      if (!live.empty()) {
        auto freed = live.begin()->second;
        live.erase(live.begin());
        freed.freed = sequence_number{++sequence};
        ASSERT_TRUE(held.put_back(freed.begin, freed.freed));
        idle.push_back(freed);
      }
      break;
    default:
      if (idle.size() > 40) {
        const auto oldest = held.take_oldest();
        ASSERT_EQ(oldest.size(), std::min(stock::returned_at_once, idle.size()));
        idle.erase(idle.begin(), idle.begin() + static_cast<std::ptrdiff_t>(oldest.size()));
      }
    }
    ASSERT_EQ(held.count(), idle.size());
    for (const auto& each : idle) {
      ASSERT_EQ(held.find(each.begin), holding::idle);
    }
  }
}

}  // namespace
