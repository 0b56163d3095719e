#include "tools/pickle_reader.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/import_recordings.hpp"

namespace soma::tools {

namespace {

using testing::HasSubstr;

std::string error_of(std::string_view bytes) {
  const auto read = pickle_document::read(bytes);
  return read ? "no error" : read.error();
}

std::int64_t number_in(const std::string& bytes) {
  const auto read = pickle_document::read(bytes);
  EXPECT_TRUE(read.has_value()) << read.error();
  return read ? integer_of(read->root()).value_or(-999) : -999;
}

TEST(PickleReader, ReadsNumbersOfEveryKind) {
  using namespace std::string_literals;
  EXPECT_EQ(number_in("K\xC8."s), 200);
  EXPECT_EQ(number_in("M\x01\x02."s), 513);
  EXPECT_EQ(number_in("J\xFF\xFF\xFF\xFF."s), -1);
  EXPECT_EQ(number_in("I12\n."), 12);
  EXPECT_EQ(number_in("L-123456789012L\n."), -123456789012);
  EXPECT_EQ(number_in("\x8a\x00."s), 0);
  EXPECT_EQ(number_in("\x8a\x02\x00\x80."s), -32768);
  EXPECT_EQ(number_in("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\xF0\x00."s),
            static_cast<std::int64_t>(0xF0ULL << 56));
  EXPECT_EQ(number_in("\x8b\x01\x00\x00\x00\x7F."s), 127);
  EXPECT_EQ(number_in("G\x40\x08\x00\x00\x00\x00\x00\x00."s), 3);
  EXPECT_EQ(number_in("F2.0\n."), 2);
  EXPECT_EQ(number_in("I01\n."), 1);
  EXPECT_EQ(number_in("\x88."), 1);
  EXPECT_FALSE(integer_of(pickle_document::read("F2.5\n.")->root()));
  EXPECT_FALSE(
      integer_of(pickle_document::read("\x8a\x0A\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01.")->root()));
}

TEST(PickleReader, ReadsDictsListsAndTheMemo) {
  const std::string bytes = pickle_writer()
                                .raw("}(")
                                .text("a")
                                .raw("q\x01](")
                                .number(1)
                                .raw("eh\x01")
                                .number(2)
                                .raw("u")
                                .finished();
  const auto read = pickle_document::read(bytes);
  ASSERT_TRUE(read) << read.error();
  const pickle_value* const found = read->find(read->root(), "a");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(integer_of(*found), 2);  // the second one has the same key, from the memo
  EXPECT_EQ(read->find(read->root(), "b"), nullptr);
  EXPECT_EQ(read->items(read->root()).size(), 4U);
  EXPECT_TRUE(read->items(*found).empty());
}

TEST(PickleReader, ForgetsWhatIsUnwanted) {
  const std::string bytes = snapshot_recording();
  const auto read = pickle_document::read(bytes, {"frames"});
  ASSERT_TRUE(read) << read.error();
  const auto& traces = read->items(*read->find(read->root(), "device_traces"));
  const auto& events = read->items(traces.at(0));
  ASSERT_EQ(events.size(), 7U);
  EXPECT_EQ(read->find(events[0], "frames")->kind, pickle_kind::dropped);
  EXPECT_EQ(integer_of(*read->find(events[0], "size")), 500);
}

TEST(PickleReader, RunsNothing) {
  for (const char* const code :
       {"cos\nsystem\n.", "(S'x'\nios\nsystem\n.", "\x80\x04\x8c\x02os\x8c\x06system\x93.", "Px\n.", "})R.",
        "}}b.", ")}\x92.", "))\x81.", "\x82\x01."}) {
    EXPECT_THAT(error_of(code), HasSubstr("never done here")) << code;
  }
}

TEST(PickleReader, SaysWhatIsBroken) {
  using namespace std::string_literals;
  EXPECT_EQ(error_of(""), "byte 0: the pickle ends too early");
  EXPECT_EQ(error_of("."), "byte 0: the pickle ends with 0 values instead of one");
  EXPECT_EQ(error_of("NN."), "byte 2: the pickle ends with 2 values instead of one");
  EXPECT_EQ(error_of("\x80\x06."), "byte 0: the pickle's protocol is 6: 0 to 5 are known");
  EXPECT_EQ(error_of("h\x05."), "byte 0: nothing was remembered as 5");
  EXPECT_EQ(error_of("]Na("), "byte 4: the pickle ends too early");
  EXPECT_EQ(error_of("Na."), "byte 1: nothing to append to");
  EXPECT_EQ(error_of("NNa."), "byte 2: values are appended to something that is no list");
  EXPECT_EQ(error_of("}(Nu."), "byte 3: keys are set of something that is no dict, or without a value");
  EXPECT_EQ(error_of("(Nd."), "byte 2: a dict has a key without a value");
  EXPECT_EQ(error_of("e."), "byte 0: there is no mark to append from");
  EXPECT_EQ(error_of("X\xFF\xFF\xFF\xFF"s
                     "abc"),
            "byte 0: a text is cut off");
  EXPECT_EQ(error_of("\x8d\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s
                     "abc"),
            "byte 0: a text is cut off");
  EXPECT_EQ(error_of("Iabc\n."), "byte 0: a number is none, or too large");
  EXPECT_EQ(error_of("I99999999999999999999\n."), "byte 0: a number is none, or too large");
  EXPECT_THAT(error_of("\x8f."), HasSubstr("instruction 0x8f"));
  EXPECT_EQ(error_of("(.."), "byte 1: the pickle ends with 0 values instead of one");
}

TEST(PickleReader, DoesNotRecurse) {
  // A list in a list a million times, and one that holds itself.
  const auto deep = pickle_document::read(std::string(1000000, ']') + std::string(999999, 'a') + ".");
  EXPECT_TRUE(deep) << deep.error();
  const auto circle = pickle_document::read("]q\x01h\x01"
                                            "a.");
  ASSERT_TRUE(circle) << circle.error();
  EXPECT_EQ(circle->items(circle->root()).size(), 1U);
}

}  // namespace

}  // namespace soma::tools
