// What the memory of a stream-ordered pool is made of. What the system grants depends on the machine; that a
// pool keeps what was granted does not.

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;
using testing::HasSubstr;

constexpr soma::memory_kind of_node_0{.numa_node = 0};

class PoolKind : public cpp_fixture {
protected:
  /// Whether the system was asked for memory of some node for this place.
  static bool prefers_a_node(const void* place) {
    constexpr std::size_t words = 16;
    std::array<unsigned long, words> nodes{};
    int policy = MPOL_DEFAULT;
    EXPECT_EQ(::syscall(SYS_get_mempolicy, &policy, nodes.data(), words * 64, place, MPOL_F_ADDR), 0);
    return policy == MPOL_PREFERRED;
  }

  /// Takes all of the pool's memory back, once everything has run.
  void empty(soma::pool& pool) {
    must(settle(s1_));
    must(pool.trim_to(0));
    ASSERT_EQ(must(pool.statistics()).reserved, 0U);
  }
};

TEST_F(PoolKind, AWishIsGrantedOrRefusedWithAReason) {
  auto pool = make_pool({.kind = {.huge_pages = true, .numa_node = 1000}});
  const auto kind = must(pool.kind());
  EXPECT_FALSE(kind.numa_node);
  EXPECT_THAT(kind.refused, HasSubstr("NUMA node 1000"));
  EXPECT_EQ(kind.huge_pages, kind.refused.find("no huge pages") == std::string::npos) << kind.refused;
  void* block = must(pool.malloc_async(2_M, s1_));
  must(s1_.fill(block, 1, 2_M));
  EXPECT_TRUE(holds(s1_, block, 2_M, 1)) << "the pool works all the same";
  must(pool.free_async(block, s1_));
}

TEST_F(PoolKind, TellsWhatTheMemoryIsAtTheMoment) {
  auto pool = make_pool({.limit = 64_M, .release_threshold = keep_all, .kind = of_node_0});
  EXPECT_EQ(must(pool.kind()).resident, 0U);
  void* first = must(pool.malloc_async(2_M, s1_));
  void* between = must(pool.malloc_async(8_M, s1_));
  void* last = must(pool.malloc_async(4_M, s1_));
  EXPECT_EQ(must(pool.kind()).resident, 0U) << "nothing was touched";
  must(s1_.fill(first, 1, 2_M));
  must(s1_.fill(last, 1, 4_M));
  must(settle(s1_));
  const auto kind = must(pool.kind());
  EXPECT_EQ(kind.resident, 6_M);
  if (kind.numa_node) {
    EXPECT_GT(kind.on_node, 0U);
    EXPECT_LE(kind.on_node, kind.resident);
  }
  for (void* block : {first, between, last}) {
    must(pool.free_async(block, s1_));
  }
  empty(pool);
  EXPECT_EQ(must(pool.kind()).resident, 0U);
}

TEST_F(PoolKind, GranulesThatGoBackAndComeAgainKeepTheWish) {
  auto pool = make_pool({.kind = of_node_0});
  if (!must(pool.kind()).numa_node) {
    GTEST_SKIP() << must(pool.kind()).refused;
  }
  for (int round = 0; round < 2; ++round) {
    void* block = must(pool.malloc_async(6_M, s1_));
    EXPECT_TRUE(prefers_a_node(block)) << round;
    EXPECT_TRUE(prefers_a_node(advance(block, 6_M - 1))) << round;
    must(pool.free_async(block, s1_));
    empty(pool);
  }
}

TEST_F(PoolKind, TheWishEndsWithThePool) {
  void* block = nullptr;
  {
    auto pool = make_pool({.kind = of_node_0});
    if (!must(pool.kind()).numa_node) {
      GTEST_SKIP() << must(pool.kind()).refused;
    }
    block = must(pool.malloc_async(2_M, s1_));
  }
  EXPECT_TRUE(prefers_a_node(block)) << "live blocks outlive their pool";
  must(device_.free_async(block, s1_));
  must(settle(s1_));
  ASSERT_TRUE(eventually([this] { return unused(); }));
  auto next = make_pool({});
  void* again = must(next.malloc_async(2_M, s1_));
  ASSERT_EQ(again, block) << "the next pool has the same addresses";
  EXPECT_FALSE(prefers_a_node(again));
  EXPECT_EQ(must(next.kind()).refused, "");
  must(next.free_async(again, s1_));
}

TEST_F(PoolKind, HostMemoryIsRefused) {
  const auto refused = device_.create_pool({.kind = {.memory = soma::pool_memory::host}});
  ASSERT_TRUE(failed_with(refused, errc::invalid_argument));
  EXPECT_THAT(refused.error().message,
              HasSubstr("device::create_pool: a stream-ordered pool has device memory"));
}

TEST_F(PoolKind, APoolThatIsGoneHasNone) {
  auto pool = make_pool({});
  must(pool.destroy());
  EXPECT_TRUE(failed_with(pool.kind(), errc::invalid_handle));
}

}  // namespace
