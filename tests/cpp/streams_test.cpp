// Streams and events of the C++ interface: tasks and their order, blocking streams, resets, times, and what a
// host function may do.

#include <array>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;

class Streams : public cpp_fixture {};

class Events : public cpp_fixture {
protected:
  soma::event event_ = must(device_.create_event());
};

TEST_F(Streams, TasksRunInTheOrderOfSubmission) {
  std::vector<int> seen;
  for (int i = 0; i < 1000; ++i) {
    must(s1_.call([&seen, i] { seen.push_back(i); }));
  }
  must(settle(s1_));
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(seen, expected);
}

TEST_F(Streams, CopyOfOverlappingRanges) {
  std::array<std::uint8_t, 8> bytes{1, 2, 3, 4, 5, 6, 7, 8};
  must(s1_.copy(bytes.data() + 2, bytes.data(), 6));
  must(settle(s1_));
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 8>{1, 2, 1, 2, 3, 4, 5, 6}));
}

TEST_F(Streams, Query) {
  EXPECT_TRUE(must(s1_.query()));
  gate held;
  hold(s1_, held);
  ASSERT_TRUE(held.wait_until_started());
  EXPECT_FALSE(must(s1_.query()));
  EXPECT_TRUE(must(s2_.query()));
  held.open();
  EXPECT_TRUE(eventually([this] { return must(s1_.query()); }));
}

TEST_F(Streams, WaitsThatRunOut) {
  gate held;
  hold(s1_, held);
  EXPECT_TRUE(failed_with(s1_.synchronize_for(short_wait), errc::timed_out));
  EXPECT_TRUE(failed_with(device_.synchronize_for(short_wait), errc::timed_out));
  held.open();
  EXPECT_TRUE(succeeded(s1_.synchronize()));
  EXPECT_TRUE(succeeded(device_.synchronize()));
}

TEST_F(Streams, S72_BlockingStreamsAndTheDefaultStream) {
  auto blocking = must(device_.create_stream({.blocking = true}));
  auto& by_default = device_.default_stream();
  gate held;
  hold(blocking, held);
  gate other;
  hold(s1_, other);
  EXPECT_TRUE(failed_with(by_default.synchronize_for(short_wait), errc::timed_out));
  const witness behind(held);
  call(by_default, behind);
  const witness after_default(held);
  auto second = must(device_.create_stream({.blocking = true}));
  call(second, after_default);
  held.open();
  EXPECT_TRUE(succeeded(settle(by_default)));
  EXPECT_TRUE(behind.ran_behind_the_gate());
  EXPECT_TRUE(succeeded(settle(second)));
  EXPECT_TRUE(after_default.ran_behind_the_gate());
  EXPECT_FALSE(must(s1_.query())) << "a stream that is not blocking held nobody up";
}

TEST_F(Streams, ABlockingStreamWaitsForTheDefaultStream) {
  auto blocking = must(device_.create_stream({.blocking = true}));
  gate held;
  hold(device_.default_stream(), held);
  const witness free_to_go;
  call(s1_, free_to_go);
  const witness behind(held);
  call(blocking, behind);
  EXPECT_TRUE(succeeded(settle(s1_)));
  EXPECT_TRUE(free_to_go.ran());
  EXPECT_TRUE(failed_with(blocking.synchronize_for(short_wait), errc::timed_out));
  held.open();
  EXPECT_TRUE(succeeded(settle(blocking)));
  EXPECT_TRUE(behind.ran_behind_the_gate());
}

TEST_F(Streams, D14_S68_DestroyReturnsAtOnce) {
  auto pool = make_pool({});
  void* block = must(pool.malloc_async(4_M, s3_));
  gate held;
  hold(s3_, held);
  must(pool.free_async(block, s3_));
  const witness last(held);
  call(s3_, last);
  must(s3_.destroy());
  EXPECT_EQ(must(pool.statistics()).used, 0U);
  held.open();
  must(device_.synchronize_for(patience));
  EXPECT_TRUE(last.ran_behind_the_gate());
  EXPECT_EQ(must(pool.statistics()).reserved, 0U);
}

TEST_F(Streams, D15_CallsFromAHostFunction) {
  auto pool = make_pool({});
  auto event = must(device_.create_event());
  void* block = must(pool.malloc_async(2_M, s1_));
  std::vector<errc> codes;
  bool read_used = false;
  bool on_engine = false;
  const auto note = [&codes](const auto& result) {
    codes.push_back(result ? errc::shut_down : result.error().code);
  };
  must(s1_.call([&] {
    on_engine = soma::runtime::on_engine();
    note(pool.malloc_async(2_M, s2_));
    note(pool.free_async(block, s2_));
    note(device_.malloc(64));
    note(device_.free(block));
    note(device_.free_async(block, s2_));
    note(device_.synchronize());
    note(s2_.synchronize());
    note(s1_.synchronize_for(short_wait));
    note(event.synchronize());
    note(s2_.call([] {}));
    note(s2_.fill(block, 1, 1));
    note(s2_.record(event));
    note(s2_.wait(event));
    const auto used = pool.get(soma::pool_attribute::used);
    read_used = used && *used == 2_M && pool.statistics() && s2_.query() && event.query();
  }));
  const witness after;
  call(s1_, after);
  EXPECT_TRUE(succeeded(settle(s1_)));
  EXPECT_EQ(codes, std::vector<errc>(13, errc::not_permitted));
  EXPECT_TRUE(read_used);
  EXPECT_TRUE(on_engine);
  EXPECT_FALSE(soma::runtime::on_engine());
  EXPECT_TRUE(after.ran());
  must(pool.free_async(block, s1_));
}

TEST_F(Events, BeforeTheFirstRecord) {
  EXPECT_FALSE(event_.recorded());
  EXPECT_TRUE(must(event_.query()));
  EXPECT_TRUE(succeeded(event_.synchronize()));
  EXPECT_TRUE(succeeded(s1_.wait(event_)));
  EXPECT_TRUE(succeeded(settle(s1_)));
  EXPECT_TRUE(failed_with(event_.time(), errc::not_recorded));
}

TEST_F(Events, RecordOnAHeldStream) {
  gate held;
  hold(s1_, held);
  must(s1_.record(event_));
  EXPECT_TRUE(event_.recorded());
  EXPECT_FALSE(must(event_.query()));
  EXPECT_TRUE(failed_with(event_.time(), errc::not_complete));
  EXPECT_TRUE(failed_with(event_.synchronize_for(short_wait), errc::timed_out));
  const auto before = std::chrono::steady_clock::now();
  held.open();
  must(event_.synchronize_for(patience));
  const auto after = std::chrono::steady_clock::now();
  EXPECT_TRUE(must(event_.query()));
  const auto time = must(event_.time());
  EXPECT_LE(before, time);
  EXPECT_LE(time, after);
}

// A wait stays with the record that was the latest at the time of the call.
TEST_F(Events, RecordedAgain) {
  gate first;
  gate second;
  hold(s1_, first);
  must(s1_.record(event_));
  must(s3_.wait(event_));
  hold(s2_, second);
  must(s2_.record(event_));
  first.open();
  EXPECT_TRUE(succeeded(settle(s3_)));
  EXPECT_FALSE(must(event_.query()));
  second.open();
  EXPECT_TRUE(succeeded(event_.synchronize_for(patience)));
}

TEST_F(Events, ResetForgetsTheRecords) {
  must(s1_.record(event_));
  must(settle(s1_));
  must(event_.reset(s1_));
  EXPECT_FALSE(event_.recorded());
  EXPECT_TRUE(must(event_.query()));
  EXPECT_TRUE(failed_with(event_.time(), errc::not_recorded));
  must(s1_.record(event_));
  EXPECT_TRUE(event_.recorded());
  must(event_.synchronize_for(patience));
  EXPECT_TRUE(succeeded(event_.time()));
}

TEST_F(Events, ResetLeavesQueuedWaitsAlone) {
  gate held;
  hold(s1_, held);
  must(s1_.record(event_));
  must(s2_.wait(event_));
  const witness behind(held);
  call(s2_, behind);
  must(event_.reset(s1_));
  EXPECT_FALSE(event_.recorded());
  must(s3_.wait(event_));
  EXPECT_TRUE(succeeded(settle(s3_))) << "no record, no wait";
  EXPECT_FALSE(must(s2_.query()));
  held.open();
  EXPECT_TRUE(succeeded(settle(s2_)));
  EXPECT_TRUE(behind.ran_behind_the_gate());
}

TEST_F(Events, ManyWaitersOfOneRecord) {
  gate held;
  hold(s1_, held);
  must(s1_.record(event_));
  std::vector<witness> witnesses(20);
  std::vector<soma::stream> streams;
  for (auto& seen_by : witnesses) {
    seen_by = witness(held);
    streams.push_back(make_stream());
    must(streams.back().wait(event_));
    call(streams.back(), seen_by);
  }
  held.open();
  must(device_.synchronize_for(patience));
  for (const auto& seen_by : witnesses) {
    EXPECT_TRUE(seen_by.ran_behind_the_gate());
  }
}

}  // namespace
