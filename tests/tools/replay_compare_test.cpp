// Settings as text, and their replays side by side.
#include "tools/replay_compare.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/finished_command.hpp"
#include "tools/replay_command.hpp"
#include "tools/trace_text.hpp"

namespace soma::tools {

namespace {

using testing::HasSubstr;

std::string two_blocks() {
  return text_of({"malloc,1,3000000,0", "malloc,2,3000000,0", "free,1,3000000,0", "free,2,3000000,0"});
}

TEST(ReplayVariants, ChangesWhatIsNamed) {
  replay_settings base;
  base.sync_every = 7;
  const auto variant = parse_variant("min-block=4K,reuse=event+internal,threshold=1M,limit=1G", base);
  ASSERT_TRUE(variant) << variant.error();
  EXPECT_EQ(variant->settings.pool.minimum_block, 4096U);
  EXPECT_TRUE(variant->settings.pool.reuse.event);
  EXPECT_FALSE(variant->settings.pool.reuse.opportunistic);
  EXPECT_TRUE(variant->settings.pool.reuse.internal);
  EXPECT_EQ(variant->settings.pool.release_threshold, 1U << 20);
  EXPECT_EQ(variant->settings.pool.limit, 1U << 30);
  EXPECT_EQ(variant->settings.sync_every, 7U);
  EXPECT_EQ(parse_variant("limit=unlimited", base)->settings.pool.limit, 0U);
  EXPECT_EQ(parse_variant("sync-every=0", base)->settings.sync_every, 0U);
  EXPECT_TRUE(parse_variant("held=yes", base)->settings.held);
}

TEST(ReplayVariants, SaysWhatIsWrong) {
  const auto error_of = [](const char* text) {
    const auto variant = parse_variant(text, {});
    return variant ? std::string("no error") : variant.error();
  };
  EXPECT_THAT(error_of("min-block=3K"), HasSubstr("power of two"));
  EXPECT_THAT(error_of("min-block=4M"), HasSubstr("power of two"));
  EXPECT_THAT(error_of("block=4K"), HasSubstr("'block' is no setting: there are"));
  EXPECT_THAT(error_of("reuse"), HasSubstr("has no value"));
  EXPECT_THAT(error_of(""), HasSubstr("has no value"));
  EXPECT_THAT(error_of("reuse=event+some"), HasSubstr("'some' is unknown"));
  EXPECT_THAT(error_of("threshold=1.5G"), HasSubstr("threshold '1.5G' is not a size"));
  EXPECT_THAT(error_of("held=maybe"), HasSubstr("neither yes nor no"));
  EXPECT_THAT(error_of("sync-every=-1"), HasSubstr("not a whole number"));
}

TEST(ReplayCompare, PrintsAColumnForEach) {
  const temporary_file file(two_blocks());
  const finished done = run_command(add_replay_command, "replay",
                                    {"--with", "limit=4M", "--with", "min-block=512", file.path()});
  EXPECT_EQ(done.status, exit_done) << done.err;
  EXPECT_THAT(done.out, testing::ContainsRegex("min block +2 MiB +2 MiB +512 B\n"));
  EXPECT_THAT(done.out, testing::ContainsRegex("result +served +refused +served\n"));
  EXPECT_THAT(done.out, testing::ContainsRegex("peak used +8 MiB +- +5.7[0-9] MiB\n"));
  EXPECT_THAT(done.out, HasSubstr("(1) as given\n"));
  EXPECT_THAT(done.out, HasSubstr("(2) limit=4M: line 3: "));
}

TEST(ReplayCompare, HeldStreamsHaveExecutedNothing) {
  // Stream 1 gets stream 0's memory only where the free has been executed.
  const temporary_file file(
      text_of({"malloc,1,2097152,0", "free,1,2097152,0", "malloc,2,2097152,1", "sync,0,0,-1",
               "free,2,2097152,1", "malloc,3,2097152,0", "sync,0,0,-1"}));
  const finished done = run_command(add_replay_command, "replay",
                                    {"--reuse", "opportunistic", "--with", "held=yes", file.path()});
  EXPECT_EQ(done.status, exit_done) << done.err;
  EXPECT_THAT(done.out, testing::ContainsRegex("opportunistic +2 +0\n"));
  EXPECT_THAT(done.out, testing::ContainsRegex("new memory +1 +2\n"));
}

TEST(ReplayCompare, PrintsJson) {
  const temporary_file file(two_blocks());
  const finished done = run_command(add_replay_command, "replay", {"--json", "--compare", file.path()});
  ASSERT_EQ(done.status, exit_done) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  ASSERT_EQ(json.size(), 1U);
  ASSERT_EQ(json[0]["variants"].size(), 6U);
  EXPECT_EQ(json[0]["variants"][0]["variant"], "as given");
  EXPECT_EQ(json[0]["variants"][1]["settings"]["min_block_bytes"], 512);
}

TEST(ReplayCompare, RefusesWrongUsage) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--with", "x=1", "file"},
                                                    {"--with", "limit=4M", "--html", "page", "file"}}) {
    const finished done = run_command(add_replay_command, "replay", arguments);
    EXPECT_EQ(done.status, exit_usage);
    EXPECT_FALSE(done.err.empty());
  }
}

TEST(ReplayCompare, ABrokenTraceIsAFailure) {
  const temporary_file file(text_of({"free,1,3000000,0"}));
  const finished done = run_command(add_replay_command, "replay", {"--with", "limit=4M", file.path()});
  EXPECT_EQ(done.status, exit_failed);
  EXPECT_THAT(done.err, HasSubstr(":2: free of block 1"));
}

}  // namespace

}  // namespace soma::tools
