// Default streams. Threads have none of their own here; what comes closest is a thread with a context of its
// own, whose default stream it uses by the same null handle as all others.

#include <array>
#include <cstdint>
#include <functional>
#include <thread>

#include "support/acl_fixture.hpp"

namespace {

using namespace support;

class DefaultStreams : public acl_fixture {
protected:
  /// Runs the part in a new thread that has a context of its own; the part gets that context's default
  /// stream.
  static void in_a_new_context(const std::function<void(aclrtStream)>& part) {
    std::thread([&part] {
      aclrtContext own = nullptr;
      ASSERT_EQ(aclrtCreateContext(&own, 0), ACL_SUCCESS);
      aclrtStream by_default = nullptr;
      ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&by_default), ACL_SUCCESS);
      part(by_default);
      EXPECT_EQ(settle(nullptr), ACL_SUCCESS);
      EXPECT_EQ(aclrtDestroyContext(own), ACL_SUCCESS);
    }).join();
  }

  static void* allocate_2m(aclrtMemPool pool, aclrtStream stream) {
    void* block = nullptr;
    EXPECT_EQ(aclrtMemPoolMallocAsync(&block, 2_M, pool, stream), ACL_SUCCESS);
    return block;
  }

  /// Writes, and reads back behind it: the default stream is meant by null.
  static void write_and_read(void* block, std::uint8_t value) {
    host_buffer copy(2_M);
    fill(nullptr, block, 2_M, value);
    copy.copy_from(block, nullptr);
    EXPECT_EQ(settle(nullptr), ACL_SUCCESS);
    EXPECT_TRUE(copy.holds(value));
  }
};

TEST_F(DefaultStreams, S81_TwoAtTheSameTime) {
  aclrtMemPool pool = make_pool({});
  aclrtStream outer = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&outer), ACL_SUCCESS);
  void* block = allocate_2m(pool, outer);
  gate held;
  hold(nullptr, held);
  ASSERT_TRUE(held.wait_until_started());
  fill(nullptr, block, 2_M, 0x81);
  in_a_new_context([&](aclrtStream inner) {
    EXPECT_NE(inner, outer);
    void* other = allocate_2m(pool, inner);
    EXPECT_NE(other, block);
    write_and_read(other, 0x18);
    EXPECT_EQ(aclrtMemPoolFreeAsync(other, inner), ACL_SUCCESS);
  });
  EXPECT_FALSE(is_complete(nullptr)) << "the other default stream did not wait for this one";
  held.open();
  EXPECT_EQ(settle(nullptr), ACL_SUCCESS);
  EXPECT_TRUE(holds(block, 2_M, 0x81));
  EXPECT_EQ(aclrtMemPoolFreeAsync(block, outer), ACL_SUCCESS);
}

TEST_F(DefaultStreams, S82_B08_NoReuseBetweenTwo) {
  aclrtMemPool pool = make_pool({});
  aclrtStream outer = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&outer), ACL_SUCCESS);
  void* freed = allocate_2m(pool, outer);
  gate held;
  hold(nullptr, held);
  EXPECT_EQ(aclrtMemPoolFreeAsync(freed, outer), ACL_SUCCESS);
  in_a_new_context([&](aclrtStream inner) {
    void* other = allocate_2m(pool, inner);
    EXPECT_NE(other, freed);
    EXPECT_EQ(aclrtMemPoolFreeAsync(other, inner), ACL_SUCCESS);
  });
  void* again = allocate_2m(pool, outer);
  EXPECT_EQ(again, freed) << "its own default stream may have it back";
  EXPECT_EQ(aclrtMemPoolFreeAsync(again, outer), ACL_SUCCESS);
}

}  // namespace
