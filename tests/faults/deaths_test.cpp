// Actors end by a fault, at each of their messages in turn. Every call returns, with its result or an error
// that says what has ended; what the actor had nothing to do with goes on; memory comes back; the runtime
// ends.

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include <gmock/gmock.h>

#include "actor_killer.hpp"
#include "small_program.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace fault_tests;

constexpr auto limit = std::chrono::seconds(60);

class Deaths : public testing::TestWithParam<std::tuple<const char*, moment>> {
protected:
  static std::string kind() { return std::get<0>(GetParam()); }

  // A task that touches the memory of a pool that has ended raises a signal. A block stays live if the stream
  // that was to free it has ended.
  static std::set<errc> codes() {
    if (kind() == "pool") {
      return {errc::actor_gone, errc::task_failed};
    }
    if (kind() == "stream") {
      return {errc::actor_gone, errc::out_of_memory};
    }
    return {errc::actor_gone};
  }

  /// What the messages of the program end, with nothing done about it. Returns whether something was ended.
  static bool run(int nth) {
    const auto name = kind() + " " + std::to_string(nth);
    const watchdog over(limit, name);
    SCOPED_TRACE(name);
    actor_killer killer(kind(), nth, std::get<1>(GetParam()));
    {
      const auto runtime = must(soma::runtime::create({.device_memory = small_program::device_memory}));
      auto device = must(runtime.get_device());
      std::optional<bystander> other(device);
      other->check();
      killer.set_active(true);
      run_program(device, killer);
      killer.set_active(false);
      if (kind() != "device" || !killer.killed()) {
        wait_for_engines(device);
        other->check();
        EXPECT_TRUE(eventually([&] { return is_unused(device); })) << "device memory is still in use";
      }
      other.reset();
      killer.set_active(true);
    }
    return killer.killed();
  }

  static void run_program(soma::device& device, const actor_killer& killer) {
    small_program program(device, codes());
    program.run();
    for (const auto& text : program.failures()) {
      if (text.find("ended") != std::string::npos) {
        EXPECT_THAT(text,
                    testing::AnyOf(testing::HasSubstr(kind()), testing::HasSubstr("part of the runtime")));
      }
    }
    if (!killer.killed()) {
      EXPECT_EQ(std::count_if(program.failures().begin(), program.failures().end(),
                              [](const auto& text) { return text.find("on purpose") == std::string::npos; }),
                0);
    }
  }

  // An engine that has ended just now may have been given a run before the device knew.
  static void wait_for_engines(soma::device& device) {
    if (kind() == "engine") {
      auto stream = must(device.create_stream());
      EXPECT_TRUE(eventually([&] {
        must(stream.call([] {}));
        return stream.synchronize_for(patience).has_value();
      }));
    }
  }

  static bool is_unused(const soma::device& device) {
    const auto memory = must(device.memory());
    return memory.free == memory.total;
  }
};

TEST_P(Deaths, AtEachMessageInTurn) {
  int nth = 0;
  do {
    ++nth;
  } while (run(nth) && !HasFatalFailure());
  EXPECT_GT(nth, 2);
}

INSTANTIATE_TEST_SUITE_P(Actors, Deaths,
                         testing::Combine(testing::Values("device", "stream", "event", "pool", "engine"),
                                          testing::Values(moment::before_it_is_handled,
                                                          moment::after_it_was_handled)),
                         [](const auto& given) {
                           return std::string(std::get<0>(given.param)) +
                                  (std::get<1>(given.param) == moment::before_it_is_handled ? "Before"
                                                                                            : "After");
                         });

// The first message to a device is the one that makes its default stream.
TEST(DeathOfADevice, WhileTheRuntimeIsMade) {
  const watchdog over(limit, "creating a runtime");
  actor_killer killer("device", 1, moment::before_it_is_handled);
  killer.set_active(true);
  const auto runtime = soma::runtime::create({.devices = 2});
  ASSERT_TRUE(failed_with(runtime, errc::actor_gone));
  EXPECT_THAT(runtime.error().message, testing::HasSubstr("device"));
}

}  // namespace
