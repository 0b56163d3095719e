// Inputs about order and reuse, each run by one host thread and by eight at the same time, with pools and
// streams of their own on one device: whoever runs the actors, the outcome is the same.

#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;

/// What each thread has for itself.
class workplace {
public:
  explicit workplace(soma::device& device) : device_(device) {}

  soma::stream stream() { return must(device_.create_stream()); }

  soma::pool pool(soma::reuse_switches reuse, std::uint64_t threshold = keep_all) {
    return must(device_.create_pool({.limit = 256_M, .reuse = reuse, .release_threshold = threshold}));
  }

  soma::event event() { return must(device_.create_event()); }

  /// Makes what comes next on `after` wait for all that is on `before` by now.
  void order(soma::stream& before, soma::stream& after) {
    auto mark = event();
    must(before.record(mark));
    must(after.wait(mark));
  }

private:
  soma::device& device_;
};

/// How much of each block is written and read.
constexpr std::size_t touched = std::size_t{64} * 1024;

/// Whether the block holds the value, as seen from the stream.
bool reads(soma::stream& stream, const void* block, std::uint8_t value) {
  std::vector<std::uint8_t> copy(touched);
  must(stream.copy(copy.data(), block, touched));
  must(settle(stream));
  return all_bytes_are(copy.data(), touched, value);
}

void pieces_change_streams(workplace at) {  // B02
  auto pool = at.pool({.event = true, .internal = true}, 0);
  auto s1 = at.stream();
  auto s2 = at.stream();
  void* whole = must(pool.malloc_async(8_M, s1));
  gate held;
  hold(s1, held);
  must(pool.free_async(whole, s1));
  at.order(s1, s2);
  void* first = must(pool.malloc_async(4_M, s2));
  void* second = must(pool.malloc_async(4_M, s2));
  EXPECT_TRUE(inside(first, 4_M, whole, 8_M));
  EXPECT_TRUE(inside(second, 4_M, whole, 8_M));
  must(s2.fill(first, 0xBB, touched));
  must(s2.fill(second, 0xCC, touched));
  held.open();
  must(settle(s1));
  EXPECT_TRUE(reads(s2, first, 0xBB));
  EXPECT_TRUE(reads(s2, second, 0xCC));
  EXPECT_EQ(must(pool.statistics()).backing_returns, 0U);
  must(pool.free_async(first, s2));
  must(pool.free_async(second, s2));
  must(settle(s2));
  EXPECT_EQ(must(pool.statistics()).reserved, 0U);
}

void diamond(workplace at) {  // B04
  auto pool = at.pool({.event = true});
  std::array<soma::stream, 3> streams{at.stream(), at.stream(), at.stream()};
  std::vector<std::uint8_t> seen(touched);
  void* block = must(pool.malloc_async(2_M, streams[0]));
  must(streams[0].fill(block, 0x11, touched));
  at.order(streams[0], streams[1]);
  at.order(streams[0], streams[2]);
  gate held;
  hold(streams[2], held);
  must(streams[2].copy(seen.data(), block, touched));
  at.order(streams[1], streams[0]);
  at.order(streams[2], streams[0]);
  must(pool.free_async(block, streams[0]));
  void* next = must(pool.malloc_async(2_M, streams[0]));
  EXPECT_EQ(next, block);
  must(streams[0].fill(next, 0x22, touched));
  held.open();
  EXPECT_TRUE(reads(streams[0], next, 0x22));
  EXPECT_TRUE(all_bytes_are(seen.data(), touched, 0x11));
  must(pool.free_async(next, streams[0]));
}

void freed_by_the_consumer(workplace at) {  // B06
  auto pool = at.pool({});
  auto producer = at.stream();
  auto consumer = at.stream();
  std::vector<std::uint8_t> seen(touched);
  void* block = must(pool.malloc_async(4_M, producer));
  must(producer.fill(block, 0x0A, touched));
  at.order(producer, consumer);
  gate held;
  hold(consumer, held);
  must(consumer.copy(seen.data(), block, touched));
  must(pool.free_async(block, consumer));
  void* next = must(pool.malloc_async(4_M, producer));
  EXPECT_NE(next, block);
  must(producer.fill(next, 0x0B, touched));
  held.open();
  must(settle(consumer));
  EXPECT_TRUE(all_bytes_are(seen.data(), touched, 0x0A));
  must(pool.free_async(next, producer));
}

void record_again(workplace at) {  // B13
  auto s1 = at.stream();
  auto s2 = at.stream();
  auto event = at.event();
  gate first;
  gate second;
  hold(s1, first);
  hold(s2, second);
  must(s1.record(event));
  must(s2.wait(event));
  first.open();
  must(settle(s1));
  must(s2.record(event));
  second.open();
  must(settle(s2));
  EXPECT_TRUE(must(event.query()));
}

void last_task_runs(workplace at) {  // B15
  auto pool = at.pool({.opportunistic = true});
  auto s1 = at.stream();
  auto s2 = at.stream();
  auto event = at.event();
  void* block = must(pool.malloc_async(2_M, s1));
  gate held;
  hold(s1, held);
  ASSERT_TRUE(held.wait_until_started());
  EXPECT_FALSE(must(s1.query()));
  must(s1.record(event));
  EXPECT_FALSE(must(event.query()));
  must(pool.free_async(block, s1));
  void* other = must(pool.malloc_async(2_M, s2));
  EXPECT_NE(other, block);
  must(pool.free_async(other, s2));
}

void events_gone_at_once(workplace at) {  // B17
  auto last = at.stream();
  std::array<gate, 4> gates;
  std::vector<soma::stream> streams;
  for (const auto& held : gates) {
    streams.push_back(at.stream());
    hold(streams.back(), held);
    at.order(streams.back(), last);  // the event is gone behind this
  }
  const witness mark(gates[0]);
  call(last, mark);
  for (std::size_t i = gates.size(); i > 0; --i) {
    EXPECT_FALSE(mark.ran());
    gates.at(i - 1).open();
  }
  must(settle(last));
  EXPECT_TRUE(mark.ran_behind_the_gate());
}

void reader_destroyed(workplace at) {  // B21
  auto pool = at.pool({});
  auto s1 = at.stream();
  auto reader = at.stream();
  std::vector<std::uint8_t> seen(touched);
  void* block = must(pool.malloc_async(2_M, s1));
  must(s1.fill(block, 0x21, touched));
  at.order(s1, reader);
  gate held;
  hold(reader, held);
  must(reader.copy(seen.data(), block, touched));
  at.order(reader, s1);
  must(reader.destroy());
  must(pool.free_async(block, s1));
  held.open();
  must(settle(s1));
  EXPECT_TRUE(all_bytes_are(seen.data(), touched, 0x21));
  EXPECT_EQ(must(pool.statistics()).used, 0U);
}

void event_of_a_dying_stream(workplace at) {  // B25
  auto s1 = at.stream();
  auto s2 = at.stream();
  auto event = at.event();
  gate held;
  hold(s1, held);
  must(s1.record(event));
  must(s1.destroy());
  EXPECT_FALSE(must(event.query()));
  held.open();
  must(event.synchronize_for(patience));
  EXPECT_TRUE(must(event.query()));
  must(s2.wait(event));
  must(settle(s2));
}

void finished_behind_unfinished(workplace at) {  // B95
  auto pool = at.pool({.opportunistic = true});
  std::array<soma::stream, 3> streams{at.stream(), at.stream(), at.stream()};
  std::array<void*, 3> blocks{};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks.at(i) = must(pool.malloc_async(2_M << i, streams.at(i)));
  }
  gate held;
  hold(streams[0], held);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    must(pool.free_async(blocks.at(i), streams.at(i)));
    const witness passed;
    call(streams.at(i), passed);
    ASSERT_TRUE(i == 0 || passed.wait_until_ran());
  }
  auto taker = at.stream();
  EXPECT_EQ(must(pool.malloc_async(4_M, taker)), blocks[1]);
  EXPECT_EQ(must(pool.malloc_async(8_M, taker)), blocks[2]);
  EXPECT_FALSE(must(streams[0].query()));
  must(pool.free_async(blocks[1], taker));
  must(pool.free_async(blocks[2], taker));
}

void chain_while_held(workplace at) {  // B97
  auto pool = at.pool({});
  auto stream = at.stream();
  gate held;
  hold(stream, held);
  void* first = nullptr;
  int count = 0;
  for (int i = 0; i < 100; ++i) {
    void* block = must(pool.malloc_async(2_M, stream));
    first = first == nullptr ? block : first;
    EXPECT_EQ(block, first);
    must(stream.call([&count] { ++count; }));
    must(pool.free_async(block, stream));
  }
  held.open();
  must(settle(stream));
  EXPECT_EQ(count, 100);
  EXPECT_EQ(must(pool.statistics()).backing_requests, 1U);
}

struct input {
  const char* name;
  void (*run)(workplace);
};

constexpr std::array inputs{
    input{"B02", pieces_change_streams},
    input{"B04", diamond},
    input{"B06", freed_by_the_consumer},
    input{"B13", record_again},
    input{"B15", last_task_runs},
    input{"B17", events_gone_at_once},
    input{"B21", reader_destroyed},
    input{"B25", event_of_a_dying_stream},
    input{"B95", finished_behind_unfinished},
    input{"B97", chain_while_held},
};

class InThreads : public cpp_fixture, public testing::WithParamInterface<std::tuple<input, int>> {};

TEST_P(InThreads, Input) {
  const auto& [given, count] = GetParam();
  constexpr int rounds = 5;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([this, run = given.run] {
      for (int round = 0; round < rounds; ++round) {
        EXPECT_NO_THROW(run(workplace(device_)));
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, InThreads,
                         testing::Combine(testing::ValuesIn(inputs), testing::Values(1, 8)),
                         [](const auto& given) {
                           return std::string(std::get<0>(given.param).name) + "_" +
                                  std::to_string(std::get<1>(given.param));
                         });

}  // namespace
