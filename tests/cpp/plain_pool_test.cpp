// The plain pool behind device::malloc.

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "soma/soma.hpp"

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

class PlainPoolOfADevice : public testing::Test {
protected:
  static soma::runtime start(bool plain_pool) {
    soma::runtime_options options;
    options.device_memory = 64 * mib;
    options.plain_pool = plain_pool;
    return soma::runtime::create(options).value();
  }

  soma::runtime runtime_ = start(true);
  soma::device device_ = runtime_.get_device().value();
};

TEST_F(PlainPoolOfADevice, ServesSmallRequestsOutOfChunks) {
  const auto free_before = device_.memory()->free;
  std::vector<void*> blocks;
  for (int count = 0; count != 513; ++count) {
    blocks.push_back(device_.malloc(4096).value());
  }
  auto told = device_.plain_pool().value();
  EXPECT_EQ(told.chunks, 2U);
  EXPECT_EQ(told.live_blocks, 513U);
  EXPECT_EQ(told.used, 513 * 4096U);
  EXPECT_EQ(device_.memory()->free, free_before - 4 * mib);
  const auto found = device_.find_block(static_cast<char*>(blocks[3]) + 5).value();
  EXPECT_EQ(found.address, blocks[3]);
  EXPECT_EQ(found.requested, 4096U);
  for (void* block : blocks) {
    EXPECT_TRUE(device_.free(block));
  }
  told = device_.plain_pool().value();
  EXPECT_EQ(told.live_blocks, 0U);
  EXPECT_EQ(told.free_chunks, 2U) << "up to five are kept";
}

TEST_F(PlainPoolOfADevice, LargerRequestsGoToTheDevice) {
  void* large = device_.malloc(2 * mib + 1).value();
  EXPECT_EQ(device_.plain_pool()->chunks, 0U);
  EXPECT_EQ(device_.plain_pool()->bypassed, 1U);
  EXPECT_EQ(device_.find_block(large)->requested, 2 * mib + 1);
  EXPECT_TRUE(device_.free(large));
  EXPECT_EQ(device_.free(large).error().code, soma::errc::unknown_address);
}

TEST_F(PlainPoolOfADevice, SurplusChunksGoBackToTheDevice) {
  const auto free_before = device_.memory()->free;
  std::vector<void*> blocks;
  for (int count = 0; count != 8; ++count) {
    blocks.push_back(device_.malloc(2 * mib).value());
  }
  for (void* block : blocks) {
    EXPECT_TRUE(device_.free(block));
  }
  EXPECT_EQ(device_.plain_pool()->chunks, 5U);
  EXPECT_EQ(device_.plain_pool()->released, 3U);
  EXPECT_EQ(device_.memory()->free, free_before - 10 * mib);
}

TEST_F(PlainPoolOfADevice, FreesInStreamOrder) {
  auto stream = device_.create_stream().value();
  void* block = device_.malloc(64).value();
  EXPECT_TRUE(stream.fill(block, 1, 64));
  EXPECT_TRUE(device_.free_async(block, stream));
  EXPECT_FALSE(device_.free(block)) << "its free is in the stream";
  EXPECT_FALSE(device_.free_async(block, stream));
  EXPECT_TRUE(stream.synchronize());
  EXPECT_EQ(device_.plain_pool()->live_blocks, 0U);
}

TEST_F(PlainPoolOfADevice, RefusesWrongFrees) {
  void* block = device_.malloc(256).value();
  const auto code = [&](void* address) { return device_.free(address).error().code; };
  EXPECT_EQ(code(static_cast<char*>(block) + 64), soma::errc::unknown_address);
  EXPECT_TRUE(device_.free(block));
  EXPECT_EQ(code(block), soma::errc::unknown_address);
}

TEST_F(PlainPoolOfADevice, IsRefusedWhatTheDeviceDoesNotHave) {
  void* all = device_.malloc(64 * mib).value();
  const auto refused = device_.malloc(64);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, soma::errc::out_of_memory);
  EXPECT_TRUE(device_.free(all));
  EXPECT_TRUE(device_.malloc(64)) << "the next is served again";
}

TEST_F(PlainPoolOfADevice, IsUsedByManyThreads) {
  std::vector<std::thread> threads;
  for (int count = 0; count != 4; ++count) {
    threads.emplace_back([this] {
      for (int round = 0; round != 500; ++round) {
        auto* block = static_cast<int*>(device_.malloc(1000).value());
        *block = round;
        ASSERT_EQ(*block, round);
        ASSERT_TRUE(device_.free(block));
      }
    });
  }
  for (auto& one : threads) {
    one.join();
  }
  EXPECT_EQ(device_.plain_pool()->live_blocks, 0U);
  EXPECT_EQ(device_.plain_pool()->served, 2000U);
}

TEST(WithoutAPlainPool, FiguresAreZero) {
  const auto runtime = soma::runtime::create({.devices = 1}).value();
  auto device = runtime.get_device().value();
  void* block = device.malloc(64).value();
  EXPECT_EQ(device.plain_pool()->chunks, 0U);
  EXPECT_TRUE(device.free(block));
}

}  // namespace
