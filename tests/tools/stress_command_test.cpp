// The subcommand as a whole: options, output, exit status.
#include "tools/stress_command.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/finished_command.hpp"

namespace soma::tools {

namespace {

using testing::HasSubstr;
using testing::IsEmpty;

finished run_stress_command(std::vector<std::string> arguments) {
  return run_command(add_stress_command, "stress", std::move(arguments));
}

TEST(StressCommand, RunsAndPrintsATable) {
  const finished done = run_stress_command({"--threads",
                                            "2",
                                            "--streams",
                                            "3",
                                            "--pools=2",
                                            "--operations",
                                            "500",
                                            "--sizes",
                                            "512,4K",
                                            "--minimum-block",
                                            "4K",
                                            "--cross-stream-frees",
                                            "0.25",
                                            "--reuse",
                                            "event",
                                            "--limit",
                                            "16M",
                                            "--threshold=unlimited",
                                            "--faults",
                                            "0.1",
                                            "--seed",
                                            "11",
                                            "--device-memory",
                                            "32M"});
  EXPECT_EQ(done.status, exit_done);
  EXPECT_THAT(done.err, IsEmpty());
  for (const char* const text :
       {"stress: 2 threads, 3 streams, 2 pools, sizes 512,4K\n",
        "blocks of 4 KiB, reuse event, threshold unlimited, device memory 32 MiB\n", "seed +11\n"}) {
    EXPECT_THAT(done.out, testing::ContainsRegex(text));
  }
}

TEST(StressCommand, RefusesWrongUsage) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--threads", "0"}, "0"},
      {{"--threads", "many"}, "many"},
      {{"--streams", "5000"}, "5000"},
      {{"--pools", "-1"}, "-1"},
      {{"--sizes", "4K..2K"}, "sizes 4K..2K: a range is MIN..MAX"},
      {{"--sizes", "0"}, "a block of 0 bytes"},
      {{"--minimum-block", "3K"}, "3072 bytes is not a power of two"},
      {{"--cross-stream-frees", "1.5"}, "1.5"},
      {{"--faults", "-0.1"}, "-0.1"},
      {{"--reuse", "some"}, "some"},
      {{"--seconds", "0"}, "0"},
      {{"--operations", "0"}, "0"},
      {{"--device-memory", "1.5G"}, "1.5G"},
      {{"--limit", "2G", "--device-memory", "1G"}, "a pool's limit of 2 GiB is above"},
      {{"--sizes", "1..2G", "--device-memory", "1G"}, "a block of 2 GiB does not fit"},
      {{"--what"}, "--what"},
  };
  for (const auto& [arguments, text] : cases) {
    const finished done = run_stress_command(arguments);
    EXPECT_EQ(done.status, exit_usage) << testing::PrintToString(arguments);
    EXPECT_THAT(done.err, HasSubstr(text)) << testing::PrintToString(arguments);
  }
}

}  // namespace

}  // namespace soma::tools
