// D21: the same calls from one thread give the same addresses and counters in every run. D22: released memory
// really goes back to the operating system.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;

void append(std::vector<std::uint64_t>& to, const soma::pool_statistics& s) {
  to.insert(to.end(), {s.limit, s.reserved, s.reserved_high, s.used, s.used_high, s.idle, s.requested,
                       s.requested_high, s.live_blocks, s.served.same_stream, s.served.event,
                       s.served.opportunistic, s.served.internal, s.served.new_memory, s.backing_requests,
                       s.backing_returns, s.backing_requested_bytes, s.backing_returned_bytes});
}

struct run_result {
  std::vector<std::uint64_t> seen;
  soma::served_counts served;
};

/// Three streams that allocate, free, run tasks, record and wait, and now and then synchronise. The result is
/// all that the program gets to see. There is no opportunistic reuse, which may depend on timing.
run_result run_program(const soma::pool_options& options, std::uint32_t sizes_up_to,
                       std::uint32_t size_step) {
  std::vector<std::uint64_t> seen;
  std::mt19937 random(4711);
  const auto runtime = must(soma::runtime::create());
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool(options));
  std::array<soma::stream, 3> streams{must(device.create_stream()), must(device.create_stream()),
                                      must(device.create_stream())};
  auto event = must(device.create_event());
  const auto free_behind_its_tasks = [&](void* block, soma::stream& owner, soma::stream& on) {
    must(owner.record(event));
    must(on.wait(event));
    must(pool.free_async(block, on));
  };
  std::vector<std::pair<void*, soma::stream*>> live;
  for (int step = 0; step < 400; ++step) {
    auto& stream = streams[random() % streams.size()];
    auto& other = streams[random() % streams.size()];
    const auto bytes = size_step * (1 + random() % (sizes_up_to / size_step));
    const auto at = live.empty() ? 0 : random() % live.size();
    switch (random() % 8) {
    case 0:
    case 1:
    case 2:
      if (live.size() < 12) {
        const auto block = pool.malloc_async(bytes, stream);
        seen.push_back(block ? number(*block) - number(pool.base()) : keep_all);
        if (block) {
          must(stream.fill(*block, 1, std::min<std::size_t>(bytes, 512)));
          live.emplace_back(*block, &stream);
        }
      }
      break;
    case 3:
    case 4:
    case 5:
      if (!live.empty()) {
        free_behind_its_tasks(live[at].first, *live[at].second, stream);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
      }
      break;
    case 6:
      must(stream.record(event));
      must(other.wait(event));
      break;
    default:
      if (random() % 8 == 0) {
        must(settle(stream));
        append(seen, must(pool.statistics()));
      } else {
        must(stream.call([] {}));
      }
    }
  }
  const auto last = must(pool.statistics());
  append(seen, last);
  for (const auto& [block, owner] : live) {
    free_behind_its_tasks(block, *owner, streams.front());
  }
  return {seen, last.served};
}

/// How the allocations were served, the same in every run.
soma::served_counts expect_the_same_every_time(const soma::pool_options& options, std::uint32_t sizes_up_to,
                                               std::uint32_t size_step = 1) {
  const auto first = run_program(options, sizes_up_to, size_step);
  for (int run = 1; run < 20; ++run) {
    EXPECT_EQ(run_program(options, sizes_up_to, size_step).seen, first.seen) << "run " << run;
  }
  return first.served;
}

TEST(Determinism, D21_WholeGranules) {
  const auto served =
      expect_the_same_every_time({.reuse = {.event = true}, .release_threshold = 16_M}, 8 << 20);
  EXPECT_GT(served.event, 0U);
}

TEST(Determinism, D21_SmallBlocks) {
  const auto served = expect_the_same_every_time(
      {.minimum_block = 512, .reuse = {.event = true}, .release_threshold = 4_M}, 1 << 20);
  EXPECT_GT(served.event, 0U);
}

// Streams give out again by themselves what they have freed.
TEST(Determinism, D21_AFewSizes) {
  const auto served = expect_the_same_every_time(
      {.minimum_block = 512, .reuse = {.event = true}, .release_threshold = keep_all}, 4096, 1024);
  EXPECT_GT(served.same_stream, 0U);
}

// The pool is so small that it has to insert waits, and now and then to refuse.
TEST(Determinism, D21_InsertedWaits) {
  const auto served = expect_the_same_every_time(
      {.limit = 48_M, .reuse = {.internal = true}, .release_threshold = keep_all}, 8 << 20);
  EXPECT_GT(served.internal, 0U);
}

class Resident : public cpp_fixture {
protected:
  /// How much memory of memory files the process has, by the operating system's own count.
  static std::uint64_t shared_bytes() {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
      if (line.rfind("RssShmem:", 0) == 0) {
        std::uint64_t kilobytes = 0;
        std::istringstream(line.substr(9)) >> kilobytes;
        return kilobytes * 1024;
      }
    }
    ADD_FAILURE() << "no line RssShmem";
    return 0;
  }
};

TEST_F(Resident, D22_TrimGivesMemoryBack) {
  auto pool = make_pool({.release_threshold = keep_all});
  const auto before = shared_bytes();
  void* block = must(pool.malloc_async(64_M, s1_));
  must(s1_.fill(block, 1, 64_M));
  must(pool.free_async(block, s1_));
  must(settle(s1_));
  const auto touched = shared_bytes();
  EXPECT_GE(touched, before + 60_M);
  must(pool.trim_to(0));
  EXPECT_LE(shared_bytes(), touched - 60_M);
}

TEST_F(Resident, D22_UntouchedMemoryCostsNothing) {
  auto pool = make_pool({});
  const auto before = shared_bytes();
  void* block = must(pool.malloc_async(std::size_t{4} << 30, s1_));
  must(settle(s1_));
  EXPECT_LE(shared_bytes(), before + 60_M);
  must(pool.free_async(block, s1_));
}

TEST_F(Resident, D22_AThresholdOfZeroGivesMemoryBack) {
  auto pool = make_pool({});
  void* block = must(pool.malloc_async(64_M, s1_));
  must(s1_.fill(block, 1, 64_M));
  must(settle(s1_));
  const auto touched = shared_bytes();
  must(pool.free_async(block, s1_));
  must(settle(s1_));
  EXPECT_LE(shared_bytes(), touched - 60_M);
}

// Granules that lie apart become one block; the process holds no more memory than the pool then.
TEST_F(Resident, D22_MemoryThatMovesIsHeldOnce) {
  auto pool = make_pool({.minimum_block = 1_M, .release_threshold = keep_all});
  std::vector<void*> blocks;
  for (int i = 0; i < 64; ++i) {
    blocks.push_back(must(pool.malloc_async(2_M, s1_)));
    must(s1_.fill(blocks.back(), 1, 2_M));
  }
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    must(pool.free_async(blocks[i], s1_));
  }
  must(s1_.synchronize());
  const auto before = shared_bytes();
  void* large = must(pool.malloc_async(64_M, s1_));
  EXPECT_EQ(must(pool.statistics()).granules_moved, 32U);
  EXPECT_EQ(must(pool.statistics()).reserved, 128_M);
  must(s1_.fill(large, 2, 64_M));
  EXPECT_TRUE(holds(s1_, large, 64_M, 2));
  EXPECT_LE(shared_bytes(), before + 4_M);
  must(pool.free_async(large, s1_));
  for (std::size_t i = 1; i < blocks.size(); i += 2) {
    must(pool.free_async(blocks[i], s1_));
  }
}

// Memory that was given back and taken again can be used again.
TEST_F(Resident, D22_ReleasedAndTakenAgain) {
  auto pool = make_pool({});
  for (std::uint8_t round = 1; round <= 3; ++round) {
    void* block = must(pool.malloc_async(8_M, s1_));
    must(s1_.fill(block, round, 8_M));
    EXPECT_TRUE(holds(s1_, block, 8_M, round));
    must(pool.free_async(block, s1_));
    must(settle(s1_));
    EXPECT_EQ(must(pool.statistics()).reserved, 0U);
  }
}

}  // namespace
