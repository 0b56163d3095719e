#include "tools/trace_reader.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/trace_text.hpp"

namespace soma::tools {

namespace {

using testing::HasSubstr;

const std::string good_rows = "segment_malloc,1,2097152,0,0\n"
                              "malloc,2,512,3,7\n"
                              "free,2,512,3,7\n"
                              "sync,2,512,3,9\n"
                              "sync,0,0,-1,10\n"
                              "segment_free,1,2097152,0,11\n";

std::string with_header(const std::string& rows) { return std::string(trace_header) + rows; }

void expect_good_rows(const tl::expected<std::vector<trace_row>, trace_error>& rows) {
  ASSERT_TRUE(rows.has_value()) << rows.error().reason;
  ASSERT_EQ(rows->size(), 6U);
  const trace_row& block = (*rows)[1];
  EXPECT_EQ(block.op, trace_op::malloc);
  EXPECT_EQ(block.id, 2U);
  EXPECT_EQ(block.bytes, 512U);
  EXPECT_EQ(block.stream, 3);
  EXPECT_EQ(block.time_us, 7U);
  EXPECT_EQ(block.line, 3U);
  EXPECT_EQ((*rows)[0].op, trace_op::segment_malloc);
  EXPECT_EQ((*rows)[2].op, trace_op::free);
  EXPECT_EQ((*rows)[3].op, trace_op::sync);
  EXPECT_EQ((*rows)[4].stream, -1);
  EXPECT_EQ((*rows)[5].op, trace_op::segment_free);
}

TEST(TraceReader, ReadsEveryOp) { expect_good_rows(read_text(with_header(good_rows))); }

TEST(TraceReader, ReadsWithoutALastLineEnd) {
  expect_good_rows(read_text(with_header(good_rows.substr(0, good_rows.size() - 1))));
}

TEST(TraceReader, ReadsLinesThatEndWithReturnAndNewline) {
  std::string text;
  for (const char letter : with_header(good_rows)) {
    text += letter == '\n' ? "\r\n" : std::string(1, letter);
  }
  expect_good_rows(read_text(text));
}

TEST(TraceReader, ReadsGzipByContentWhateverTheName) {
  expect_good_rows(read_text(compressed(with_header(good_rows))));
}

TEST(TraceReader, ReadsGzipFilesThatWereJoined) {
  expect_good_rows(
      read_text(compressed(with_header(good_rows.substr(0, 40))) + compressed(good_rows.substr(40))));
}

TEST(TraceReader, ReadsAHeaderAlone) {
  const auto rows = read_text(trace_header);
  ASSERT_TRUE(rows.has_value());
  EXPECT_TRUE(rows->empty());
}

TEST(TraceReader, ReadsMoreThanItsBufferHolds) {
  std::string text(trace_header);
  constexpr std::size_t count = 50'000;
  for (std::size_t id = 1; id <= count; ++id) {
    text += "malloc," + std::to_string(id) + ",512,0," + std::to_string(id) + "\n";
  }
  for (const std::string& content : {text, compressed(text)}) {
    const auto rows = read_text(content);
    ASSERT_TRUE(rows.has_value()) << rows.error().reason;
    ASSERT_EQ(rows->size(), count);
    for (std::size_t index = 0; index < count; ++index) {
      ASSERT_EQ((*rows)[index].id, index + 1);
    }
  }
}

struct bad_text {
  const char* name;
  std::string content;
  std::uint64_t line;
  const char* reason;
};

class TraceReaderRefuses : public testing::TestWithParam<bad_text> {};

TEST_P(TraceReaderRefuses, WithLineAndReason) {
  const auto rows = read_text(GetParam().content);
  ASSERT_FALSE(rows.has_value());
  EXPECT_EQ(rows.error().line, GetParam().line) << rows.error().reason;
  EXPECT_THAT(rows.error().reason, HasSubstr(GetParam().reason));
}

bad_text bad_row(const char* name, const std::string& row, const char* reason) {
  return {name, with_header("malloc,1,512,0,5\n" + row + "\n"), 3, reason};
}

INSTANTIATE_TEST_SUITE_P(
    Lines, TraceReaderRefuses,
    testing::Values(bad_text{"Empty", "", 1, "the file is empty"},
                    bad_text{"NoHeader", "malloc,1,512,0,0\n", 1, "the header"},
                    bad_text{"OtherHeader", "op,id,bytes,stream\n", 1, "the header"},
                    bad_text{"EmptyHeader", "\n", 1, "the header"},
                    bad_row("FewFields", "free,1,512,0", "has 4"),
                    bad_row("ManyFields", "free,1,512,0,6,", "has 6"), bad_row("EmptyLine", "", "has 1"),
                    bad_row("UnknownOp", "realloc,1,512,0,6", "op 'realloc'"),
                    bad_row("OpInCapitals", "Free,1,512,0,6", "op 'Free'"),
                    bad_row("EmptyId", "malloc,,512,0,6", "id '' is not a number"),
                    bad_row("WordForId", "malloc,two,512,0,6", "id 'two' is not a number"),
                    bad_row("SpaceBeforeId", "malloc, 2,512,0,6", "id ' 2' is not a number"),
                    bad_row("NegativeId", "malloc,-2,512,0,6", "negative"),
                    bad_row("IdZero", "malloc,0,512,0,6", "id 0"),
                    bad_row("Fraction", "malloc,2,512.5,0,6", "bytes '512.5' is not a number"),
                    bad_row("NegativeBytes", "malloc,2,-512,0,6", "negative"),
                    bad_row("BytesTooMany", "malloc,2,18446744073709551616,0,6", "more than 2^64 - 1"),
                    bad_row("NegativeStream", "malloc,2,512,-2,6", "stream '-2'"),
                    bad_row("DeviceStreamForBlock", "malloc,2,512,-1,6", "stream -1"),
                    bad_row("StreamTooHigh", "malloc,2,512,65536,6", "is unknown"),
                    bad_row("SyncOfDeviceOnStream", "sync,0,0,0,6", "has stream -1"),
                    bad_row("SyncOfBlockOnDevice", "sync,1,512,-1,6", "stream -1"),
                    bad_row("TimeGoesBack", "free,1,512,0,4", "goes back from 5 to 4"),
                    bad_row("TimeTooHigh", "free,1,512,0,99999999999999999999", "more than 2^64 - 1"),
                    bad_row("TrailingText", "free,1,512,0,6 x", "time_us '6 x' is not a number"),
                    bad_row("LineTooLong", std::string(5000, ','), "has 5001"),
                    bad_row("EndlessLine", std::string(600'000, 'x'), "longer than")),
    [](const auto& tested) { return tested.param.name; });

TEST(TraceReader, RefusesGzipThatEndsTooEarly) {
  const std::string whole = compressed(with_header(good_rows));
  for (const std::size_t length : {std::size_t{11}, whole.size() / 2, whole.size() - 1}) {
    const auto rows = read_text(whole.substr(0, length));
    ASSERT_FALSE(rows.has_value()) << length;
    EXPECT_THAT(rows.error().reason, HasSubstr("bad gzip data")) << length;
  }
}

TEST(TraceReader, RefusesGzipWithAWrongByte) {
  std::string text = compressed(with_header(good_rows));
  text[text.size() - 6] = static_cast<char>(text[text.size() - 6] ^ 1);
  const auto rows = read_text(text);
  ASSERT_FALSE(rows.has_value());
  EXPECT_THAT(rows.error().reason, HasSubstr("bad gzip data"));
}

TEST(TraceSource, NamesTheReasonOfTheSystem) {
  const auto missing = trace_source::open(testing::TempDir() + "soma_no_such_file");
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error(), HasSubstr("No such file"));

  auto folder = trace_source::open(testing::TempDir());
  ASSERT_TRUE(folder.has_value());
  const auto rows = read_trace(*folder);
  ASSERT_FALSE(rows.has_value());
  EXPECT_THAT(rows.error().reason, HasSubstr("directory"));
}

}  // namespace

}  // namespace soma::tools
