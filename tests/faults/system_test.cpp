// The operating system refuses memory: at every request in turn, and for good.

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "small_program.hpp"
#include "support/failing_system.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace fault_tests;
using testing::HasSubstr;

constexpr auto limit = std::chrono::seconds(60);
const soma::runtime_options options{.device_memory = small_program::device_memory};

class Creation : public testing::TestWithParam<system_request> {};

TEST_P(Creation, FailsWithTheReasonIfTheSystemRefusesForGood) {
  const watchdog over(limit, "creating a runtime");
  const failing_system system({GetParam()}, 1, failing_system::how::from_then_on);
  const auto refused = soma::runtime::create(options);
  ASSERT_TRUE(failed_with(refused, errc::system_failure));
  EXPECT_THAT(refused.error().message, HasSubstr("runtime::create"));
  EXPECT_THAT(refused.error().message, HasSubstr("Cannot allocate memory"));
}

TEST_P(Creation, WorksAfterwards) {
  const watchdog over(limit, "creating a runtime");
  {
    const failing_system system({GetParam()}, 1, failing_system::how::from_then_on);
    ASSERT_FALSE(soma::runtime::create(options));
  }
  const auto runtime = must(soma::runtime::create(options));
  auto device = must(runtime.get_device());
  bystander(device).check();
}

INSTANTIATE_TEST_SUITE_P(System, Creation,
                         testing::Values(system_request::memory_file, system_request::file_size,
                                         system_request::addresses));

TEST(System, ASmallerRangeDoes) {
  const watchdog over(limit, "creating a runtime");
  const failing_system system({system_request::addresses}, 1);
  const auto runtime = must(soma::runtime::create(options));
  EXPECT_EQ(system.failed(), 1);
  auto device = must(runtime.get_device());
  small_program(device, {}).run();
}

struct refusal {
  const char* name;
  system_request request;
  std::set<errc> codes;  // that calls may fail with
};

class Requests : public testing::TestWithParam<refusal> {
protected:
  /// The program, with a system that refuses from its n-th request on, once or for good. Returns whether it
  /// has refused anything.
  static bool run(int nth, failing_system::how often) {
    const watchdog over(limit, std::string(GetParam().name) + " " + std::to_string(nth));
    SCOPED_TRACE(nth);
    failing_system system({GetParam().request}, nth, often);
    const auto runtime = must(soma::runtime::create(options));
    auto device = must(runtime.get_device());
    small_program(device, GetParam().codes).run();
    const bool has_failed = system.failed() > 0;
    system.end();
    bystander(device).check();
    give_rest_back(device);
    const auto memory = must(device.memory());
    EXPECT_EQ(memory.free, memory.total);
    return has_failed;
  }

  // What could not be given back stays idle: with the next release of its heap it goes.
  static void give_rest_back(soma::device& device) { must(device.free(must(device.malloc(1)))); }

  static void run_at_every_request(failing_system::how often) {
    int failing = 0;
    while (run(failing + 1, often)) {
      ++failing;
    }
    EXPECT_GT(failing, 2);
  }
};

TEST_P(Requests, FailEachInTurn) { run_at_every_request(failing_system::how::once); }

TEST_P(Requests, FailFromEachOn) { run_at_every_request(failing_system::how::from_then_on); }

INSTANTIATE_TEST_SUITE_P(System, Requests,
                         testing::Values(refusal{"access", system_request::access, {errc::system_failure}},
                                         refusal{
                                             "no_access", system_request::no_access, {errc::out_of_memory}},
                                         refusal{"punch", system_request::punch, {errc::out_of_memory}}),
                         [](const auto& given) { return std::string(given.param.name); });

class RefusedPool : public cpp_fixture {
protected:
  RefusedPool() : cpp_fixture(options) {}
};

TEST_F(RefusedPool, AMallocThatCannotBeMappedLeavesThePoolAsItWas) {
  auto pool = make_pool({.release_threshold = keep_all});
  void* busy = must(pool.malloc_async(4_M, s1_));
  const auto before = must(pool.statistics());
  {
    const failing_system system({system_request::access}, 1, failing_system::how::from_then_on);
    const auto refused = pool.malloc_async(6_M, s1_);
    ASSERT_TRUE(failed_with(refused, errc::system_failure));
    EXPECT_THAT(refused.error().message, HasSubstr("mapping of 6291456 bytes"));
    EXPECT_THAT(refused.error().message, HasSubstr("Cannot allocate memory"));
  }
  const auto after = must(pool.statistics());
  EXPECT_EQ(after.used, before.used);
  EXPECT_EQ(after.used_high, before.used_high);
  EXPECT_EQ(after.reserved, before.reserved);
  EXPECT_EQ(after.reserved_high, before.reserved_high);
  EXPECT_EQ(after.live_blocks, before.live_blocks);
  EXPECT_EQ(after.backing_requests, before.backing_requests);
  const auto memory = must(device_.memory());
  EXPECT_EQ(memory.total - memory.free, after.reserved) << "the budget was given back";
  void* next = must(pool.malloc_async(6_M, s1_));
  must(pool.free_async(next, s1_));
  must(pool.free_async(busy, s1_));
}

TEST_F(RefusedPool, AWishForAKindOfMemoryLeavesThePoolAsAnyOther) {
  const failing_system system({system_request::kind}, 1, failing_system::how::from_then_on);
  auto plain = make_pool({});
  must(plain.free_async(must(plain.malloc_async(2_M, s1_)), s1_));
  EXPECT_EQ(system.failed(), 0) << "where nothing is wished nothing is asked";
  auto pool = make_pool({.kind = {.huge_pages = true, .numa_node = 0}});
  const auto kind = must(pool.kind());
  EXPECT_FALSE(kind.huge_pages || kind.numa_node);
  EXPECT_THAT(kind.refused, HasSubstr("no huge pages: "));
  EXPECT_THAT(kind.refused, HasSubstr("no memory of NUMA node 0: "));
  EXPECT_EQ(system.failed() > 0, kind.refused.find("Cannot allocate memory") != std::string::npos)
      << kind.refused;
  must(pool.free_async(must(pool.malloc_async(2_M, s1_)), s1_));
}

class RefusedRelease : public RefusedPool, public testing::WithParamInterface<system_request> {};

TEST_P(RefusedRelease, LeavesTheMemoryIdleAndUsable) {
  auto pool = make_pool({.release_threshold = 0});
  void* block = must(pool.malloc_async(4_M, s1_));
  must(pool.free_async(block, s1_));
  {
    const failing_system system({GetParam()}, 1, failing_system::how::from_then_on);
    EXPECT_TRUE(succeeded(settle(s1_)));
    EXPECT_GT(system.failed(), 0);
  }
  const auto kept = must(pool.statistics());
  EXPECT_EQ(kept.reserved, 4_M);
  EXPECT_EQ(kept.idle, 4_M);
  EXPECT_EQ(kept.backing_returns, 0U);
  void* again = must(pool.malloc_async(4_M, s1_));
  EXPECT_EQ(again, block);
  must(s1_.fill(again, 5, 4_M));
  EXPECT_TRUE(holds(s1_, again, 4_M, 5)) << "a block that was reused can be written";
  must(pool.free_async(again, s1_));
  EXPECT_TRUE(succeeded(settle(s1_)));
  EXPECT_EQ(must(pool.statistics()).reserved, 0U);
}

TEST_P(RefusedRelease, OfPlainMemoryLeavesItUsable) {
  void* plain = must(device_.malloc(4_M));
  {
    const failing_system system({GetParam()}, 1, failing_system::how::from_then_on);
    EXPECT_TRUE(succeeded(device_.free(plain)));
    EXPECT_GT(system.failed(), 0);
  }
  EXPECT_FALSE(unused());
  void* again = must(device_.malloc(4_M));
  must(s1_.fill(again, 5, 4_M));
  EXPECT_TRUE(holds(s1_, again, 4_M, 5));
  EXPECT_TRUE(succeeded(device_.free(again)));
  EXPECT_TRUE(unused());
}

TEST_P(RefusedRelease, OfAPoolThatWasDestroyedIsTriedAgain) {
  auto pool = make_pool({.limit = 4_M});
  void* block = must(pool.malloc_async(4_M, s1_));
  {
    const failing_system system({GetParam()}, 1, failing_system::how::from_then_on);
    must(pool.free_async(block, s1_));
    must(pool.destroy());
    EXPECT_TRUE(succeeded(settle(s1_)));
    EXPECT_FALSE(unused());
  }
  EXPECT_TRUE(succeeded(settle(s1_)));
  EXPECT_TRUE(eventually([this] { return unused(); }));
}

INSTANTIATE_TEST_SUITE_P(System, RefusedRelease,
                         testing::Values(system_request::no_access, system_request::punch));

}  // namespace
