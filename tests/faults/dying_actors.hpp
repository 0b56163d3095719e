// What tests of actors that end by a fault have in common: a program is run again and again, and each time
// the next message to an actor of one kind ends it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "actor_killer.hpp"
#include "small_program.hpp"
#include "support/watchdog.hpp"

namespace fault_tests {

/// The parameter is the kind of actor, and when it ends.
class dying_actors : public testing::TestWithParam<std::tuple<const char*, moment>> {
protected:
  static constexpr auto limit = std::chrono::seconds(60);

  static std::string kind() { return std::get<0>(GetParam()); }

  /// Calls program(device, killer) with each message in turn ending an actor, until none is ended any more.
  template <class Program>
  static void end_at_each_message(const Program& program) {
    int nth = 0;
    do {
      ++nth;
    } while (run(nth, program) && !HasFatalFailure());
    EXPECT_GT(nth, 2);
  }

private:
  // What the messages of the program end, with nothing done about it. Returns whether something was ended.
  template <class Program>
  static bool run(int nth, const Program& program) {
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
      program(device, killer);
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

/// For INSTANTIATE_TEST_SUITE_P: "engineBefore".
inline std::string name_of_death(const testing::TestParamInfo<std::tuple<const char*, moment>>& given) {
  std::string name = std::get<0>(given.param);
  std::erase(name, ' ');
  return name + (std::get<1>(given.param) == moment::before_it_is_handled ? "Before" : "After");
}

}  // namespace fault_tests
