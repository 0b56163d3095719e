// A program that uses CAF itself, with types and a system of its own, and soma beside that: the runtime comes
// and goes a hundred times, and nothing is left of it.

#include <cstdint>
#include <functional>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <gtest/gtest.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "host/process_size.hpp"
#include "messages/caf.hpp"
#include "soma/soma.hpp"
#include "support/gate.hpp"

namespace host_tests {

struct question {
  int value = 0;
};

}  // namespace host_tests

// The number that CAF 1.x gives this type is the first that a program may have: soma must not have taken it.
#if !SOMA_CAF_LEGACY
CAF_BEGIN_TYPE_ID_BLOCK(host_tests, caf::first_custom_type_id)
CAF_ADD_TYPE_ID(host_tests, (host_tests::question))
CAF_END_TYPE_ID_BLOCK(host_tests)
#endif
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(host_tests::question)

namespace host_tests {

namespace messages = soma::messages;
using namespace support::literals;

constexpr int rounds = 100;
constexpr int rounds_to_warm_up = 20;
constexpr std::ptrdiff_t mappings_that_may_come = 4;
constexpr std::size_t heap_that_may_come = 32 * 1024;

// The program's own use of CAF.
class own_actors {
public:
  // With an argument: CAF 0.17 binds a reference to null for an actor without any, which
  // UndefinedBehaviorSanitizer reports.
  own_actors()
      : echo_(system_.spawn(
            [](caf::event_based_actor* /*self*/, int added) -> caf::behavior {
              return {[added](const question& asked) { return asked.value + added; }};
            },
            1)) {}

  ~own_actors() { caf::anon_send_exit(echo_, caf::exit_reason::user_shutdown); }

  own_actors(const own_actors&) = delete;
  own_actors& operator=(const own_actors&) = delete;

  int ask(int value) {
    int answer = 0;
    messages::caf_request(self_, echo_, question{value})
        .receive([&](int got) { answer = got; }, [](const caf::error& /*reason*/) {});
    return answer;
  }

private:
  struct configuration : caf::actor_system_config {
    configuration() {
      messages::configure_as_caf_does(*this);
#if !SOMA_CAF_LEGACY
      caf::init_global_meta_objects<caf::id_block::host_tests>();
#endif
    }
  };

  configuration config_;
  caf::actor_system system_{config_};
  caf::scoped_actor self_{system_};
  caf::actor echo_;
};

void use_the_runtime() {
  const auto runtime = soma::runtime::create({.devices = 2, .device_memory = 64_M}).value();
  for (std::uint32_t index = 0; index < 2; ++index) {
    auto device = runtime.get_device(index).value();
    auto first = device.create_stream().value();
    auto second = device.create_stream().value();
    auto event = device.create_event().value();
    auto pool = device.create_pool({.minimum_block = 512, .reuse = {.event = true}}).value();
    int read = 0;
    void* const block = pool.malloc_async(4_M, first).value();
    ASSERT_TRUE(first.fill(block, 7, 4_M));
    ASSERT_TRUE(first.record(event));
    ASSERT_TRUE(second.wait(event));
    ASSERT_TRUE(second.call([&read, block] { read = *static_cast<const unsigned char*>(block); }));
    ASSERT_TRUE(pool.free_async(block, second));
    ASSERT_TRUE(device.synchronize());
    EXPECT_EQ(read, 7);
  }
}

void use_the_c_interface() {
  const aclrtMemPoolProps props{ACL_MEM_ALLOCATION_TYPE_PINNED, {}, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, 0, {}};
  aclrtStream stream = nullptr;
  aclrtMemPool pool = nullptr;
  void* block = nullptr;
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemPoolCreate(&pool, &props), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemPoolMallocAsync(&block, 4096, pool, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemsetAsync(block, 4096, 1, 4096, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemPoolFreeAsync(block, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemPoolDestroy(pool), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclFinalize(), ACL_SUCCESS);
}

// Rounds after which the process has not more than after the first ones. A few kilobytes may differ by how
// the threads of a round came to their allocations; what a round would leave behind, eighty would leave many
// times.
void expect_no_growth(const std::function<void()>& round) {
  own_actors own;
  process_size warm;
  for (int number = 0; number < rounds; ++number) {
    if (number == rounds_to_warm_up) {
      warm = size_of_process();
    }
    round();
    ASSERT_EQ(own.ask(number), number + 1) << "the program's own actor, after round " << number;
  }
  EXPECT_TRUE(support::eventually([&] { return size_of_process().threads <= warm.threads; }));
  const auto last = size_of_process();
  EXPECT_LE(last.threads, warm.threads);
  EXPECT_LE(last.files, warm.files);
#ifndef HOST_TESTS_OTHER_HEAP  // a sanitizer keeps what was freed for a while, in mappings of its own
  EXPECT_LE(last.mappings, warm.mappings + mappings_that_may_come);
  EXPECT_LE(last.heap_bytes, warm.heap_bytes + heap_that_may_come);
#endif
  testing::Test::RecordProperty("warm", testing::PrintToString(warm));
  testing::Test::RecordProperty("last", testing::PrintToString(last));
}

TEST(HostWithActorsOfItsOwn, AHundredRuntimes) { expect_no_growth(use_the_runtime); }

TEST(HostWithActorsOfItsOwn, AHundredTimesTheCInterface) { expect_no_growth(use_the_c_interface); }

// Both know CAF's table of types, whoever set it up, and end apart.
TEST(HostWithActorsOfItsOwn, ItsSystemMayEndFirst) {
  const auto runtime = soma::runtime::create({.device_memory = 64_M}).value();
  {
    own_actors own;
    EXPECT_EQ(own.ask(1), 2);
  }
  auto device = runtime.get_device().value();
  auto stream = device.create_stream().value();
  EXPECT_TRUE(stream.call([] {}));
  EXPECT_TRUE(stream.synchronize());
}

}  // namespace host_tests
