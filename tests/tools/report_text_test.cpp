// What the report is made of: text in HTML, and figures thinned out.
#include <cstddef>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/html_text.hpp"
#include "tools/report_pressure.hpp"
#include "tools/report_series.hpp"

namespace soma::tools {

namespace {

using testing::ElementsAre;

TEST(HtmlText, EscapesMarkup) {
  EXPECT_EQ(escape_html("<script>a & 'b' \"c\"</script>"),
            "&lt;script&gt;a &amp; &#39;b&#39; &quot;c&quot;&lt;/script&gt;");
  EXPECT_EQ(escape_html("größer → 1"), "größer → 1");
}

TEST(HtmlText, ReplacesWhatIsNoText) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_html("a\xFF"
                        "b"),
            "a" + mark + "b");
  EXPECT_EQ(escape_html(std::string("a\0b", 3)), "a" + mark + "b");
  EXPECT_EQ(escape_html("\xC3"), mark);                                // cut off
  EXPECT_EQ(escape_html("\xC0\xBC"), mark + mark);                     // '<' in two bytes
  EXPECT_EQ(escape_html("\xE0\x80\xBC"), mark + mark + mark);          // and in three
  EXPECT_EQ(escape_html("\xED\xA0\x80"), mark + mark + mark);          // half of a pair
  EXPECT_EQ(escape_html("\xF4\x90\x80\x80").size(), 4 * mark.size());  // above the last character
}

TEST(HtmlText, JsonCannotEndItsElement) {
  EXPECT_EQ(escape_json_in_html(R"({"file":"</script><b>"})"), R"({"file":"\u003c/script>\u003cb>"})");
}

TEST(HtmlText, WritesNumbersShort) {
  EXPECT_EQ(print_coordinate(12), "12");
  EXPECT_EQ(print_coordinate(12.34), "12.3");
  EXPECT_EQ(print_coordinate(-0.01), "0");
  EXPECT_EQ(print_share(1, 8), "12.5 %");
  EXPECT_EQ(print_share(3, 0), "0 %");
}

TEST(ReportSeries, KeepsFewValuesAsTheyAre) {
  const auto points = thin_out({3, 1, 2}, 600);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[1].moment, 1U);
  EXPECT_EQ(points[1].value, 1U);
  EXPECT_TRUE(thin_out({}, 600).empty());
}

TEST(ReportSeries, KeepsExtremesOfManyValues) {
  std::vector<std::uint64_t> values(100000, 50);
  values[12345] = 99;
  values[12346] = 2;
  values[99999] = 7;
  const auto points = thin_out(values, 100);
  EXPECT_LE(points.size(), 400U);
  const auto has = [&](std::size_t moment) {
    return std::any_of(points.begin(), points.end(), [&](const series_point& point) {
      return point.moment == moment && point.value == values[moment];
    });
  };
  EXPECT_TRUE(has(0));
  EXPECT_TRUE(has(12345));
  EXPECT_TRUE(has(12346));
  EXPECT_TRUE(has(99999));
  EXPECT_TRUE(
      std::is_sorted(points.begin(), points.end(), [](const series_point& left, const series_point& right) {
        return left.moment < right.moment;
      }));
}

TEST(ReportSeries, MarksAreRoundAndFew) {
  EXPECT_THAT(byte_marks(5000), ElementsAre(0, 1024, 2048, 3072, 4096));
  EXPECT_THAT(byte_marks(0), ElementsAre(0));
  EXPECT_THAT(count_marks(3232), ElementsAre(0, 1000, 2000, 3000));
  EXPECT_THAT(count_marks(100), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_LE(byte_marks(~std::uint64_t{0}).size(), 6U);
  EXPECT_LE(count_marks(~std::uint64_t{0}).size(), 6U);
}

/// 400 moments with used = value(moment), and one block that lives through all of them.
template <class Value>
replay_history history_of(Value value) {
  replay_history history;
  for (std::uint64_t moment = 0; moment < 400; ++moment) {
    history.moments.push_back({.line = moment + 2, .used = value(moment), .reserved = 1000});
  }
  history.blocks.push_back({.id = 1, .bytes = 10, .requested = 9, .line = 2, .first = 0, .last = no_index});
  return history;
}

TEST(ReportPressure, OnePeakIsShownOnce) {
  auto history = history_of([](std::uint64_t moment) { return moment < 200 ? moment + 1 : 400 - moment; });
  const auto found = find_pressure(history);
  ASSERT_EQ(found.size(), pressure_moments_max);
  EXPECT_EQ(found[0].moment, 199U);
  for (const auto& each : found) {
    if (each.moment != 199U) {
      EXPECT_GE(each.moment > 199U ? each.moment - 199U : 199U - each.moment, 10U);
    }
  }
}

TEST(ReportPressure, GroupsWhatWasLive) {
  auto history = history_of([](std::uint64_t moment) { return moment == 50 ? 100U : 1U; });
  history.blocks.push_back({.bytes = 40, .requested = 33, .line = 9, .stream = 1, .first = 40, .last = 51});
  history.blocks.push_back(
      {.bytes = 40, .requested = 33, .line = 11, .stream = 1, .first = 45, .last = no_index});
  history.blocks.push_back({.bytes = 40, .requested = 33, .line = 12, .stream = 2, .first = 46, .last = 50});
  const auto found = find_pressure(history);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].moment, 50U);
  ASSERT_EQ(found[0].largest.size(), 2U);
  EXPECT_EQ(found[0].largest[0].count, 2U);
  EXPECT_EQ(found[0].largest[0].total, 80U);
  EXPECT_EQ(found[0].largest[0].first_line, 9U);
  EXPECT_EQ(found[0].largest[1].requested, 9U);
}

TEST(ReportPressure, NothingUsedIsNoPressure) {
  EXPECT_TRUE(find_pressure(history_of([](std::uint64_t) { return 0U; })).empty());
  EXPECT_TRUE(find_pressure({}).empty());
}

}  // namespace

}  // namespace soma::tools
