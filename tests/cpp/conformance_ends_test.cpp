// Ends of streams, pools and runtimes with work or failures pending, in every order.

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;

/// How many threads the process has, by the operating system's own count.
int thread_count() {
  std::ifstream status("/proc/self/status");
  std::string word;
  int count = 0;
  while (status >> word) {
    if (word == "Threads:") {
      status >> count;
      return count;
    }
  }
  ADD_FAILURE() << "no line Threads";
  return count;
}

class Ends : public testing::Test {
protected:
  // With the first thread of a process, a sanitizer starts one of its own.
  Ends() {
    std::thread([] {}).join();
    threads_at_start_ = thread_count();
  }

  void TearDown() override {
    EXPECT_TRUE(eventually([this] { return thread_count() <= threads_at_start_; })) << thread_count();
  }

private:
  int threads_at_start_ = 0;
};

class DeadStreams : public cpp_fixture {
protected:
  /// The ids of streams that the text of a refusal names.
  static std::vector<std::uint64_t> streams_in(const std::string& text) {
    std::vector<std::uint64_t> found;
    const std::regex one("stream ([0-9]+)");
    for (std::sregex_iterator at(text.begin(), text.end(), one), end; at != end; ++at) {
      found.push_back(std::stoull((*at)[1].str()));
    }
    return found;
  }
};

TEST_F(Ends, B23_DestroyWithAHostFunctionQueued) {
  gate held;
  int runs = 0;
  {
    const auto runtime = must(soma::runtime::create());
    auto device = must(runtime.get_device());
    auto stream = must(device.create_stream());
    hold(stream, held);
    must(stream.call([&runs] { ++runs; }));
    EXPECT_TRUE(succeeded(stream.destroy()));  // the gate is closed
    held.open();
    EXPECT_TRUE(succeeded(device.synchronize_for(patience)));
    EXPECT_EQ(runs, 1);
  }
  EXPECT_EQ(runs, 1);
}

TEST_F(Ends, B69_GatesOpenWhileTheRuntimeStops) {
  for (int round = 0; round < 200; ++round) {
    std::array<gate, 4> gates;
    std::array<witness, 4> last;
    std::thread opener;
    {
      const auto runtime = must(soma::runtime::create());
      auto device = must(runtime.get_device());
      for (std::size_t i = 0; i < gates.size(); ++i) {
        auto stream = must(device.create_stream());
        hold(stream, gates[i]);
        call(stream, last[i]);
      }
      opener = std::thread([&gates] {
        for (const auto& held : gates) {
          held.open();
        }
      });
    }
    opener.join();
    for (const auto& task : last) {
      ASSERT_TRUE(task.ran()) << "round " << round;
    }
  }
}

/// A runtime with one of each part, and a stream that stops at its failure.
struct failing_parts {
  failing_parts() {
    auto device = must(runtime->get_device());
    stream = must(device.create_stream({.on_failure = soma::failure_mode::stop}));
    event = must(device.create_event());
    pool = must(device.create_pool({.release_threshold = keep_all}));
    void* freed = must(pool->malloc_async(4_M, *stream));
    must(pool->malloc_async(2_M, *stream));  // stays live
    hold(*stream, held);
    must(stream->call([] { throw std::runtime_error("the failure"); }));
    must(pool->free_async(freed, *stream));
    must(stream->record(*event));
  }

  void end(int which) {
    switch (which) {
    case 0:
      EXPECT_TRUE(succeeded(pool->destroy()));
      break;
    case 1:
      EXPECT_TRUE(succeeded(stream->destroy()));
      break;
    case 2:
      EXPECT_TRUE(succeeded(event->destroy()));
      break;
    default:
      runtime.reset();
    }
  }

  gate held;
  std::optional<soma::runtime> runtime = must(soma::runtime::create());
  std::optional<soma::stream> stream;
  std::optional<soma::event> event;
  std::optional<soma::pool> pool;
};

class EndsAfterFailure : public Ends, public testing::WithParamInterface<bool> {};

// All 24 orders, with the failure before the first end or behind it.
TEST_P(EndsAfterFailure, B92_InEveryOrder) {
  const bool failed_before = GetParam();
  std::array<int, 4> order{0, 1, 2, 3};
  do {
    failing_parts parts;
    if (failed_before) {
      parts.held.open();
      EXPECT_TRUE(failed_with(settle(*parts.stream), errc::task_failed));
    }
    for (const int which : order) {
      EXPECT_NO_THROW(parts.end(which));
      parts.held.open();
    }
    EXPECT_TRUE(failed_with(parts.pool->destroy(), errc::invalid_handle));
    EXPECT_TRUE(failed_with(parts.stream->synchronize(), errc::invalid_handle));
    EXPECT_TRUE(failed_with(parts.event->query(), errc::invalid_handle));
  } while (std::next_permutation(order.begin(), order.end()));
}

INSTANTIATE_TEST_SUITE_P(Failed, EndsAfterFailure, testing::Bool());

// The pending free is no reason to give the block to a stream that was made after its stream was destroyed.
TEST_F(DeadStreams, G2_NothingOfTheirOrderIsLeft) {
  auto pool = make_pool({.reuse = {.event = true}, .release_threshold = keep_all});
  std::array<gate, 20> gates;
  for (const auto& held : gates) {
    auto old = make_stream();
    void* block = must(pool.malloc_async(2_M, old));
    hold(old, held);
    must(pool.free_async(block, old));
    must(old.destroy());
    auto next = make_stream();
    void* other = must(pool.malloc_async(2_M, next));
    EXPECT_NE(other, block);
    must(pool.free_async(other, next));
  }
}

// Whom a refusal waits for: a destroyed stream as long as its free is pending, and not after that.
TEST_F(DeadStreams, G2_TheTextOfARefusalForgetsThem) {
  auto pool = make_pool({.limit = 4_M, .release_threshold = keep_all});
  gate held;
  const auto id = s1_.id();
  void* block = must(pool.malloc_async(4_M, s1_));
  hold(s1_, held);
  must(pool.free_async(block, s1_));
  must(s1_.destroy());
  const auto pending = pool.malloc_async(4_M, s2_);
  ASSERT_TRUE(failed_with(pending, errc::out_of_memory));
  EXPECT_EQ(streams_in(pending.error().message), std::vector<std::uint64_t>{id}) << pending.error().message;
  held.open();
  must(device_.synchronize_for(patience));
  void* live = must(pool.malloc_async(4_M, s2_));
  const auto full = pool.malloc_async(4_M, s2_);
  ASSERT_TRUE(failed_with(full, errc::out_of_memory));
  EXPECT_EQ(streams_in(full.error().message), std::vector<std::uint64_t>{}) << full.error().message;
  must(pool.free_async(live, s2_));
}

}  // namespace
