// Which stream gets which idle block, in the order of submission, whatever has run by then.

#include <cstdint>
#include <utility>

#include "support/acl_fixture.hpp"

namespace {

using namespace support;

class Reuse : public acl_fixture {
protected:
  /// A block of 32 MiB that the held stream 1 has freed.
  void* freed_behind(const gate& held, aclrtMemPool pool) {
    void* block = allocate(pool, s1_, 32_M);
    hold(s1_, held);
    release(block, s1_);
    return block;
  }

  /// A block of 32 MiB whose free on stream 1 has run; the host has neither waited nor asked.
  void* freed_and_passed(aclrtMemPool pool) {
    void* block = allocate(pool, s1_, 32_M);
    fill(s1_, block, 2_M, 1);
    release(block, s1_);
    const witness passed;
    call(s1_, passed);
    EXPECT_TRUE(passed.wait_until_ran());
    return block;
  }
};

TEST_F(Reuse, S28_SameStreamWhileBlocked) {
  aclrtMemPool pool = make_pool({});
  void* first = allocate(pool, s1_, 32_M);
  allocate(pool, s1_, 2_M);
  gate held;
  hold(s1_, held);
  release(first, s1_);
  void* second = allocate(pool, s1_, 32_M);
  EXPECT_EQ(second, first);
  EXPECT_EQ(used(pool), 34_M);
  release(second, s1_);
  EXPECT_EQ(used(pool), 2_M);
}

TEST_F(Reuse, S29_OtherStreamWithAllSwitchesOff) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  void* first = freed_and_passed(pool);
  EXPECT_NE(allocate(pool, s2_, 32_M), first);
}

TEST_F(Reuse, S29_SameStreamWithAllSwitchesOff) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  void* first = freed_and_passed(pool);
  EXPECT_EQ(allocate(pool, s1_, 32_M), first);
}

TEST_F(Reuse, S30_OpportunisticAfterTheFreeRan) {
  aclrtMemPool pool = make_pool({.opportunistic = true, .threshold = keep_all});
  void* first = freed_and_passed(pool);
  EXPECT_EQ(allocate(pool, s2_, 32_M), first);
}

TEST_F(Reuse, S31_D12_OpportunisticBeforeTheFreeRuns) {
  aclrtMemPool pool = make_pool({.opportunistic = true, .threshold = keep_all});
  gate held;
  void* first = freed_behind(held, pool);
  EXPECT_NE(allocate(pool, s2_, 32_M), first);
}

TEST_F(Reuse, S32_OrderedByAnEvent) {
  aclrtMemPool pool = make_pool({.event = true});
  gate held;
  void* first = freed_behind(held, pool);
  order(s1_, s2_);
  void* second = allocate(pool, s2_, 32_M);
  EXPECT_EQ(second, first);
  fill(s2_, second, 32_M, 2);
  const witness writer(held);
  call(s2_, writer);
  EXPECT_FALSE(is_complete(s2_));
  held.open();
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_TRUE(writer.ran_behind_the_gate());
  EXPECT_TRUE(holds(second, 32_M, 2));
}

TEST_F(Reuse, S33_OrderedByAnEventWithTheSwitchOff) {
  aclrtMemPool pool = make_pool({});
  gate held;
  void* first = freed_behind(held, pool);
  order(s1_, s2_);
  EXPECT_NE(allocate(pool, s2_, 32_M), first);
}

TEST_F(Reuse, OrderThroughAThirdStream) {
  aclrtMemPool pool = make_pool({.event = true});
  gate held;
  void* first = freed_behind(held, pool);
  order(s1_, s2_);
  order(s2_, s3_);
  EXPECT_EQ(allocate(pool, s3_, 32_M), first);
}

TEST_F(Reuse, S36_RecordBeforeTheFree) {
  aclrtMemPool pool = make_pool({.event = true});
  void* first = allocate(pool, s1_, 32_M);
  gate held;
  hold(s1_, held);
  order(s1_, s2_);
  release(first, s1_);
  EXPECT_NE(allocate(pool, s2_, 32_M), first);
}

TEST_F(Reuse, AWaitIsForTheRecordOfItsTime) {
  aclrtMemPool pool = make_pool({.event = true});
  void* first = allocate(pool, s1_, 32_M);
  gate held;
  hold(s1_, held);
  aclrtEvent event = make_event();
  record(event, s1_);
  wait(s2_, event);
  release(first, s1_);
  record(event, s1_);
  EXPECT_NE(allocate(pool, s2_, 32_M), first);
  wait(s2_, event);
  EXPECT_EQ(allocate(pool, s2_, 32_M), first);
}

// D2: what the host has seen complete counts for every stream, whatever the switches say.
TEST_F(Reuse, D02_SeenByASynchronise) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  void* first = freed_and_passed(pool);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(allocate(pool, s2_, 32_M), first);
}

TEST_F(Reuse, D02_SeenByAQueryOfTheStream) {
  aclrtMemPool pool = make_pool({.threshold = keep_all});
  void* first = freed_and_passed(pool);
  EXPECT_TRUE(eventually([this] { return is_complete(s1_); }));
  EXPECT_EQ(allocate(pool, s2_, 32_M), first);
}

TEST_F(Reuse, D02_SeenByAnEvent) {
  for (const bool by_query : {false, true}) {
    aclrtMemPool pool = make_pool({.threshold = keep_all});
    void* first = freed_and_passed(pool);
    aclrtEvent event = make_event();
    record(event, s1_);
    if (by_query) {
      EXPECT_TRUE(eventually([event] { return is_reached(event); }));
    } else {
      EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, patience_ms), ACL_SUCCESS);
    }
    EXPECT_EQ(allocate(pool, s2_, 32_M), first);
  }
}

TEST_F(Reuse, D02_AnUnansweredQueryShowsNothing) {
  aclrtMemPool pool = make_pool({});
  gate held;
  void* first = freed_behind(held, pool);
  EXPECT_FALSE(is_complete(s1_));
  EXPECT_NE(allocate(pool, s2_, 32_M), first);
}

// D1: a block belongs to the stream that freed it, not to the one that allocated it.
TEST_F(Reuse, D01_TheFreeingStreamOwnsTheBlock) {
  aclrtMemPool pool = make_pool({});
  void* first = allocate(pool, s1_, 4_M);
  order(s1_, s2_);
  gate held;
  hold(s2_, held);
  release(first, s2_);
  EXPECT_NE(allocate(pool, s1_, 4_M), first);
  EXPECT_EQ(allocate(pool, s2_, 4_M), first);
}

// D2: with the switch for it, a full pool makes the taker wait.
TEST_F(Reuse, D02_InternalWhenThePoolCannotGrow) {
  aclrtMemPool pool = make_pool({.internal = true, .max_bytes = 32_M});
  gate held;
  void* first = freed_behind(held, pool);
  void* second = allocate(pool, s2_, 32_M);
  EXPECT_EQ(second, first);
  const witness writer(held);
  call(s2_, writer);
  EXPECT_FALSE(is_complete(s2_));
  held.open();
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_TRUE(writer.ran_behind_the_gate());
}

// D11: new memory comes before an inserted wait.
TEST_F(Reuse, D11_InternalOnlyWhenThePoolCannotGrow) {
  aclrtMemPool pool = make_pool({.internal = true, .max_bytes = 64_M});
  gate held;
  void* first = freed_behind(held, pool);
  EXPECT_NE(allocate(pool, s2_, 32_M), first);
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
}

// D11: the same stream's block comes before one by events, also when that one fits better.
TEST_F(Reuse, D11_SameStreamFirst) {
  aclrtMemPool pool = make_pool({.event = true});
  void* of_other = allocate(pool, s1_, 4_M);
  allocate(pool, s1_, 2_M);
  void* own = allocate(pool, s2_, 8_M);
  allocate(pool, s1_, 2_M);
  gate held;
  hold(s1_, held);
  hold(s2_, held);
  release(of_other, s1_);
  order(s1_, s2_);
  release(own, s2_);
  EXPECT_TRUE(inside(allocate(pool, s2_, 4_M), 4_M, own, 8_M));
}

TEST_F(Reuse, S44_BestFit) {
  aclrtMemPool pool = make_pool({});
  void* small = allocate(pool, s1_, 4_M);
  allocate(pool, s1_, 2_M);  // keeps the idle blocks apart
  void* large = allocate(pool, s1_, 16_M);
  allocate(pool, s1_, 2_M);
  void* fitting = allocate(pool, s1_, 8_M);
  allocate(pool, s1_, 2_M);
  gate held;
  hold(s1_, held);
  release(small, s1_);
  release(large, s1_);
  release(fitting, s1_);
  const auto reserved_before = reserved(pool);
  void* block = allocate(pool, s1_, 6_M);
  void* rest = allocate(pool, s1_, 2_M);
  EXPECT_TRUE(inside(block, 6_M, fitting, 8_M));
  EXPECT_TRUE(inside(rest, 2_M, fitting, 8_M));
  EXPECT_TRUE(apart(block, 6_M, rest, 2_M));
  EXPECT_EQ(reserved(pool), reserved_before);
}

TEST_F(Reuse, D11_TheLowestAddressOfTheSameSize) {
  aclrtMemPool pool = make_pool({});
  void* low = allocate(pool, s1_, 4_M);
  allocate(pool, s1_, 2_M);
  void* high = allocate(pool, s1_, 4_M);
  allocate(pool, s1_, 2_M);
  if (number(high) < number(low)) {
    std::swap(low, high);
  }
  gate held;
  hold(s1_, held);
  release(high, s1_);
  release(low, s1_);
  EXPECT_EQ(allocate(pool, s1_, 4_M), low);
  EXPECT_EQ(allocate(pool, s1_, 4_M), high);
}

TEST_F(Reuse, S47_CrissCross) {
  aclrtMemPool pool = make_pool({});
  void* first = allocate(pool, s1_, 2_M);
  void* second = allocate(pool, s2_, 2_M);
  fill(s1_, first, 2_M, 0x11);
  fill(s2_, second, 2_M, 0x22);
  aclrtEvent event1 = make_event();
  aclrtEvent event2 = make_event();
  record(event1, s1_);
  record(event2, s2_);
  wait(s2_, event1);
  wait(s1_, event2);
  host_buffer first_copy(2_M);
  host_buffer second_copy(2_M);
  first_copy.copy_from(first, s2_);
  second_copy.copy_from(second, s1_);
  release(first, s2_);
  release(second, s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_TRUE(first_copy.holds(0x11));
  EXPECT_TRUE(second_copy.holds(0x22));
  EXPECT_EQ(used(pool), 0U);
}

TEST_F(Reuse, S48_ThreeStreams) {
  aclrtMemPool pool = make_pool({});
  gate held;
  hold(s1_, held);
  void* block = allocate(pool, s1_, 2_M);
  fill(s1_, block, 2_M, 0x33);
  order(s1_, s2_);
  host_buffer copy(2_M);
  copy.copy_from(block, s2_);
  order(s2_, s3_);
  release(block, s3_);
  EXPECT_NE(allocate(pool, s1_, 2_M), block);
  EXPECT_EQ(allocate(pool, s3_, 2_M), block);
  held.open();
  EXPECT_EQ(settle_device(), ACL_SUCCESS);
  EXPECT_TRUE(copy.holds(0x33));
}

}  // namespace
