// What is advised for traces whose answer is known.
#include "tools/advise.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/advise_command.hpp"
#include "tools/advise_report.hpp"
#include "tools/finished_command.hpp"
#include "tools/trace_text.hpp"

namespace soma::tools {

namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t granule = granule_bytes;

advice advice_for(std::initializer_list<const char*> lines, const advise_settings& settings = {}) {
  auto given = advise(rows_of(lines), settings);
  EXPECT_TRUE(given.has_value()) << given.error().reason;
  advice nothing;
  nothing.switches.resize(8);
  return given.value_or(nothing);
}

TEST(Advise, OneStreamNeedsWhatItUses) {
  const advice given = advice_for({"malloc,1,2097152,0", "free,1,2097152,0", "malloc,2,2097152,0",
                                   "malloc,3,2097152,0", "free,2,2097152,0", "free,3,2097152,0"});
  ASSERT_EQ(given.switches.size(), 1U);
  EXPECT_EQ(given.switches[0].limit(), 2 * granule);
  EXPECT_EQ(given.used_high, 2 * granule);
  EXPECT_THAT(given.refusal, HasSubstr("line 5: "));
  EXPECT_THAT(print_advice("x", given), HasSubstr("None pays: the trace has one stream"));
}

TEST(Advise, BetweenStreamsInternalReusePays) {
  const advice given = advice_for({"malloc,1,2097152,0", "free,1,2097152,0", "malloc,2,2097152,1"});
  ASSERT_EQ(given.switches.size(), 8U);
  const advised_switches& none = given.switches[0];
  EXPECT_EQ(none.limit_ahead, 2 * granule);  // the free may not have been executed
  EXPECT_EQ(none.limit_keeping, granule);    // it has been: the memory can be moved
  const advised_switches& internal = given.switches[4];
  EXPECT_EQ(internal.limit(), granule);
  EXPECT_EQ(internal.waits_ahead, 1U);
  const advised_switches& best = given.switches[given.best];
  EXPECT_TRUE(best.reuse.internal);
  EXPECT_FALSE(best.reuse.event);
  EXPECT_EQ(best.limit(), granule);
  const std::string text = print_advice("x", given);
  EXPECT_THAT(
      text,
      HasSubstr("internal pays: alone it lowers the smallest limit from 4 MiB to 2 MiB, for 1 wait between"));
  EXPECT_THAT(text, HasSubstr("event does not pay"));
}

TEST(Advise, EventsPayWhereTheTraceShowsOne) {
  // Block 1 goes from stream 0 to stream 1, which is ordered behind stream 0 by it; stream 0 freed block 2
  // before.
  const advice given = advice_for({"malloc,1,2097152,0", "malloc,2,2097152,0", "free,2,2097152,0",
                                   "free,1,2097152,1", "malloc,3,4194304,1"});
  EXPECT_GT(given.switches[0].limit_ahead, given.switches[1].limit_ahead);
}

TEST(Advise, TheThresholdKeepsWhatIsAskedForAgain) {
  const advice given = advice_for({"malloc,1,6291456,0", "free,1,6291456,0", "sync,0,0,-1",
                                   "malloc,2,4194304,0", "free,2,4194304,0", "sync,0,0,-1"});
  EXPECT_EQ(given.threshold.sync_every, 0U);
  EXPECT_EQ(given.threshold.synchronizes, 2U);
  EXPECT_EQ(given.threshold.bytes, 2 * granule);
  EXPECT_EQ(given.threshold.returned_without, 5 * granule);
  EXPECT_EQ(given.threshold.retaken_without, 2 * granule);
  EXPECT_EQ(given.threshold.returned, granule);
}

TEST(Advise, ATraceWithoutASynchroniseGetsSome) {
  const advice given = advice_for({"malloc,1,2097152,0", "free,1,2097152,0", "malloc,2,2097152,0"});
  EXPECT_EQ(given.threshold.sync_every, 1U);
  EXPECT_EQ(given.threshold.bytes, granule);
  EXPECT_THAT(print_advice("x", given), HasSubstr("has no device synchronise"));
  EXPECT_EQ(advice_for({"malloc,1,2097152,0", "free,1,2097152,0"}, {.sync_every = 2}).threshold.sync_every,
            0U);
}

TEST(Advise, SmallBlocksAreToldWhereTheyNeedLess) {
  const advice given = advice_for({"malloc,1,1000,0", "malloc,2,1000,0"});
  EXPECT_EQ(given.switches[0].limit(), 2 * granule);
  ASSERT_TRUE(given.small_block_limit);
  EXPECT_EQ(*given.small_block_limit, granule);
  EXPECT_FALSE(advice_for({"malloc,1,1000,0"}, {.minimum_block = 512}).small_block_limit);
}

TEST(Advise, RefusesWhatCannotBeAdvised) {
  const auto nothing = advise({}, {});
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().reason, HasSubstr("allocates nothing"));
  const auto broken = advise(rows_of({"free,1,2,0"}), {});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().line, 2U);
}

TEST(AdviseReport, NamesOfFilesStayInTheComment) {
  advice given;
  given.minimum_block = granule;
  given.switches.resize(1);
  for (const char* const name : {"a*/b", "a\nb", "a\\", "?\?/", "a\xFF"}) {
    const std::string code = advised_code(name, given);
    EXPECT_EQ(code.find("*/"),
              code.find(" recorded") + std::string(" recorded, as soma advise found. ").size());
    EXPECT_THAT(code, Not(HasSubstr(name)));
  }
}

TEST(AdviseCommand, PrintsJsonForEachFile) {
  const temporary_file good(text_of({"malloc,1,2097152,0"}));
  const temporary_file bad("nonsense");
  const finished done = run_command(add_advise_command, "advise", {"--json", good.path(), bad.path()});
  EXPECT_EQ(done.status, exit_failed);
  EXPECT_THAT(done.err, HasSubstr(bad.path() + ":1: the header is"));
  const auto json = nlohmann::json::parse(done.out);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["advised"]["limit_bytes"], 2097152);
  EXPECT_THAT(json[0]["code"].get<std::string>(), HasSubstr(".maxSize = 2097152U"));
  EXPECT_EQ(json[1]["error"]["line"], 1);
}

TEST(AdviseCommand, RefusesWrongUsage) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"--min-block", "3", "x"}, {"--code", "--json", "x"}}) {
    EXPECT_EQ(run_command(add_advise_command, "advise", arguments).status, exit_usage);
  }
}

}  // namespace

}  // namespace soma::tools
