// The compactor through the C++ interface: bytes follow their blocks, in the order of a stream, whatever
// becomes of that stream.

#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/cpp_fixture.hpp"

namespace {

using soma::errc;
using support::failed_with;
using support::must;

class Compactor : public support::cpp_fixture {
protected:
  static constexpr std::size_t mib = std::size_t{1} << 20;

  static void write(const soma::movable_block& block, int value) {
    const auto pinned = must(block.pin());
    std::memset(pinned.data(), value, pinned.bytes());
  }
  static bool reads(const soma::movable_block& block, std::uint8_t value) {
    const auto pinned = must(block.pin());
    return support::all_bytes_are(static_cast<const std::uint8_t*>(pinned.data()), pinned.bytes(), value);
  }
  static std::uintptr_t place_of(const soma::movable_block& block) {
    return reinterpret_cast<std::uintptr_t>(must(block.pin()).data());
  }
};

TEST_F(Compactor, BytesFollowTheirBlocks) {
  auto pool = must(soma::compactor::create(device_, mib));
  std::vector<std::optional<soma::movable_block>> blocks;
  for (int number = 0; number < 10; ++number) {
    blocks.emplace_back(must(pool.allocate(100'000)));
    write(*blocks.back(), number + 1);
  }
  for (const std::size_t number : {0U, 2U, 4U, 6U, 8U}) {
    blocks[number].reset();
  }
  EXPECT_TRUE(failed_with(pool.allocate(500'000), errc::out_of_memory));
  EXPECT_GT(must(pool.statistics()).fragmentation(), 0.5);
  const auto report = must(pool.compact(s1_));
  EXPECT_EQ(report.blocks_moved, 5U);
  EXPECT_EQ(report.bytes_copied, 5U * 100'032);
  EXPECT_EQ(report.bytes_mapped, 0U);
  EXPECT_GT(report.fragmentation_before, 0.5);
  EXPECT_EQ(report.fragmentation_after, 0);
  must(support::settle(s1_));
  EXPECT_EQ(must(pool.statistics()).fragmentation(), 0);
  for (const std::size_t number : {1U, 3U, 5U, 7U, 9U}) {
    EXPECT_TRUE(reads(*blocks[number], static_cast<std::uint8_t>(number + 1))) << number;
  }
  must(pool.allocate(500'000));
}

TEST_F(Compactor, WholeGranulesMoveByMapping) {
  auto pool = must(soma::compactor::create(device_, 20 * mib));
  std::optional first(must(pool.allocate(4 * mib)));
  auto second = must(pool.allocate(6 * mib));
  auto third = must(pool.allocate(4 * mib));
  write(second, 2);
  write(third, 3);
  first.reset();
  const auto report = must(pool.compact(s1_));
  EXPECT_EQ(report.bytes_mapped, 10 * mib);
  EXPECT_EQ(report.bytes_copied, 0U);
  must(support::settle(s1_));
  EXPECT_TRUE(reads(second, 2));
  EXPECT_TRUE(reads(third, 3));
  write(second, 5);
  EXPECT_TRUE(reads(third, 3));
  auto fourth = must(pool.allocate(10 * mib));
  write(fourth, 4);
  EXPECT_TRUE(reads(second, 5));
  EXPECT_TRUE(reads(third, 3));
}

TEST_F(Compactor, TheMoveIsATaskOfTheStream) {
  auto pool = must(soma::compactor::create(device_, mib));
  std::optional first(must(pool.allocate(1000)));
  auto second = must(pool.allocate(1000));
  auto* const old = must(second.pin()).data();
  support::gate gate;
  support::hold(s1_, gate);
  must(s1_.fill(old, 7, 1000));  // ahead of the move, at the old address
  first.reset();
  must(pool.compact(s1_));
  const auto pinned = must(second.pin());
  EXPECT_NE(pinned.data(), old) << "the new address is known at once";
  std::uint8_t seen = 0;
  must(s1_.copy(&seen, static_cast<std::uint8_t*>(pinned.data()) + 999, 1));
  EXPECT_TRUE(failed_with(pool.compact(s2_), errc::not_complete));
  gate.open();
  must(support::settle(s1_));
  EXPECT_EQ(seen, 7);
  EXPECT_EQ(must(pool.compact(s2_)).blocks_moved, 0U);
}

TEST_F(Compactor, PinnedBlocksStay) {
  auto pool = must(soma::compactor::create(device_, mib));
  std::optional first(must(pool.allocate(1000)));
  auto second = must(pool.allocate(1000));
  {
    const auto pinned = must(second.pin());
    first.reset();
    EXPECT_EQ(must(pool.compact(s1_)).blocks_pinned, 1U);
    EXPECT_EQ(must(second.pin()).data(), pinned.data());
  }
  EXPECT_EQ(must(pool.compact(s1_)).blocks_moved, 1U);
}

TEST_F(Compactor, AnAbortLosesNoByte) {
  auto pool = must(soma::compactor::create(device_, mib));
  std::optional first(must(pool.allocate(1000)));
  auto second = must(pool.allocate(1000));
  write(second, 9);
  first.reset();
  support::gate gate;
  support::hold(s1_, gate);
  must(pool.compact(s1_));
  std::thread opener([&] { gate.open(); });
  static_cast<void>(s1_.abort());
  opener.join();
  static_cast<void>(support::settle(s1_));
  EXPECT_TRUE(support::eventually([&] { return pool.compact(s2_).has_value(); }));
  EXPECT_TRUE(reads(second, 9));
}

TEST_F(Compactor, AStreamThatHasStoppedLosesNoByte) {
  auto stream = must(device_.create_stream({.on_failure = soma::failure_mode::stop}));
  must(stream.call([] { throw 1; }));
  EXPECT_FALSE(stream.synchronize());
  auto pool = must(soma::compactor::create(device_, mib));
  std::optional first(must(pool.allocate(1000)));
  auto second = must(pool.allocate(1000));
  write(second, 9);
  first.reset();
  must(pool.compact(stream));
  EXPECT_TRUE(support::eventually([&] { return pool.compact(s2_).has_value(); }));
  EXPECT_TRUE(reads(second, 9));
}

TEST_F(Compactor, MayBeDestroyedWhileItsMoveWaits) {
  auto pool = must(soma::compactor::create(device_, mib));
  std::optional first(must(pool.allocate(1000)));
  auto second = must(pool.allocate(1000));
  first.reset();
  support::gate gate;
  support::hold(s1_, gate);
  must(pool.compact(s1_));
  must(pool.destroy());
  EXPECT_FALSE(unused()) << "the memory is still moved";
  EXPECT_TRUE(failed_with(pool.destroy(), errc::invalid_handle));
  EXPECT_TRUE(failed_with(pool.allocate(1), errc::invalid_handle));
  EXPECT_TRUE(failed_with(second.pin(), errc::invalid_handle));
  gate.open();
  must(support::settle(s1_));  // TearDown looks whether the memory has gone back
}

TEST_F(Compactor, RefusesWhatMakesNoSense) {
  EXPECT_TRUE(failed_with(soma::compactor::create(device_, 63), errc::invalid_argument));
  EXPECT_TRUE(failed_with(soma::compactor::create(device_, ~std::size_t{0}), errc::invalid_argument));
  auto pool = must(soma::compactor::create(device_, mib));
  EXPECT_TRUE(failed_with(pool.allocate(0), errc::invalid_argument));
  EXPECT_TRUE(failed_with(pool.allocate(2 * mib), errc::invalid_argument));
  auto other = must(soma::runtime::create());
  auto foreign = must(must(other.get_device()).create_stream());
  EXPECT_TRUE(failed_with(pool.compact(foreign), errc::wrong_device));
  int outside = 0;
  EXPECT_TRUE(failed_with(pool.free_fixed(&outside), errc::unknown_address));
  auto block = must(pool.allocate(10));
  const auto pinned = must(block.pin());
  EXPECT_TRUE(failed_with(pool.free_fixed(pinned.data()), errc::unknown_address)) << "it is the object's";
  auto* const fixed = must(pool.allocate_fixed(10));
  must(pool.free_fixed(fixed));
  EXPECT_TRUE(failed_with(pool.free_fixed(fixed), errc::unknown_address));
}

// Threads allocate, write, check and free, and one of them compacts with everything else in order behind it.
TEST_F(Compactor, ThreadsShareIt) {
  auto pool = must(soma::compactor::create(device_, 4 * mib));
  constexpr int threads = 3;
  std::vector<std::thread> all;
  for (int number = 0; number < threads; ++number) {
    all.emplace_back([&, number] {
      std::mt19937 random(static_cast<unsigned>(number));
      for (int round = 0; round < 300; ++round) {
        auto block = pool.allocate(random() % 20'000 + 1);
        if (!block) {
          continue;
        }
        // From here on it stays; but what moved it before may still be writing to it.
        const auto pinned = must(block->pin());
        must(s1_.synchronize());
        std::memset(pinned.data(), number + 1, pinned.bytes());
        if (number == 0) {
          static_cast<void>(pool.compact(s1_));
        }
        ASSERT_TRUE(support::all_bytes_are(static_cast<const std::uint8_t*>(pinned.data()), pinned.bytes(),
                                           static_cast<std::uint8_t>(number + 1)));
      }
    });
  }
  for (auto& one : all) {
    one.join();
  }
  must(support::settle(s1_));
  EXPECT_EQ(must(pool.statistics()).live_blocks, 0U);
}

}  // namespace
