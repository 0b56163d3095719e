// The runtime against the model, in random programs. SOMA_ORACLE_OPERATIONS says how many operations there
// are in all (100,000), SOMA_ORACLE_SEED with which seed the first hundred programs are made (any); the next
// hundred take the next seed.
//
// What no program does: it has one host thread and one device, and uses the C++ interface. Streams that stop
// are stopped when nothing is pending on them, and have no failure group. No task fails before or behind a
// synchronize of the device that runs out of time, until another one does not: the device keeps such a
// failure, and the stream's own synchronize does not return it any more (see regressions_test.cpp). Kernels,
// copies, fills and host memory do not occur, nor calls from within tasks. The texts of errors other than a
// refusal's are only looked at for being there. Windows are never full, and nothing of the system fails.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "oracle/runner.hpp"

namespace {

using namespace oracle;

constexpr std::uint64_t operations_by_default = 100'000;
constexpr int longest_program = 250;
constexpr int programs_a_round = 100;

// The first disagreement: whether there is one, and whether it was by running out of time. While a program is
// made smaller, others by time do not count: the machine may just be busy.
struct {
  bool found = false;
  bool out_of_time = false;
} first;

std::uint64_t from_environment(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void disagrees(const runner& both, const std::string& what, bool out_of_time, const tally& counts) {
  if (!first.found) {
    first = {true, out_of_time};
    std::cout << "found after " << counts.commands << " operations, and now made smaller: " << what << "\n"
              << both.source() << std::endl;
    patience = std::chrono::milliseconds{1000};
  }
  if (out_of_time == first.out_of_time) {
    RC_FAIL(what + "\n\n" + both.source());
  }
}

void run_program(const program& whole, tally& counts) {
  runner both(whole.start, counts);
  try {
    for (const auto& each : whole.commands) {
      both.run(each);
    }
    both.finish();
  } catch (const disagreement& found) {
    disagrees(both, found.what(), found.out_of_time, counts);
  } catch (const std::logic_error& found) {  // the model with itself
    disagrees(both, found.what(), false, counts);
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
            << counts.timed_out << ", failures returned " << counts.failures << ", joined " << counts.joins
            << " times\n";
}

}  // namespace
