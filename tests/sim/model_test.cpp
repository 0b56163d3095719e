// What the model can tell apart: orders of arrival, answers that come before their effects.

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/shell.hpp"
#include "sim/run.hpp"
#include "sim/scenarios.hpp"
#include "sim/stage.hpp"
#include "sim/world.hpp"

namespace sim_tests {

struct go {
  std::vector<std::uint64_t> numbers;
};
struct arrived {
  std::uint64_t from = 0;
};

}  // namespace sim_tests

namespace sim_tests {

namespace actors = soma::actors;
namespace messages = soma::messages;

using sink_actor = messages::handle<arrived>;
using source_actor = messages::handle<go>;

class sink_state {
public:
  using handle_type = sink_actor;
  static constexpr auto name = "sink";
  sink_state(actors::self<handle_type> /*own*/, std::string& order) : order_(order) {}
  void handle(arrived& message) { order_ += std::to_string(message.from); }

private:
  std::string& order_;
};

// Sends to both sinks, one after the other.
class source_state {
public:
  using handle_type = source_actor;
  static constexpr auto name = "source";
  source_state(actors::self<handle_type> /*own*/, std::uint64_t number, std::vector<sink_actor> sinks)
      : number_(number), sinks_(std::move(sinks)) {}
  void handle(go& /*message*/) {
    for (const auto& sink : sinks_) {
      actors::post(sink, arrived{number_});
    }
  }

private:
  std::uint64_t number_;
  std::vector<sink_actor> sinks_;
};

// Returns what the two sinks received.
std::string run_sources(caf::actor_system& system, sim::chooser& by) {
  by.begin();
  std::string first;
  std::string second;
  {
    sim::world world(system, [](const sim::task&) { return true; });
    sim::host_threads threads;
    sim::stage stage(world, by, threads);
    world.set_current(world.add_host("main"));
    stage.enter(sim::stage::phase::chosen);
    const std::vector sinks{actors::spawn<sink_state>(system, first),
                            actors::spawn<sink_state>(system, second)};
    for (std::uint64_t number = 1; number <= 2; ++number) {
      const auto source = actors::spawn<source_state>(system, number, sinks);
      stage.tell([&](messages::execution_unit* unit) { messages::enqueue(source, go{}, unit); });
    }
    stage.drain();
    if (stage.pruned()) {
      return "";
    }
  }
  return first + " " + second;
}

class two_sources : public testing::Test {
protected:
  two_sources() {
    messages::configure_for_tests(config_);
    system_.emplace(config_);
    messages::forget_logger();
  }

  std::multiset<std::string> all(sim::exhaustive_chooser chooser) {
    std::multiset<std::string> found;
    do {
      if (auto order = run_sources(*system_, chooser); !order.empty()) {
        found.insert(std::move(order));
      }
    } while (chooser.next());
    return found;
  }

  caf::actor_system_config config_;
  std::optional<caf::actor_system> system_;
};

// Also that the first sink hears source 1 first and the second one source 2, which no order of whole handlers
// brings about.
TEST_F(two_sources, AllFourOrdersOfArrivalAreFoundEachOnce) {
  EXPECT_EQ(all(sim::exhaustive_chooser(true)),
            (std::multiset<std::string>{"12 12", "12 21", "21 12", "21 21"}));
}

TEST_F(two_sources, NoOtherOrderExists) {
  const auto found = all(sim::exhaustive_chooser(false));
  EXPECT_EQ((std::set<std::string>(found.begin(), found.end())),
            (std::set<std::string>{"12 12", "12 21", "21 12", "21 21"}));
  EXPECT_GT(found.size(), 4U);
}

TEST_F(two_sources, RandomRunsFindThemToo) {
  std::set<std::string> found;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    sim::random_chooser chooser(seed);
    found.insert(run_sources(*system_, chooser));
  }
  EXPECT_EQ(found.size(), 4U);
}

// -- the reduction, by scenarios ----------------------------------------------------------------------------

std::set<std::uint64_t> all_orders(const sim::scenario& program, bool reduced, std::uint64_t& runs) {
  constexpr std::uint64_t most = 20'000;
  sim::runner with;
  sim::exhaustive_chooser chooser(reduced);
  std::set<std::uint64_t> found;
  runs = 0;
  std::uint64_t all = 0;
  do {
    const auto result = with.run(program, chooser);
    EXPECT_FALSE(result.failed) << result.failed->text;
    if (!result.pruned) {
      ++runs;
      found.insert(result.order);
    }
  } while (chooser.next() && ++all < most);
  EXPECT_LT(all, most) << "too many for this test";
  return found;
}

// Everything that any run brings about is found by the few runs that the reduction leaves.
void expect_the_reduction_to_lose_nothing(std::string_view text) {
  const auto program = scenario(text);
  std::uint64_t all_runs = 0;
  std::uint64_t runs = 0;
  const auto all = all_orders(program, false, all_runs);
  EXPECT_EQ(all_orders(program, true, runs), all);
  EXPECT_LT(runs, all_runs);
}

TEST(Reduction, LosesNoOrderOfTheMessagesBehindAFree) {
  expect_the_reduction_to_lose_nothing("P = pool(0,1,0)\na = alloc(S1, 2M)\nfree(a, S1)\n");
}

TEST(Reduction, LosesNoOrderOfTwoThreads) {
  expect_the_reduction_to_lose_nothing("query(S1)\nT2: query(S1)\n");
}

// Where all runs would be too many: what random runs find is among what the reduction leaves.
void expect_random_runs_to_find_nothing_else(std::string_view text) {
  const auto program = scenario(text);
  std::uint64_t runs = 0;
  const auto reduced = all_orders(program, true, runs);
  sim::runner with;
  std::set<std::uint64_t> found;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    sim::random_chooser at_random(seed);
    found.insert(with.run(program, at_random).order);
    sim::pct_chooser by_pct(seed, 3, 40);
    found.insert(with.run(program, by_pct).order);
  }
  EXPECT_GT(found.size(), 10U);
  EXPECT_THAT(reduced, testing::IsSupersetOf(found));
}

TEST(Reduction, KeepsWhatRandomRunsFindOfTasksOfTwoStreams) {
  expect_random_runs_to_find_nothing_else(R"(P = pool(0,1,0)
a = alloc(S1, 2M)
run(S1, w:a=AA)
free(a, S1)
b = alloc(S2, 2M)
run(S2, w:b=BB)
)");
}

TEST(Reduction, KeepsWhatRandomRunsFindOfTwoThreads) {
  expect_random_runs_to_find_nothing_else(R"(P = pool(0,1,1; 4M)
T2: maybe b = alloc(S2, 4M)
T2: free(b, S2)
maybe a = alloc(S1, 4M)
free(a, S1)
)");
}

}  // namespace sim_tests
