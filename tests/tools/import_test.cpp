// Importers with input that is damaged at random, and the rules by which a trace is built.
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/import_build.hpp"
#include "tools/import_formats.hpp"
#include "tools/import_recordings.hpp"
#include "tools/import_table.hpp"
#include "tools/import_totals.hpp"
#include "tools/replay_plan.hpp"
#include "tools/trace_text.hpp"

namespace soma::tools {

namespace {

using testing::Contains;
using testing::HasSubstr;

/// The rows without header, times and commas at the end.
std::string rows_text(const recording& from) {
  const auto built = build_trace(from);
  return built ? print_trace(built->rows).substr(trace_header.size()) : built.error().reason;
}

TEST(ImportBuild, T1AndT2MakeUpForWhatIsMissing) {
  recording from;
  from.events = {{.time_ns = 5000, .address = 1, .bytes = 10, .stream = 7, .kind = import_kind::free},
                 {.time_ns = 6000, .address = 2, .bytes = 20, .stream = 0, .kind = import_kind::malloc},
                 {.time_ns = 8000, .address = 2, .bytes = 30, .stream = 0, .kind = import_kind::malloc}};
  EXPECT_EQ(rows_text(from),
            "malloc,1,10,1,0\nfree,1,10,1,0\nmalloc,2,20,0,1\nfree,2,20,0,3\nmalloc,3,30,0,3\n");
}

TEST(ImportBuild, T3AndT5MakeSizesAndTimesFit) {
  recording from;
  from.events = {{.time_ns = 5000, .address = 1, .bytes = 10, .kind = import_kind::malloc},
                 {.time_ns = 9000, .address = 2, .bytes = 20, .kind = import_kind::malloc},
                 {.time_ns = 7000, .address = 1, .bytes = 11, .kind = import_kind::free}};
  const auto built = build_trace(from);
  ASSERT_TRUE(built);
  EXPECT_EQ(print_trace(built->rows).substr(trace_header.size()),
            "malloc,1,10,0,0\nmalloc,2,20,0,4\nfree,1,10,0,4\n");
  EXPECT_THAT(built->notes, Contains(HasSubstr("1 free has another size")));
  EXPECT_THAT(built->notes, Contains(HasSubstr("1 event is earlier")));
}

TEST(ImportBuild, T4ShowsFreesThatWereDoneLater) {
  recording from;
  from.has_clock = false;
  from.events = {{.address = 1, .bytes = 10, .kind = import_kind::malloc},
                 {.address = 1, .bytes = 10, .kind = import_kind::free},
                 {.address = 1, .bytes = 10, .kind = import_kind::free_done},
                 {.address = 1, .bytes = 10, .kind = import_kind::malloc},
                 {.address = 1, .bytes = 10, .kind = import_kind::free},
                 {.address = 2, .bytes = 10, .kind = import_kind::malloc},
                 {.address = 1, .bytes = 10, .kind = import_kind::free_done},
                 {.address = 2, .bytes = 10, .kind = import_kind::free_done}};
  EXPECT_EQ(rows_text(from),
            "malloc,1,10,0,0\nfree,1,10,0,1\nmalloc,2,10,0,3\nfree,2,10,0,4\nmalloc,3,10,0,5\n"
            "sync,2,10,0,6\nfree,3,10,0,7\n");
}

TEST(ImportBuild, WhatIsLiveAtTheEndAndNowhereElseIsFromBefore) {
  recording from;
  from.events = {{.address = 1, .bytes = 10, .kind = import_kind::malloc}};
  from.live_at_end = {{.address = 1, .bytes = 10},
                      {.address = 2, .bytes = 20, .stream = 4},
                      {.address = 1, .bytes = 64, .segment = true}};
  EXPECT_EQ(rows_text(from), "malloc,2,20,1,0\nsegment_malloc,3,64,0,0\nmalloc,1,10,0,0\n");
  EXPECT_THAT(rows_text({}), HasSubstr("no allocation"));
}

TEST(ImportTotals, FallsFreeTheLatestOfThatSizeOrSplit) {
  recording from;
  total_follower follower(from);
  follower.start(100, 0);
  follower.rise(30, 1000, 0);
  follower.rise(20, 2000, 0);
  EXPECT_EQ(follower.fall(30, 3000), 0U);   // the one of that size, though not the latest
  EXPECT_EQ(follower.fall(15, 4000), 0U);   // a part of the latest
  EXPECT_EQ(follower.fall(110, 5000), 5U);  // more than there is
  follower.finish();
  EXPECT_EQ(rows_text(from),
            "malloc,1,100,0,0\nmalloc,2,30,0,0\nmalloc,3,5,0,1\nmalloc,4,15,0,1\nfree,2,30,0,2\n"
            "free,4,15,0,3\nfree,3,5,0,4\nfree,1,100,0,4\n");
}

TEST(ImportTable, ReadsNumbersExactly) {
  EXPECT_EQ(read_microseconds("1736408883697894.540"), 1736408883697894540);
  EXPECT_EQ(read_microseconds("-2.5"), -2500);
  EXPECT_EQ(read_microseconds("7"), 7000);
  for (const char* const text :
       {"", "x", "1.x", "1,5", "1e9", "99999999999999999999", "9999999999999999.0"}) {
    EXPECT_FALSE(read_microseconds(text)) << text;
  }
  EXPECT_EQ(read_size("18816.5", 1024), 19268096U);
  EXPECT_FALSE(read_size("-1", 1));
  EXPECT_FALSE(read_size("nan", 1));
  EXPECT_FALSE(read_size("1e30", 1));
  EXPECT_EQ(read_address("0x1F"), 31U);
  EXPECT_EQ(read_address("31"), 31U);
  EXPECT_FALSE(read_address("0x"));
  EXPECT_FALSE(read_address("-1"));
}

TEST(ImportFormats, AreRecognisedByTheirContent) {
  const std::vector<std::string> recordings = all_recordings();
  const char* const names[] = {"pytorch-snapshot", "rmm", "ascend-operators", "ascend-records",
                               "pytorch-trace"};
  for (std::size_t place = 0; place < recordings.size(); ++place) {
    const auto format = recognise_format(recordings[place]);
    ASSERT_TRUE(format) << format.error();
    EXPECT_STREQ((*format)->name, names[place]);
    const auto read = (*format)->read(recordings[place], {});
    ASSERT_TRUE(read) << names[place] << ": " << read.error().reason;
    EXPECT_TRUE(build_trace(*read)) << names[place];
  }
}

std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&random](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  if (below(3) == 0) {
    text.resize(below(text.size()));
  }
  for (std::size_t changes = below(6); changes > 0 && !text.empty(); --changes) {
    const std::size_t place = below(text.size());
    switch (below(4)) {
    case 0:
      text[place] = static_cast<char>(text[place] ^ static_cast<char>(1U << below(8)));
      break;
    case 1:
      text[place] = static_cast<char>(below(256));
      break;
    case 2:
      text.erase(place, 1 + below(4));
      break;
    default:
      text.insert(place, text.substr(below(text.size()), below(40)));
      break;
    }
  }
  return text;
}

/// Whatever the input is: an error with a text, or a trace that replay takes.
void expect_error_or_trace(const import_format& format, const std::string& text) {
  const auto read = format.read(text, {});
  if (!read) {
    EXPECT_FALSE(read.error().reason.empty());
    return;
  }
  const auto built = build_trace(*read);
  if (!built) {
    EXPECT_FALSE(built.error().reason.empty());
    return;
  }
  const auto rows = read_text(print_trace(built->rows));
  ASSERT_TRUE(rows) << rows.error().reason << " in line " << rows.error().line;
  const auto plan = make_plan(*rows, {});
  EXPECT_TRUE(plan) << plan.error().reason << " in line " << plan.error().line;
}

TEST(ImportFuzz, DamagedRecordingsGiveAnErrorOrATrace) {
  std::mt19937 random(2024);
  const std::vector<std::string> recordings = all_recordings();
  for (int round = 0; round < 1500; ++round) {
    for (const std::string& recording_text : recordings) {
      const std::string text = damaged(recording_text, random);
      if (const auto format = recognise_format(text)) {
        expect_error_or_trace(**format, text);
      } else {
        EXPECT_FALSE(format.error().empty());
      }
    }
  }
}

TEST(ImportFuzz, AnythingIsTakenAsAnything) {
  for (const std::string& text : all_recordings()) {
    for (const import_format& format : import_formats()) {
      expect_error_or_trace(format, text);
      expect_error_or_trace(format, "");
      expect_error_or_trace(format, std::string(1000, '\0'));
    }
  }
}

}  // namespace

}  // namespace soma::tools
