// Faults that other allocators had: many threads, tiny sizes, and shortage. Each input is one of the
// collection of public reports that the project keeps, under its number.

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;

constexpr std::size_t thread_count = 8;

class Faults : public cpp_fixture {
protected:
  /// Runs the part in 8 threads at once, each with a stream of its own.
  template <class Part>
  void in_threads(const Part& part) {
    std::vector<soma::stream> streams;
    for (std::size_t i = 0; i < thread_count; ++i) {
      streams.push_back(make_stream());
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < thread_count; ++i) {
      threads.emplace_back([&part, &streams, i] { part(i, streams[i]); });
    }
    for (auto& thread : threads) {
      thread.join();
    }
  }
};

TEST_F(Faults, B36_TheCountersAgreeWithALedger) {
  auto pool = make_pool({.release_threshold = keep_all});
  std::atomic<std::uint64_t> ledger{0};
  std::uint64_t peak = 0;
  std::barrier round_end(thread_count, [&]() noexcept {
    const auto statistics = pool.statistics();
    ASSERT_TRUE(succeeded(statistics));
    EXPECT_EQ(statistics->used, ledger.load());
    peak = std::max(peak, ledger.load());
    EXPECT_GE(statistics->used_high, peak);
    EXPECT_GE(statistics->reserved, statistics->used);
  });
  in_threads([&](std::size_t seed, soma::stream& stream) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    std::vector<std::pair<void*, std::uint64_t>> live;
    for (int round = 0; round < 10; ++round) {
      for (int i = 0; i < 1000; ++i) {
        if (live.empty() || (live.size() < 32 && random() % 2 == 0)) {
          const std::uint64_t bytes = (1 + random() % 8) * 2_M;
          const auto block = pool.malloc_async(bytes, stream);
          EXPECT_TRUE(succeeded(block));
          if (block) {
            ledger += bytes;
            live.emplace_back(*block, bytes);
          }
        } else {
          const auto at = random() % live.size();
          EXPECT_TRUE(succeeded(pool.free_async(live[at].first, stream)));
          ledger -= live[at].second;
          live[at] = live.back();
          live.pop_back();
        }
      }
      round_end.arrive_and_wait();  // nobody goes on while the figures are compared
    }
    for (const auto& [address, bytes] : live) {
      EXPECT_TRUE(succeeded(pool.free_async(address, stream)));
    }
  });
  EXPECT_EQ(must(pool.statistics()).used, 0U);
}

TEST_F(Faults, B47_TinySizesAcrossStreams) {
  auto pool = make_pool({.minimum_block = 512, .release_threshold = keep_all});
  std::set<void*> seen;
  for (std::size_t bytes = 1; bytes <= 8; ++bytes) {
    for (int i = 0; i < 1000; ++i) {
      void* block = must(pool.malloc_async(bytes, s1_));
      EXPECT_EQ((number(block) - number(pool.base())) % 512, 0U);
      // Stream 1 is never ordered behind the frees on stream 2, so it gets each address once.
      EXPECT_TRUE(seen.insert(block).second);
      order(s1_, s2_);
      must(s2_.fill(block, 1, bytes));
      must(pool.free_async(block, s2_));
    }
  }
  must(settle(s2_));
  EXPECT_EQ(must(pool.statistics()).used, 0U);
}

TEST_F(Faults, B55_ManyThreadsRunShort) {
  auto pool = make_pool({.limit = 64_M, .release_threshold = keep_all});
  in_threads([&](std::size_t, soma::stream& stream) {
    for (int i = 0; i < 20; ++i) {
      void* block = nullptr;
      EXPECT_TRUE(eventually([&] {
        const auto result = pool.malloc_async(16_M, stream);
        if (!result) {
          EXPECT_EQ(result.error().code, errc::out_of_memory);
          EXPECT_TRUE(succeeded(pool.trim_to(0)));
          return false;
        }
        block = *result;
        return true;
      }));
      if (block != nullptr) {
        EXPECT_TRUE(succeeded(pool.free_async(block, stream)));
      }
    }
  });
  const auto statistics = must(pool.statistics());
  EXPECT_EQ(statistics.used, 0U);
  EXPECT_LE(statistics.reserved_high, 64_M);
}

TEST_F(Faults, B57_FreeFromAHostFunction) {
  auto pool = make_pool({});
  void* block = must(pool.malloc_async(4_M, s1_));
  std::array<errc, 3> codes{};
  std::uint64_t used = 0;
  must(s1_.call([&] {
    codes[0] = pool.free_async(block, s1_).error().code;
    codes[1] = pool.malloc_async(2_M, s2_).error().code;
    codes[2] = s1_.synchronize().error().code;
    used = pool.statistics()->used;
  }));
  const witness after;
  call(s1_, after);
  EXPECT_TRUE(succeeded(settle(s1_)));
  EXPECT_EQ(codes, (std::array<errc, 3>{errc::not_permitted, errc::not_permitted, errc::not_permitted}));
  EXPECT_EQ(used, 4_M);
  EXPECT_TRUE(after.ran());
  must(pool.free_async(block, s1_));
}

TEST_F(Faults, B59_NewStreamsWhileThePoolIsFull) {
  auto pool = make_pool({.limit = 16_M, .release_threshold = keep_all});
  std::vector<void*> blocks(8);
  for (auto& block : blocks) {
    block = must(pool.malloc_async(2_M, s1_));
  }
  for (int i = 0; i < 32; ++i) {
    auto stream = make_stream();
    order(s1_, stream);
    must(pool.free_async(blocks.front(), stream));
    must(settle(stream));
    blocks.erase(blocks.begin());
    const auto next = pool.malloc_async(2_M, s1_);
    ASSERT_TRUE(succeeded(next));
    blocks.push_back(*next);
    EXPECT_EQ(must(pool.statistics()).used, 16_M);
  }
  for (void* block : blocks) {
    must(pool.free_async(block, s1_));
  }
}

// Requests that need the blocks of streams which have finished but were never waited for.
TEST_F(Faults, B59_ShortageReleasesWhatHasRun) {
  auto pool = make_pool({.limit = 16_M, .release_threshold = keep_all});
  for (int i = 0; i < 8; ++i) {
    auto stream = make_stream();
    must(pool.free_async(must(pool.malloc_async(2_M, stream)), stream));
    const witness passed;
    call(stream, passed);
    ASSERT_TRUE(passed.wait_until_ran());
  }
  const auto whole = pool.malloc_async(16_M, s1_);
  ASSERT_TRUE(succeeded(whole));
  must(pool.free_async(*whole, s1_));
}

// S66 in C++: each call succeeds or says that the pool is gone.
TEST_F(Faults, S66_DestroyWhileThreadsAllocate) {
  for (int round = 0; round < 5; ++round) {
    auto pool = make_pool({});
    std::atomic<int> pairs{0};
    std::thread destroyer([&] {
      EXPECT_TRUE(eventually([&] { return pairs.load() > 50; }));
      EXPECT_TRUE(succeeded(pool.destroy()));
    });
    in_threads([&](std::size_t, soma::stream& stream) {
      EXPECT_TRUE(eventually([&] {
        const auto block = pool.malloc_async(2_M, stream);
        if (!block) {
          EXPECT_EQ(block.error().code, errc::invalid_handle);
          return true;
        }
        EXPECT_TRUE(succeeded(device_.free_async(*block, stream)));
        ++pairs;
        return false;
      }));
    });
    destroyer.join();
  }
}

}  // namespace
