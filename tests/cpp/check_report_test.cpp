// Reports of the race detector as text and as JSON.

#include "soma/check.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

soma::check_operation operation(const char* name, const char* call, const char* place) {
  soma::check_operation made;
  made.name = name;
  made.call = call;
  made.place = place;
  return made;
}

soma::check_report use_after_free() {
  soma::check_report report;
  report.kind = soma::check_kind::use_after_free;
  report.text = "stream 2's task 14 uses a block that stream 1's free 9 frees";
  report.missing_edge = "no event orders stream 2's task 14 before stream 1's free 9";
  report.first = operation("stream 2's task 14", "stream::launch", "race.cpp:31");
  report.first->kernel = "add";
  report.first->file = "folder/race.cpp";
  report.first->stream = 2;
  report.first->sequence = 14;
  report.second = operation("stream 1's free 9", "pool::free_async", "race.cpp:34");
  report.block.emplace();
  report.block->address = 0xf000'0000'0000'0001;
  report.block->bytes = 4096;
  report.block->requested = 4000;
  report.block->allocated = operation("stream 1's malloc 7", "pool::malloc_async", "race.cpp:22");
  report.block->freed = report.second;
  report.address = 0xf000'0000'0000'0011;
  report.count = 3;
  return report;
}

TEST(CheckText, TellsTheOrderThatIsMissingAndBothOperations) {
  EXPECT_EQ(soma::check::to_text(use_after_free()),
            "soma check: use_after_free: stream 2's task 14 uses a block that stream 1's free 9 frees\n"
            "  no event orders stream 2's task 14 before stream 1's free 9\n"
            "  stream 2's task 14: stream::launch of kernel add at race.cpp:31\n"
            "  stream 1's free 9: pool::free_async at race.cpp:34\n"
            "  the block: 4000 bytes from stream 1's malloc 7: pool::malloc_async at race.cpp:22");
}

TEST(CheckText, TellsTheFreeOfABlockThatIsNoneOfTheTwoOperations) {
  auto report = use_after_free();
  report.kind = soma::check_kind::foreign_free;
  report.missing_edge.clear();
  report.first.reset();
  report.second = operation("the host's free", "device::free", "");
  EXPECT_EQ(soma::check::to_text(report),
            "soma check: foreign_free: stream 2's task 14 uses a block that stream 1's free 9 frees\n"
            "  the host's free: device::free\n"
            "  the block: 4000 bytes from stream 1's malloc 7: pool::malloc_async at race.cpp:22\n"
            "  stream 1's free 9: pool::free_async at race.cpp:34");
}

TEST(CheckJson, HasAllOfTheReport) {
  const auto json = nlohmann::json::parse(soma::check::to_json(use_after_free()));
  EXPECT_EQ(json.at("kind"), "use_after_free");
  EXPECT_EQ(json.at("text"), use_after_free().text);
  EXPECT_EQ(json.at("missing_edge"), use_after_free().missing_edge);
  EXPECT_EQ(json.at("first").at("name"), "stream 2's task 14");
  EXPECT_EQ(json.at("first").at("kernel"), "add");
  EXPECT_EQ(json.at("first").at("file"), "folder/race.cpp");
  EXPECT_EQ(json.at("first").at("stream"), 2);
  EXPECT_EQ(json.at("first").at("sequence"), 14);
  EXPECT_FALSE(json.at("second").contains("kernel"));
  EXPECT_EQ(json.at("block").at("address"), "0xf000000000000001");
  EXPECT_EQ(json.at("block").at("requested"), 4000);
  EXPECT_EQ(json.at("block").at("allocated").at("place"), "race.cpp:22");
  EXPECT_EQ(json.at("block").at("freed").at("place"), "race.cpp:34");
  EXPECT_EQ(json.at("block").at("pool_destroyed"), false);
  EXPECT_EQ(json.at("address"), "0xf000000000000011");
  EXPECT_EQ(json.at("count"), 3);
}

TEST(CheckJson, LeavesOutWhatIsNotKnown) {
  soma::check_report leak;
  const auto json = nlohmann::json::parse(soma::check::to_json(leak));
  EXPECT_EQ(json.at("kind"), "leak");
  EXPECT_FALSE(json.contains("first"));
  EXPECT_FALSE(json.contains("second"));
  EXPECT_FALSE(json.contains("block"));
}

TEST(CheckJson, EscapesWhatJsonDoesNotAllow) {
  auto report = use_after_free();
  report.first->kernel = "a \"quoted\" \\ name\twith\x01 control characters, and \xc3\xa4";
  const auto json = nlohmann::json::parse(soma::check::to_json(report));
  EXPECT_EQ(json.at("first").at("kernel"), report.first->kernel);
}

}  // namespace
