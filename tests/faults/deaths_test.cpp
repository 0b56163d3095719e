// Actors end by a fault, at each of their messages in turn. Every call returns, with its result or an error
// that says what has ended; what the actor had nothing to do with goes on; memory comes back; the runtime
// ends.

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include <gmock/gmock.h>

#include "dying_actors.hpp"

namespace {

using namespace fault_tests;

class Deaths : public dying_actors {
protected:
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
};

TEST_P(Deaths, AtEachMessageInTurn) { end_at_each_message(run_program); }

INSTANTIATE_TEST_SUITE_P(Actors, Deaths,
                         testing::Combine(testing::Values("device", "stream", "event", "pool", "engine"),
                                          testing::Values(moment::before_it_is_handled,
                                                          moment::after_it_was_handled)),
                         name_of_death);

// The first message to a device is the one that makes its default stream.
TEST(DeathOfADevice, WhileTheRuntimeIsMade) {
  const watchdog over(std::chrono::seconds(60), "creating a runtime");
  actor_killer killer("device", 1, moment::before_it_is_handled);
  killer.set_active(true);
  const auto runtime = soma::runtime::create({.devices = 2});
  ASSERT_TRUE(failed_with(runtime, errc::actor_gone));
  EXPECT_THAT(runtime.error().message, testing::HasSubstr("device"));
}

}  // namespace
