#include "api/acl/json.hpp"

#include <string>

#include <gtest/gtest.h>

namespace soma::acl {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Json, ReadsAConfiguration) {
  const auto parsed = parse_json(R"( {"defaultDevice": {"default_device": "0"}, "err_msg_mode": "1"} )");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->kind, json_kind::object);
  ASSERT_NE(parsed->find("defaultDevice"), nullptr);
  EXPECT_EQ(parsed->find("defaultDevice")->find("default_device")->text, "0");
  EXPECT_EQ(parsed->find("err_msg_mode")->text, "1");
  EXPECT_EQ(parsed->find("dump"), nullptr);
}

TEST(Json, ReadsEveryKind) {
  const auto parsed = parse_json(R"([null, true, false, -0.5e+3, 0, "x", [], {}])");
  ASSERT_TRUE(parsed) << parsed.error();
  ASSERT_EQ(parsed->items.size(), 8U);
  EXPECT_EQ(parsed->items[0].kind, json_kind::null);
  EXPECT_EQ(parsed->items[1].text, "true");
  EXPECT_EQ(parsed->items[2].text, "false");
  EXPECT_EQ(parsed->items[3].text, "-0.5e+3");
  EXPECT_EQ(parsed->items[4].kind, json_kind::number);
  EXPECT_EQ(parsed->items[5].text, "x");
  EXPECT_EQ(parsed->items[6].kind, json_kind::array);
  EXPECT_EQ(parsed->items[7].kind, json_kind::object);
}

TEST(Json, ReadsEscapes) {
  const auto parsed = parse_json(R"("\"\\\/\b\f\n\r\t\u0041\u00e4\u20ac\ud83d\ude00")");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->text, "\"\\/\b\f\n\r\tA\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(Json, TheLastMemberOfANameCounts) {
  const auto parsed = parse_json(R"({"a": 1, "a": 2})");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->find("a")->text, "2");
}

TEST(Json, LimitsTheDepth) {
  EXPECT_TRUE(parse_json(nested(json_depth_limit)));
  EXPECT_FALSE(parse_json(nested(json_depth_limit + 1)));
  EXPECT_FALSE(parse_json(std::string(1000000, '[')));
}

TEST(Json, RefusesWhatIsNoJson) {
  for (const char* const text : {"",
                                 " ",
                                 "{",
                                 "}",
                                 "[1,]",
                                 R"({"a":1,})",
                                 R"({"a" 1})",
                                 "{a:1}",
                                 "{'a':1}",
                                 "[1 2]",
                                 "01",
                                 "+1",
                                 "1.",
                                 ".5",
                                 "1e",
                                 "-",
                                 "nul",
                                 "nullx",
                                 "true false",
                                 R"(")",
                                 R"("\x")",
                                 R"("\u12g4")",
                                 R"("\ud800")",
                                 R"("\udc00")",
                                 R"("\ud800\u0041")",
                                 "\"a\nb\"",
                                 "// c\n1",
                                 "1 // c",
                                 "NaN",
                                 "[1",
                                 R"({"a":)",
                                 R"("\)"})
    EXPECT_FALSE(parse_json(text)) << text;
}

TEST(Json, SaysWhere) {
  const auto parsed = parse_json("{\"a\": }");
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().find("at byte 6"), std::string::npos) << parsed.error();
}

}  // namespace
}  // namespace soma::acl
