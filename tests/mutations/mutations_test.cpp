// Whether the explorer finds what it is there for: faults that allocators of others really had are put back,
// one at a time, and each must be found in a scenario that passes without it.
//
// This program is built over variants of memory/ and actors/ that hold the mutations.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "memory/mutation.hpp"
#include "sim/explore.hpp"
#include "sim/parser.hpp"
#include "sim/report.hpp"

namespace {

using namespace soma;
using memory::mutation;

struct mutated_program {
  const char* name;  // of the scenario, and of the mutation
  mutation what;
};

// Puts a fault back for the time of a scope.
class mutation_scope {
public:
  explicit mutation_scope(mutation what) { memory::mutation_in_force = what; }
  ~mutation_scope() { memory::mutation_in_force = mutation::none; }
  mutation_scope(const mutation_scope&) = delete;
  mutation_scope& operator=(const mutation_scope&) = delete;
};

class Mutations : public testing::TestWithParam<mutated_program> {
protected:
  // The same for all: what the test run can afford for each.
  static sim::outcome explore(const sim::scenario& program) {
    sim::options budget;
    budget.how = sim::strategy::automatic;
    budget.runs = 2000;
    return sim::explore(program, budget);
  }

  static sim::scenario read() {
    const auto file = std::string(MUTATION_SCENARIOS) + "/" + GetParam().name + ".soma";
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    auto program = sim::parse_scenario(text, file);
    if (!program) {
      throw std::runtime_error(file + ":" + std::to_string(program.error().line) + ": " +
                               program.error().text);
    }
    return std::move(*program);
  }
};

TEST_P(Mutations, IsFoundWithinTheBudget) {
  const mutation_scope put_back(GetParam().what);
  const auto found = explore(read());
  ASSERT_TRUE(found.failed) << "not found in " << found.runs << " runs";
  RecordProperty("runs", std::to_string(found.runs));
  RecordProperty("checker", found.failed->what.checker);
  std::printf("found in run %llu by %s: %s\n", static_cast<unsigned long long>(found.runs),
              found.failed->what.checker.c_str(), found.failed->what.text.c_str());
}

TEST_P(Mutations, NothingIsFoundWithoutIt) {
  const auto found = explore(read());
  EXPECT_GT(found.runs, 0U);
  EXPECT_FALSE(found.failed) << found.failed->what.checker << ": " << found.failed->what.text;
}

INSTANTIATE_TEST_SUITE_P(
    All, Mutations,
    testing::Values(mutated_program{"record_before_free_accepted", mutation::record_before_free_accepted},
                    mutated_program{"allocating_stream_owns", mutation::allocating_stream_owns},
                    mutated_program{"one_edge_only", mutation::one_edge_only},
                    mutated_program{"mixed_remainder", mutation::mixed_remainder},
                    mutated_program{"reply_before_effects", mutation::reply_before_effects},
                    mutated_program{"recycled_stream_number", mutation::recycled_stream_number},
                    mutated_program{"free_ahead_of_malloc", mutation::free_ahead_of_malloc}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
