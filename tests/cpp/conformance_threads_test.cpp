// Many threads on one pool: what is counted agrees with what was done, and every call is answered.

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;

class ThreadsOfPools : public cpp_fixture {
protected:
  /// Runs the part in so many threads at once, each with a stream of its own.
  template <class Part>
  void in_threads(std::size_t count, const Part& part) {
    std::vector<soma::stream> streams;
    for (std::size_t i = 0; i < count; ++i) {
      streams.push_back(make_stream());
    }
    std::vector<std::thread> threads;
    for (auto& stream : streams) {
      threads.emplace_back([&part, &stream] { part(stream); });
    }
    for (auto& thread : threads) {
      thread.join();
    }
  }
};

TEST_F(ThreadsOfPools, B63_EveryCallIsAnsweredWhileThePoolEnds) {
  constexpr int pairs = 1000;
  auto pool = make_pool({});
  std::vector<void*> live(8);
  for (auto& block : live) {
    block = must(pool.malloc_async(2_M, s1_));
    must(s1_.fill(block, 0x63, 2_M));
  }
  std::atomic<int> answered{0};
  std::thread destroyer([&] {
    EXPECT_TRUE(eventually([&] { return answered.load() > pairs; }));
    EXPECT_TRUE(succeeded(pool.destroy()));
  });
  in_threads(4, [&](soma::stream& stream) {
    for (int i = 0; i < pairs; ++i) {
      const auto block = pool.malloc_async(2_M, stream);
      if (block) {
        EXPECT_TRUE(succeeded(device_.free_async(*block, stream)));
      } else {
        EXPECT_EQ(block.error().code, errc::invalid_handle) << block.error().message;
      }
      ++answered;
    }
  });
  destroyer.join();
  EXPECT_EQ(answered.load(), 4 * pairs);
  for (void* block : live) {
    EXPECT_TRUE(holds(s1_, block, 2_M, 0x63));
    EXPECT_TRUE(succeeded(device_.free_async(block, s1_)));
  }
}

TEST_F(ThreadsOfPools, B65_NoUpdateIsLost) {
  constexpr std::uint64_t pairs = 2000;
  for (const std::size_t threads : {1U, 8U}) {
    auto pool = make_pool({.release_threshold = keep_all});
    in_threads(threads, [&](soma::stream& stream) {
      for (std::uint64_t i = 0; i < pairs; ++i) {
        const auto block = pool.malloc_async(2_M, stream);
        ASSERT_TRUE(succeeded(block));
        ASSERT_TRUE(succeeded(pool.free_async(*block, stream)));
      }
    });
    const auto statistics = must(pool.statistics());
    const auto& served = statistics.served;
    EXPECT_EQ(served.same_stream + served.event + served.opportunistic + served.internal + served.new_memory,
              threads * pairs);
    EXPECT_EQ(statistics.used, 0U);
    EXPECT_EQ(statistics.live_blocks, 0U);
    EXPECT_EQ(statistics.reserved, threads * 2_M);
    EXPECT_LE(statistics.used_high, threads * 2_M);
  }
}

// With one engine, and the calls made from the only thread of a pool of threads, as a scheduler of the
// program's would make them. Nobody but that thread and the engine is there to run what the calls need.
TEST(FewThreads, B61_WaitingNeedsNoOther) {
  const auto runtime = must(soma::runtime::create({.engine_limit = 1}));
  auto device = must(runtime.get_device());
  auto stream = must(device.create_stream());
  auto pool = must(device.create_pool());
  std::thread([&] {
    for (int i = 0; i < 100; ++i) {
      void* block = must(pool.malloc_async(2_M, stream));
      must(stream.fill(block, 0x61, 4096));
      must(pool.free_async(block, stream));
      EXPECT_TRUE(succeeded(settle(stream)));
    }
  }).join();
  auto code = errc::shut_down;
  must(stream.call([&] { code = stream.synchronize().error().code; }));
  EXPECT_TRUE(succeeded(settle(stream)));
  EXPECT_EQ(code, errc::not_permitted);
}

}  // namespace
