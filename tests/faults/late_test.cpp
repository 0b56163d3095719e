// Messages come late: later than everything else that goes on. Nothing may depend on it but the time: each
// call returns, around synchronize, destroy and the end, and memory comes back.

#include <optional>
#include <string>

#include "late_wire.hpp"
#include "small_program.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace fault_tests;

constexpr auto limit = std::chrono::seconds(100);

void run_program() {
  const auto runtime = must(soma::runtime::create({.device_memory = small_program::device_memory}));
  auto device = must(runtime.get_device());
  small_program(device, {}).run();
  bystander(device).check();
  EXPECT_TRUE(eventually([&] {
    const auto memory = must(device.memory());
    return memory.free == memory.total;
  }));
}

class LateRoute : public testing::TestWithParam<route> {};

TEST_P(LateRoute, ChangesNothing) {
  const watchdog over(limit, to_string(GetParam()));
  const late_wire wire(GetParam());
  run_program();
  EXPECT_GT(wire.held(), 0);
}

INSTANTIATE_TEST_SUITE_P(Routes, LateRoute, testing::ValuesIn(all_routes),
                         [](const auto& given) { return to_string(given.param); });

class LateMessages : public testing::TestWithParam<std::uint32_t> {};

TEST_P(LateMessages, ChangeNothing) {
  const watchdog over(limit, "seed " + std::to_string(GetParam()));
  const late_wire wire(GetParam());
  run_program();
  EXPECT_GT(wire.held(), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LateMessages, testing::Range(1U, 13U));

// The end of a runtime while a message that it waits for is on its way.
TEST_P(LateRoute, HoldsUpNoEnd) {
  const watchdog over(limit, to_string(GetParam()));
  const late_wire wire(GetParam());
  for (int round = 0; round < 3; ++round) {
    const auto runtime = must(soma::runtime::create({.device_memory = small_program::device_memory}));
    auto device = must(runtime.get_device());
    auto first = must(device.create_stream());
    auto second = must(device.create_stream());
    auto pool = must(device.create_pool());
    auto event = must(device.create_event());
    void* block = must(pool.malloc_async(2_M, first));
    must(first.fill(block, 1, 2_M));
    must(first.record(event));
    must(second.wait(event));
    must(pool.free_async(block, second));
    void* left_over = must(pool.malloc_async(2_M, second));
    must(second.fill(left_over, 1, 2_M));
  }
}

}  // namespace
