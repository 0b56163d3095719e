// The runtime against the model, in random programs. SOMA_ORACLE_OPERATIONS says how many operations there
// are in all (100,000), SOMA_ORACLE_SEED with which seed the first hundred programs are made (any); the next
// hundred take the next seed.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "oracle/runner.hpp"

namespace {

using namespace oracle;

constexpr std::uint64_t operations_by_default = 100'000;
constexpr int longest_program = 250;
constexpr int programs_a_round = 100;

// Whether a disagreement was found.
bool shrinking = false;

std::uint64_t from_environment(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void run_program(const program& whole, tally& counts) {
  runner both(whole.start, counts);
  try {
    for (const auto& each : whole.commands) {
      both.run(each);
    }
    both.finish();
  } catch (const disagreement& found) {
    if (!std::exchange(shrinking, true)) {
      std::cout << "found, and now made smaller: " << found.what() << "\n" << both.source() << std::endl;
      patience = std::chrono::milliseconds{300};
    }
    RC_FAIL(std::string(found.what()) + "\n\n" + both.source());
  }
}

TEST(Oracle, AgreesWithTheRuntimeInRandomPrograms) {
  const auto wanted = from_environment("SOMA_ORACLE_OPERATIONS", operations_by_default);
  auto seed = from_environment("SOMA_ORACLE_SEED", std::random_device{}());
  const auto first_seed = seed;
  const auto begin = std::chrono::steady_clock::now();
  tally counts;
  while (counts.commands < wanted) {
    rc::detail::TestParams params;
    params.seed = seed++;
    params.maxSuccess = programs_a_round;
    const auto result = rc::detail::checkTestable([&] { run_program(*any_program(longest_program), counts); },
                                                  rc::detail::TestMetadata{"Oracle", "Oracle"}, params);
    if (!result.is<rc::detail::SuccessResult>()) {
      std::ostringstream text;
      rc::detail::printResultMessage(result, text);
      FAIL() << "seed " << params.seed << "\n" << text.str();
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << counts.commands << " operations in " << took.count() << " s from seed " << first_seed
            << "; served by same stream " << counts.served_counts[0] << ", event " << counts.served_counts[1]
            << ", opportunistic " << counts.served_counts[2] << ", internal " << counts.served_counts[3]
            << ", new memory " << counts.served_counts[4] << "; under pressure " << counts.under_pressure
            << ", not served " << counts.refused << ", settled " << counts.settlements << " times, timed out "
            << counts.timed_out << "\n";
}

}  // namespace
