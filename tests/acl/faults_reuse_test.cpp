// Faults that other allocators had: reuse and order, streams and their end, identity of pointers. Each input
// is one of the collection of public reports that the project keeps, under its number.

#include <array>
#include <cstdint>
#include <thread>

#include "support/acl_fixture.hpp"

namespace {

using namespace support;

class Faults : public acl_fixture {};

TEST_F(Faults, B02_PiecesOfABlockThatChangedStreams) {
  aclrtMemPool pool = make_pool({.event = true, .internal = true});
  void* whole = allocate(pool, s1_, 8_M);
  gate held;
  hold(s1_, held);
  release(whole, s1_);
  order(s1_, s2_);
  void* first = allocate(pool, s2_, 4_M);
  void* second = allocate(pool, s2_, 4_M);
  EXPECT_TRUE(inside(first, 4_M, whole, 8_M));
  EXPECT_TRUE(inside(second, 4_M, whole, 8_M));
  fill(s2_, first, 4_M, 0xBB);
  fill(s2_, second, 4_M, 0xCC);
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_TRUE(holds(first, 4_M, 0xBB));
  EXPECT_TRUE(holds(second, 4_M, 0xCC));
  EXPECT_EQ(used(pool), 8_M);
  EXPECT_EQ(reserved(pool), 8_M);
  release(first, s2_);
  release(second, s2_);
  EXPECT_EQ(settle_device(), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 0U);
}

// Without a detector only the repaired form has a result to look at; in both the block goes to its own
// stream.
TEST_F(Faults, B04_Diamond) {
  for (const bool repaired : {false, true}) {
    aclrtMemPool pool = make_pool({.event = true, .threshold = keep_all});
    void* block = allocate(pool, s1_, 2_M);
    fill(s1_, block, 2_M, 0x11);
    aclrtEvent start = make_event();
    record(start, s1_);
    wait(s2_, start);
    wait(s3_, start);
    gate held;
    hold(s3_, held);
    host_buffer seen_by_third(2_M);
    seen_by_third.copy_from(block, s3_);
    host_buffer seen_by_second(2_M);
    seen_by_second.copy_from(block, s2_);
    order(s2_, s1_);
    if (repaired) {
      order(s3_, s1_);
    }
    release(block, s1_);
    void* next = allocate(pool, s1_, 2_M);
    EXPECT_EQ(next, block);
    if (repaired) {
      fill(s1_, next, 2_M, 0x22);
    }
    held.open();
    EXPECT_EQ(settle_device(), ACL_SUCCESS);
    EXPECT_TRUE(seen_by_second.holds(0x11));
    EXPECT_TRUE(seen_by_third.holds(0x11));
  }
}

TEST_F(Faults, B06_FreedByTheProducerOrTheConsumer) {
  for (const bool by_consumer : {false, true}) {
    aclrtMemPool pool = make_pool({.threshold = keep_all});
    void* block = allocate(pool, s1_, 4_M);
    fill(s1_, block, 4_M, 0x0A);
    order(s1_, s2_);
    gate held;
    hold(s2_, held);
    host_buffer seen(4_M);
    seen.copy_from(block, s2_);
    release(block, by_consumer ? s2_ : s1_);
    void* next = allocate(pool, s1_, 4_M);
    EXPECT_EQ(next == block, !by_consumer);
    if (by_consumer) {
      fill(s1_, next, 4_M, 0x0B);
    }
    held.open();
    EXPECT_EQ(settle_device(), ACL_SUCCESS);
    EXPECT_TRUE(seen.holds(0x0A));
  }
}

// There are no default streams of threads here: each thread has a stream of its own.
TEST_F(Faults, B08_TwoThreadsWithTheirStreams) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  aclrtMemPool pool = make_pool({});
  gate held;
  std::array<void*, 2> blocks{};
  const auto in_a_thread = [&](void*& block, aclrtStream stream, bool and_free) {
    std::thread([&, stream, and_free] {
      ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      ASSERT_EQ(aclrtMemPoolMallocAsync(&block, 2_M, pool, stream), ACL_SUCCESS);
      if (and_free) {
        hold(stream, held);
        EXPECT_EQ(aclrtMemPoolFreeAsync(block, stream), ACL_SUCCESS);
      }
    }).join();
  };
  in_a_thread(blocks[0], s1_, true);
  in_a_thread(blocks[1], s2_, false);
  EXPECT_NE(blocks[0], blocks[1]);
  EXPECT_EQ(aclrtMemPoolFreeAsync(blocks[1], s2_), ACL_SUCCESS);
}

TEST_F(Faults, B11_FreeOnADeadStream) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 2_M);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolFreeAsync(block, s1_), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(used(pool), 2_M);
  release(block, s2_);
  EXPECT_EQ(used(pool), 0U);
}

TEST_F(Faults, B13_RecordAgainWhileAWaitIsQueued) {
  for (aclrtEvent event : {make_event(), make_old_event()}) {
    gate first;
    gate second;
    hold(s1_, first);
    hold(s2_, second);
    record(event, s1_);
    wait(s2_, event);
    first.open();
    EXPECT_EQ(settle(s1_), ACL_SUCCESS);
    record(event, s2_);
    second.open();
    EXPECT_EQ(settle(s2_), ACL_SUCCESS);
    EXPECT_TRUE(is_reached(event));
  }
}

TEST_F(Faults, B15_AStreamWhoseLastTaskRuns) {
  aclrtMemPool pool = make_pool({.opportunistic = true, .threshold = keep_all});
  void* block = allocate(pool, s1_, 2_M);
  gate held;
  hold(s1_, held);
  ASSERT_TRUE(held.wait_until_started());
  EXPECT_FALSE(is_complete(s1_));
  aclrtEvent event = make_event();
  record(event, s1_);
  EXPECT_FALSE(is_reached(event));
  release(block, s1_);
  EXPECT_NE(allocate(pool, s2_, 2_M), block);
}

TEST_F(Faults, B17_EventsThatAreGoneAtOnce) {
  constexpr std::size_t count = 32;
  std::array<gate, count> gates;
  for (auto& held : gates) {
    aclrtStream stream = make_stream();
    hold(stream, held);
    aclrtEvent event = make_event();
    record(event, stream);
    wait(s1_, event);
    EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  }
  const witness mark(gates[0]);
  call(s1_, mark);
  for (std::size_t i = count - 1; i > 0; --i) {
    EXPECT_FALSE(mark.ran());
    gates[i].open();
  }
  gates[0].open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(mark.ran_behind_the_gate());
}

// With one device: a block goes back to its producer only once that is ordered behind the consumer's free.
TEST_F(Faults, B19_ThereAndBack) {
  aclrtMemPool pool = make_pool({.event = true, .threshold = keep_all});
  void* block = allocate(pool, s1_, 2_M);
  order(s1_, s2_);
  gate held;
  hold(s2_, held);
  release(block, s2_);
  EXPECT_NE(allocate(pool, s1_, 2_M), block);
  order(s2_, s1_);
  EXPECT_EQ(allocate(pool, s1_, 2_M), block);
}

TEST_F(Faults, B21_TheReadersStreamIsDestroyed) {
  aclrtMemPool pool = make_pool({});
  aclrtStream reader = make_stream();
  void* block = allocate(pool, s1_, 2_M);
  fill(s1_, block, 2_M, 0x21);
  order(s1_, reader);
  gate held;
  hold(reader, held);
  host_buffer seen(2_M);
  seen.copy_from(block, reader);
  order(reader, s1_);
  ASSERT_EQ(aclrtDestroyStreamForce(reader), ACL_SUCCESS);
  release(block, s1_);
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(used(pool), 0U);
  EXPECT_TRUE(seen.holds(0x21));
}

TEST_F(Faults, B23_DestroyWithAHostFunctionQueued) {
  aclrtStream stream = make_stream();
  gate held;
  hold(stream, held);
  int runs = 0;
  EXPECT_EQ(call(stream, [&runs] { ++runs; }), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
  held.open();
  EXPECT_EQ(settle_device(), ACL_SUCCESS);
  EXPECT_EQ(runs, 1);
}

TEST_F(Faults, B25_EventsOfADeadStream) {
  for (const bool is_held : {false, true}) {
    aclrtStream stream = make_stream();
    aclrtEvent event = make_event();
    gate held;
    if (is_held) {
      hold(stream, held);
    }
    record(event, stream);
    if (!is_held) {
      EXPECT_EQ(settle(stream), ACL_SUCCESS);
    }
    ASSERT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
    if (is_held) {
      EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, short_wait_ms), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
      held.open();
    }
    EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, patience_ms), ACL_SUCCESS);
    EXPECT_TRUE(is_reached(event));
    wait(s2_, event);
    EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  }
}

TEST_F(Faults, B45_NoBytesAndNoPointer) {
  aclrtMemPool pool = make_pool({});
  int marker = 0;
  void* block = &marker;
  EXPECT_EQ(aclrtMemPoolMallocAsync(&block, 0, pool, s1_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(block, nullptr);
  EXPECT_EQ(aclrtMemPoolFreeAsync(nullptr, s1_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
}

// B87, D17: a second free while the first is pending changes nothing.
TEST_F(Faults, B87_SecondFreeWhileTheFirstIsPending) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 2_M);
  gate held;
  hold(s1_, held);
  release(block, s1_);
  EXPECT_EQ(aclrtMemPoolFreeAsync(block, s1_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemPoolFreeAsync(block, s2_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(block), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(used(pool), 0U);
  void* first = allocate(pool, s1_, 2_M);
  void* second = allocate(pool, s1_, 2_M);
  EXPECT_EQ(first, block);
  EXPECT_NE(second, first);
  fill(s1_, first, 2_M, 1);
  fill(s1_, second, 2_M, 2);
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(holds(first, 2_M, 1));
  EXPECT_TRUE(holds(second, 2_M, 2));
}

TEST_F(Faults, D17_PlainMemoryFreedTwice) {
  void* plain = nullptr;
  ASSERT_EQ(aclrtMalloc(&plain, 4_M, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  gate held;
  hold(s1_, held);
  EXPECT_EQ(aclrtMemPoolFreeAsync(advance(plain, 2_M), s1_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemPoolFreeAsync(plain, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolFreeAsync(plain, s1_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(plain), ACL_ERROR_RT_PARAM_INVALID);
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemPoolFreeAsync(plain, s1_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(plain), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(Faults, B95_FinishedBehindUnfinished) {
  aclrtMemPool pool = make_pool({.opportunistic = true, .threshold = keep_all});
  void* first = allocate(pool, s1_, 2_M);
  void* second = allocate(pool, s2_, 4_M);
  void* third = allocate(pool, s3_, 8_M);
  gate held;
  hold(s1_, held);
  release(first, s1_);
  release(second, s2_);
  release(third, s3_);
  for (aclrtStream stream : {s2_, s3_}) {
    const witness passed;
    call(stream, passed);
    ASSERT_TRUE(passed.wait_until_ran());
  }
  aclrtStream taker = make_stream();
  EXPECT_EQ(allocate(pool, taker, 4_M), second);
  EXPECT_EQ(allocate(pool, taker, 8_M), third);
  EXPECT_FALSE(is_complete(s1_));
}

}  // namespace
