// The subcommand as a whole: options, output, exit status.
#include "tools/replay_command.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/byte_size.hpp"
#include "tools/finished_command.hpp"
#include "tools/trace_text.hpp"

namespace soma::tools {

namespace {

using testing::HasSubstr;
using testing::IsEmpty;

finished run_replay(std::vector<std::string> arguments) {
  return run_command(add_replay_command, "replay", std::move(arguments));
}

std::string good_text() {
  return text_of({"segment_malloc,9,2097152,0", "malloc,1,1000,0", "free,1,1000,0", "malloc,2,3000,0"});
}

TEST(ReplayCommand, PrintsATableForEachFile) {
  const temporary_file first(good_text());
  const temporary_file second(compressed(good_text()));
  const finished done = run_replay({first.path(), second.path()});
  EXPECT_EQ(done.status, exit_done) << done.err;
  EXPECT_THAT(done.err, IsEmpty());
  EXPECT_THAT(done.out, HasSubstr(first.path() + "\n"));
  EXPECT_THAT(done.out, HasSubstr(second.path() + "\n"));
  for (const char* const line : {"events +3 +1 stream, 1 segment row skipped\n", "peak requested +2.93 KiB\n",
                                 "peak reserved +2 MiB\n", "same stream +1 +50.0 %\n"}) {
    EXPECT_THAT(done.out, testing::ContainsRegex(line));
  }
}

TEST(ReplayCommand, PrintsJsonWithExactFigures) {
  const temporary_file file(good_text());
  const finished done = run_replay({"--json", "--min-block", "512", file.path()});
  ASSERT_EQ(done.status, exit_done) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  ASSERT_TRUE(json.is_array());
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0]["file"], file.path());
  EXPECT_EQ(json[0]["events"], 3);
  EXPECT_EQ(json[0]["segment_rows_skipped"], 1);
  EXPECT_EQ(json[0]["peak_requested_bytes"], 3000);
  EXPECT_EQ(json[0]["peak_used_bytes"], 3072);
  EXPECT_EQ(json[0]["peak_reserved_bytes"], 2097152);
  EXPECT_GT(json[0]["ops_per_second"], 0);
  EXPECT_EQ(json[0]["settings"]["reuse"], "event");
  EXPECT_EQ(json[0]["settings"]["threshold_bytes"], unlimited_bytes);
  for (const char* const kind : {"same_stream", "event", "opportunistic", "internal", "new_memory"}) {
    EXPECT_TRUE(json[0]["reuse"][kind].is_number_unsigned()) << kind;
  }
}

TEST(ReplayCommand, ReplaysTheOthersWhenAFileIsBad) {
  const temporary_file good(good_text());
  const temporary_file bad(text_of({"malloc,1,512,0", "free,2,512,0"}));
  const temporary_file empty("");
  const finished done = run_replay({"--json", bad.path(), empty.path(), "soma_no_such_file", good.path()});
  EXPECT_EQ(done.status, exit_failed);
  EXPECT_THAT(done.err,
              HasSubstr("soma: " + bad.path() + ":3: free of block 2: it has no malloc before it\n"));
  EXPECT_THAT(done.err, HasSubstr("soma: " + empty.path() + ":1: the file is empty"));
  EXPECT_THAT(done.err, HasSubstr("soma: soma_no_such_file: cannot be opened"));
  const auto json = nlohmann::json::parse(done.out);
  ASSERT_EQ(json.size(), 4U);
  EXPECT_EQ(json[0]["error"]["line"], 3);
  EXPECT_EQ(json[3]["events"], 3);
}

TEST(ReplayCommand, ReadsSizesWithSuffixes) {
  const temporary_file file(good_text());
  const finished done =
      run_replay({"--json", "--min-block=4K", "--device-memory", "1G", "--pool-limit", "16M",
                  "--threshold=unlimited", "--reuse", "all", "--sync-every", "2", file.path()});
  ASSERT_EQ(done.status, exit_done) << done.err;
  const auto settings = nlohmann::json::parse(done.out)[0]["settings"];
  EXPECT_EQ(settings["min_block_bytes"], 4096);
  EXPECT_EQ(settings["device_memory_bytes"], 1 << 30);
  EXPECT_EQ(settings["pool_limit_bytes"], 16 << 20);
  EXPECT_EQ(settings["reuse"], "all");
  EXPECT_EQ(settings["sync_every"], 2);
}

TEST(ReplayCommand, RefusesWrongUsage) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"--min-block", "3K", "x"},
                                                    {"--min-block", "4M", "x"},
                                                    {"--device-memory", "1.5G", "x"},
                                                    {"--reuse", "some", "x"},
                                                    {"--sync-every", "-1", "x"},
                                                    {"--what", "x"}}) {
    const finished done = run_replay(arguments);
    EXPECT_EQ(done.status, exit_usage) << testing::PrintToString(arguments);
    EXPECT_THAT(done.err, testing::Not(IsEmpty()));
  }
}

}  // namespace

}  // namespace soma::tools
