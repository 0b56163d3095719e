// Runtimes and devices: options, several side by side, parts that outlive the runtime object, and moves.

#include <optional>
#include <utility>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;

class Runtime : public cpp_fixture {};

TEST(RuntimeOptions, AreChecked) {
  EXPECT_TRUE(failed_with(soma::runtime::create({.devices = 0}), errc::invalid_argument));
  EXPECT_TRUE(failed_with(soma::runtime::create({.device_memory = 0}), errc::invalid_argument));
}

TEST(RuntimeOptions, DevicesAreNumbered) {
  const auto runtime = must(soma::runtime::create({.devices = 3, .device_memory = 4_M}));
  EXPECT_EQ(runtime.device_count(), 3U);
  for (std::uint32_t index = 0; index < 3; ++index) {
    EXPECT_EQ(must(runtime.get_device(index)).index(), index);
  }
  EXPECT_TRUE(failed_with(runtime.get_device(3), errc::no_such_device));
}

TEST(RuntimeOptions, DeviceMemoryIsRoundedUp) {
  const auto runtime = must(soma::runtime::create({.device_memory = 2_M + 1}));
  const auto memory = must(must(runtime.get_device()).memory());
  EXPECT_EQ(memory.total, 4_M);
  EXPECT_EQ(memory.free, 4_M);
}

TEST(RuntimeOptions, EachDeviceHasItsOwnMemory) {
  const auto runtime = must(soma::runtime::create({.devices = 2, .device_memory = 8_M}));
  auto first = must(runtime.get_device(0));
  auto second = must(runtime.get_device(1));
  void* block = must(first.malloc(8_M));
  EXPECT_EQ(must(first.memory()).free, 0U);
  EXPECT_EQ(must(second.memory()).free, 8_M);
  EXPECT_TRUE(succeeded(first.free(block)));
}

TEST(RuntimeOptions, OneEngineIsEnoughForTasksThatDoNotBlockEachOther) {
  const auto runtime = must(soma::runtime::create({.engine_limit = 1}));
  auto device = must(runtime.get_device());
  std::vector<witness> witnesses(20);
  std::vector<soma::stream> streams;
  for (const auto& seen_by : witnesses) {
    streams.push_back(must(device.create_stream()));
    call(streams.back(), seen_by);
  }
  EXPECT_TRUE(succeeded(device.synchronize_for(patience)));
  for (const auto& seen_by : witnesses) {
    EXPECT_TRUE(seen_by.ran());
  }
}

TEST(Runtimes, AreApart) {
  const auto first = must(soma::runtime::create({.device_memory = 8_M}));
  const auto second = must(soma::runtime::create({.device_memory = 8_M}));
  auto device1 = must(first.get_device());
  auto device2 = must(second.get_device());
  auto stream1 = must(device1.create_stream());
  auto stream2 = must(device2.create_stream());
  auto pool1 = must(device1.create_pool({.reuse = {.opportunistic = true}}));
  auto pool2 = must(device2.create_pool());
  void* block1 = must(pool1.malloc_async(8_M, stream1));
  void* block2 = must(pool2.malloc_async(8_M, stream2));
  EXPECT_TRUE(apart(block1, 8_M, block2, 8_M));
  gate held;
  hold(stream1, held);
  EXPECT_TRUE(succeeded(device2.synchronize_for(patience)));
  EXPECT_TRUE(failed_with(pool1.malloc_async(2_M, stream2), errc::wrong_device));
  EXPECT_TRUE(failed_with(pool2.free_async(block1, stream2), errc::unknown_address) ||
              failed_with(pool2.free_async(block1, stream2), errc::invalid_argument));
  EXPECT_EQ(must(pool1.statistics()).used, 8_M);
  EXPECT_EQ(first.locate(block1), soma::memory_location::device_pool);
  EXPECT_EQ(second.locate(block1), soma::memory_location::unknown);
  EXPECT_TRUE(succeeded(pool1.free_async(block1, stream1)));
  EXPECT_TRUE(succeeded(pool2.free_async(block2, stream2)));
}

TEST(Runtimes, StreamsOfAnotherDeviceAreRefused) {
  const auto runtime = must(soma::runtime::create({.devices = 2}));
  auto here = must(runtime.get_device(0));
  auto there = must(runtime.get_device(1));
  auto pool = must(here.create_pool());
  auto stream = must(there.create_stream());
  EXPECT_EQ(pool.device_index(), 0U);
  EXPECT_EQ(stream.device_index(), 1U);
  EXPECT_TRUE(failed_with(pool.malloc_async(2_M, stream), errc::wrong_device));
  EXPECT_EQ(must(pool.statistics()).used, 0U);
}

TEST(Runtimes, PartsOutliveTheObject) {
  std::optional<soma::runtime> runtime = must(soma::runtime::create());
  std::optional<soma::device> device = must(runtime->get_device());
  auto stream = must(device->create_stream());
  auto pool = must(device->create_pool());
  auto event = must(device->create_event());
  runtime.reset();
  void* block = must(pool.malloc_async(2_M, stream));
  EXPECT_TRUE(succeeded(stream.fill(block, 7, 2_M)));
  device.reset();
  EXPECT_TRUE(succeeded(stream.record(event)));
  EXPECT_TRUE(succeeded(pool.free_async(block, stream)));
  EXPECT_TRUE(succeeded(event.synchronize_for(patience)));
  EXPECT_TRUE(succeeded(settle(stream)));
  EXPECT_EQ(must(pool.statistics()).reserved, 0U);
}

TEST(Runtimes, TheEndWaitsForQueuedWork) {
  const witness last;
  {
    const auto runtime = must(soma::runtime::create());
    auto stream = must(must(runtime.get_device()).create_stream());
    for (int i = 0; i < 100; ++i) {
      call(stream, witness());
    }
    call(stream, last);
  }
  EXPECT_TRUE(last.ran());
}

TEST(Runtimes, StartAndEndManyTimes) {
  for (int i = 0; i < 20; ++i) {
    const auto runtime = must(soma::runtime::create());
    auto device = must(runtime.get_device());
    auto stream = must(device.create_stream());
    auto pool = must(device.create_pool());
    void* block = must(pool.malloc_async(2_M, stream));
    EXPECT_TRUE(succeeded(stream.fill(block, 1, 2_M)));
    EXPECT_TRUE(succeeded(pool.free_async(block, stream)));
  }
}

TEST_F(Runtime, LocatesPointers) {
  auto pool = make_pool({});
  void* block = must(pool.malloc_async(2_M, s1_));
  void* plain = must(device_.malloc(100));
  void* host = must(device_.malloc_host(100));
  int own = 0;
  EXPECT_EQ(runtime_.locate(block), soma::memory_location::device_pool);
  EXPECT_EQ(runtime_.locate(advance(block, 2_M - 1)), soma::memory_location::device_pool);
  EXPECT_EQ(runtime_.locate(plain), soma::memory_location::device);
  EXPECT_EQ(runtime_.locate(host), soma::memory_location::host);
  EXPECT_EQ(runtime_.locate(&own), soma::memory_location::unknown);
  EXPECT_EQ(runtime_.locate(nullptr), soma::memory_location::unknown);
  EXPECT_TRUE(succeeded(device_.free(plain)));
  EXPECT_TRUE(succeeded(device_.free_host(host)));
  EXPECT_TRUE(succeeded(pool.free_async(block, s1_)));
}

TEST_F(Runtime, PlainMemory) {
  EXPECT_TRUE(failed_with(device_.malloc(0), errc::invalid_argument));
  EXPECT_TRUE(failed_with(device_.malloc(~std::size_t{0}), errc::invalid_argument));
  EXPECT_TRUE(failed_with(device_.malloc(must(device_.memory()).total + 2_M), errc::out_of_memory));
  void* block = must(device_.malloc(1000));
  EXPECT_EQ(number(block) % 512, 0U);
  EXPECT_TRUE(failed_with(device_.free(advance(block, 512)), errc::unknown_address));
  EXPECT_TRUE(succeeded(device_.free(block)));
  // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the device's free is not the one of the C library
  EXPECT_TRUE(failed_with(device_.free(block), errc::unknown_address));
  void* host = must(device_.malloc_host(1000));
  EXPECT_EQ(number(host) % 512, 0U);
  EXPECT_TRUE(unused()) << "host memory is not the device's";
  EXPECT_TRUE(succeeded(device_.free_host(host)));
  EXPECT_TRUE(failed_with(device_.free_host(host), errc::unknown_address));
}

TEST_F(Runtime, PlainMemoryIsFreedByAStream) {
  void* plain = must(device_.malloc(4_M));
  gate held;
  hold(s1_, held);
  EXPECT_TRUE(failed_with(device_.free_async(nullptr, s1_), errc::invalid_argument));
  EXPECT_TRUE(succeeded(device_.free_async(plain, s1_)));
  EXPECT_TRUE(failed_with(device_.free_async(plain, s1_), errc::unknown_address));
  EXPECT_FALSE(unused());
  held.open();
  EXPECT_TRUE(succeeded(settle(s1_)));
  EXPECT_TRUE(unused());
}

TEST_F(Runtime, TheBudgetIsTheSumOfItsParts) {
  auto pool = make_pool({.release_threshold = keep_all});
  void* busy = must(pool.malloc_async(6_M, s1_));
  void* idle = must(pool.malloc_async(4_M, s1_));
  EXPECT_TRUE(succeeded(pool.free_async(idle, s1_)));
  const auto with_pool = must(device_.memory());
  EXPECT_EQ(with_pool.total - with_pool.free, must(pool.statistics()).reserved);
  EXPECT_TRUE(succeeded(pool.free_async(busy, s1_)));
}

// What was moved from is an invalid handle, and what was moved to goes on.
TEST_F(Runtime, Moves) {
  auto pool = make_pool({});
  auto event = must(device_.create_event());
  const auto stream_id = s1_.id();
  const auto event_id = event.id();
  void* block = must(pool.malloc_async(2_M, s1_));
  soma::stream stream = std::move(s1_);
  soma::pool other_pool = std::move(pool);
  soma::event other_event = std::move(event);
  EXPECT_EQ(stream.id(), stream_id);
  EXPECT_EQ(other_event.id(), event_id);
  EXPECT_TRUE(succeeded(stream.record(other_event)));
  EXPECT_TRUE(succeeded(other_event.synchronize_for(patience)));
  EXPECT_EQ(must(other_pool.statistics()).used, 2_M);
  // NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move): that is what is tested
  EXPECT_TRUE(failed_with(s1_.synchronize(), errc::invalid_handle));
  EXPECT_TRUE(failed_with(s1_.query(), errc::invalid_handle));
  EXPECT_TRUE(failed_with(s1_.destroy(), errc::invalid_handle));
  EXPECT_TRUE(failed_with(pool.statistics(), errc::invalid_handle));
  EXPECT_TRUE(failed_with(pool.malloc_async(2_M, stream), errc::invalid_handle));
  EXPECT_TRUE(failed_with(other_pool.malloc_async(2_M, s1_), errc::invalid_handle));
  EXPECT_TRUE(failed_with(other_pool.free_async(block, s1_), errc::invalid_handle));
  EXPECT_TRUE(failed_with(event.query(), errc::invalid_handle));
  EXPECT_TRUE(failed_with(stream.record(event), errc::invalid_handle));
  EXPECT_TRUE(failed_with(stream.wait(event), errc::invalid_handle));
  // NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_TRUE(succeeded(other_pool.free_async(block, stream)));
  s1_ = std::move(stream);
  EXPECT_EQ(s1_.id(), stream_id);
  EXPECT_TRUE(succeeded(settle(s1_)));
}

TEST_F(Runtime, DestroyTwice) {
  auto pool = make_pool({});
  auto event = must(device_.create_event());
  EXPECT_TRUE(succeeded(s3_.destroy()));
  EXPECT_TRUE(succeeded(event.destroy()));
  EXPECT_TRUE(succeeded(pool.destroy()));
  EXPECT_TRUE(failed_with(s3_.destroy(), errc::invalid_handle));
  EXPECT_TRUE(failed_with(event.destroy(), errc::invalid_handle));
  EXPECT_TRUE(failed_with(pool.destroy(), errc::invalid_handle));
  EXPECT_TRUE(failed_with(pool.malloc_async(2_M, s1_), errc::invalid_handle));
  EXPECT_TRUE(failed_with(s3_.synchronize(), errc::invalid_handle));
}

TEST_F(Runtime, IdsAreNeverUsedAgain) {
  const auto first = s3_.id();
  EXPECT_TRUE(succeeded(s3_.destroy()));
  const auto next = make_stream();
  EXPECT_NE(next.id(), first);
  EXPECT_NE(next.id(), s1_.id());
  const auto event1 = must(device_.create_event()).id();
  const auto event2 = must(device_.create_event()).id();
  EXPECT_NE(event1, event2);
}

}  // namespace
