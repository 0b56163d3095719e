#include "tools/byte_size.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace soma::tools {

namespace {

using testing::HasSubstr;

TEST(ByteSize, ReadsNumbersWithAndWithoutSuffix) {
  EXPECT_EQ(parse_byte_size("0"), 0U);
  EXPECT_EQ(parse_byte_size("512"), 512U);
  EXPECT_EQ(parse_byte_size("64K"), 64U << 10);
  EXPECT_EQ(parse_byte_size("2m"), 2U << 20);
  EXPECT_EQ(parse_byte_size("3GiB"), std::uint64_t{3} << 30);
  EXPECT_EQ(parse_byte_size("1T"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_byte_size("18446744073709551615"), unlimited_bytes);
}

TEST(ByteSize, RefusesWhatIsNoSize) {
  for (const char* const text :
       {"", "K", "-1", "+1", " 1", "1 ", "1.5G", "1KB", "1X", "1Ki", "0x10", "1GiBs"}) {
    const auto parsed = parse_byte_size(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_THAT(parsed.error(), HasSubstr("is not a size")) << text;
  }
}

TEST(ByteSize, RefusesWhatDoesNotFit) {
  for (const char* const text : {"18446744073709551616", "16777216T", "18014398509481984K"}) {
    const auto parsed = parse_byte_size(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_THAT(parsed.error(), HasSubstr("more than 2^64 - 1")) << text;
  }
  EXPECT_EQ(parse_byte_size("16777215T"), std::uint64_t{16777215} << 40);
}

TEST(ByteSize, PrintsTheLargestUnitThatFits) {
  EXPECT_EQ(print_byte_size(0), "0 B");
  EXPECT_EQ(print_byte_size(1023), "1023 B");
  EXPECT_EQ(print_byte_size(1024), "1 KiB");
  EXPECT_EQ(print_byte_size(4608), "4.50 KiB");
  EXPECT_EQ(print_byte_size(2U << 20), "2 MiB");
  EXPECT_EQ(print_byte_size((std::uint64_t{1} << 30) - 1), "1.00 GiB");
  EXPECT_EQ(print_byte_size(unlimited_bytes), "16 EiB");
}

TEST(ByteSize, RoundsUpAndAddsWithoutWrapping) {
  EXPECT_EQ(round_up(0, 512), 0U);
  EXPECT_EQ(round_up(1, 512), 512U);
  EXPECT_EQ(round_up(512, 512), 512U);
  EXPECT_EQ(round_up(unlimited_bytes, 512), unlimited_bytes - 511);
  EXPECT_EQ(add_saturated(1, 2), 3U);
  EXPECT_EQ(add_saturated(unlimited_bytes, 1), unlimited_bytes);
}

}  // namespace

}  // namespace soma::tools
