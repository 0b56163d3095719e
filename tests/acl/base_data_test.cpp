// Half-precision numbers, sizes of elements, holders of buffers, versions and what the software can do.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "support/error_table.hpp"

namespace {

using namespace support;

struct half_row {
  std::uint16_t bits;
  float value;
};

TEST(HalfPrecision, ToFloat) {
  for (const auto& [bits, value] : {half_row{0x0000, 0.0F},
                                    {0x3C00, 1.0F},
                                    {0xC000, -2.0F},
                                    {0x3555, 0.333251953125F},
                                    {0x0001, 0x1p-24F},
                                    {0x03FF, 0x1.FF8p-15F},
                                    {0x0400, 0x1p-14F},
                                    {0x7BFF, 65504.0F},
                                    {0x7C00, 65536.0F},   // there is no infinity
                                    {0xFC00, -65536.0F},  //
                                    {0x7E00, 98304.0F}}) {
    EXPECT_EQ(aclFloat16ToFloat(bits), value) << std::hex << bits;
  }
}

TEST(HalfPrecision, FromFloat) {
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  for (const auto& [bits, value] : {half_row{0x0000, 0.0F},
                                    {0x3C00, 1.0F},
                                    {0xC000, -2.0F},
                                    {0x3C00, 1.0F + 0x1p-11F},      // halfway, to the even one
                                    {0x3C02, 1.0F + 3 * 0x1p-11F},  // halfway, to the even one
                                    {0x4000, 2.0F - 0x1p-12F},      // carries into the exponent
                                    {0x0001, 0x1p-24F},
                                    {0x0000, 0x1p-25F},
                                    {0x0400, 0x1p-14F - 0x1p-26F},  // the largest subnormal one rounds up
                                    {0x7BFF, 65504.0F},
                                    {0x7BFF, 1e9F},
                                    {0x7BFF, infinity},
                                    {0xFBFF, -infinity},
                                    {0x7BFF, std::numeric_limits<float>::quiet_NaN()}}) {
    EXPECT_EQ(aclFloatToFloat16(value), bits) << value;
  }
}

// All numbers there are come back as they were.
TEST(HalfPrecision, ThereAndBack) {
  for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
    ASSERT_EQ(aclFloatToFloat16(aclFloat16ToFloat(static_cast<std::uint16_t>(bits))), bits);
  }
}

TEST(DataTypes, Sizes) {
  const auto sizes = {std::pair{ACL_DT_UNDEFINED, 0},
                      {ACL_STRING, 0},
                      {ACL_INT4, 1},
                      {ACL_UINT1, 1},
                      {ACL_BOOL, 1},
                      {ACL_INT8, 1},
                      {ACL_HIFLOAT8, 1},
                      {ACL_FLOAT8_E8M0, 1},
                      {ACL_BF16, 2},
                      {ACL_FLOAT16, 2},
                      {ACL_UINT16, 2},
                      {ACL_FLOAT, 4},
                      {ACL_INT32, 4},
                      {ACL_COMPLEX32, 4},
                      {ACL_INT64, 8},
                      {ACL_DOUBLE, 8},
                      {ACL_COMPLEX64, 8},
                      {ACL_COMPLEX128, 16},
                      {ACL_FLOAT6_E3M2, 8},
                      {ACL_FLOAT4_E1M2, 8}};
  for (const auto& [type, bytes] : sizes) {
    EXPECT_EQ(aclDataTypeSize(type), static_cast<std::size_t>(bytes)) << type;
  }
}

TEST(DataBuffers, HoldWhatTheyAreGiven) {
  int one = 0;
  int other = 0;
  aclDataBuffer* buffer = aclCreateDataBuffer(&one, 4);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), &one);
  EXPECT_EQ(aclUpdateDataBuffer(buffer, &other, 8), ACL_SUCCESS);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), &other);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 8U);
  EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
  EXPECT_EQ(aclGetDataBufferAddr(nullptr), nullptr);
  EXPECT_EQ(aclGetDataBufferSizeV2(nullptr), 0U);
  check_failures({
      {"aclDestroyDataBuffer", 100000, "dataBuffer", [] { return aclDestroyDataBuffer(nullptr); }},
      {"aclUpdateDataBuffer", 100000, "dataBuffer", [] { return aclUpdateDataBuffer(nullptr, nullptr, 0); }},
  });
}

TEST(Attributes, AllCanBeAsked) {
  const aclCannAttr* all = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(aclGetCannAttributeList(&all, &count), ACL_SUCCESS);
  ASSERT_EQ(count, 3U);
  for (std::size_t at = 0; at != count; ++at) {
    std::int32_t value = -1;
    EXPECT_EQ(aclGetCannAttribute(all[at], &value), ACL_SUCCESS);
    EXPECT_TRUE(value == 0 || value == 1);
  }
  std::int32_t value = 0;
  std::int64_t number = 0;
  check_failures({
      {"aclGetCannAttributeList", 100000, "cannAttrList",
       [&] { return aclGetCannAttributeList(nullptr, &count); }},
      {"aclGetCannAttributeList", 100000, "num", [&] { return aclGetCannAttributeList(&all, nullptr); }},
      {"aclGetCannAttribute", 100000, "value",
       [] { return aclGetCannAttribute(ACL_CANN_ATTR_BF16, nullptr); }},
      {"aclGetCannAttribute", 100000, "cannAttr is -1",
       [&] { return aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &value); }},
      {"aclGetDeviceCapability", 100000, "value",
       [] { return aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, nullptr); }},
      {"aclGetDeviceCapability", 100000, "deviceInfo is -1",
       [&] { return aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &number); }},
      {"aclGetDeviceCapability", 107001, "deviceId is 99",
       [&] { return aclGetDeviceCapability(99, ACL_DEVICE_INFO_L2_SIZE, &number); }},
      {"aclrtCheckArchCompatibility", 100000, "socVersion",
       [&] { return aclrtCheckArchCompatibility(nullptr, &value); }},
      {"aclrtCheckArchCompatibility", 100000, "canCompatible",
       [] { return aclrtCheckArchCompatibility("x", nullptr); }},
  });
  EXPECT_EQ(aclrtCheckArchCompatibility("Ascend910B4", &value), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(aclrtCheckArchCompatibility("Ascend310P3", &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
}

class Versions : public testing::Test {
protected:
  void SetUp() override { ::unsetenv("ASCEND_HOME_PATH"); }

  void TearDown() override {
    ::unsetenv("ASCEND_HOME_PATH");
    std::filesystem::remove_all(home_);
  }

  /// Writes a version file for a part and lets the library find it.
  void install(const std::string& part, const std::string& content) const {
    std::filesystem::create_directories(home_ / "share" / "info" / part);
    std::ofstream(home_ / "share" / "info" / part / "version.info") << content;
    ::setenv("ASCEND_HOME_PATH", home_.c_str(), 1);
  }

  static std::string text_of(std::string part) {
    char text[ACL_PKG_VERSION_MAX_SIZE] = {};
    EXPECT_EQ(aclsysGetVersionStr(part.data(), text), ACL_SUCCESS);
    return text;
  }

  static std::int32_t number_of(std::string part) {
    std::int32_t number = 0;
    EXPECT_EQ(aclsysGetVersionNum(part.data(), &number), ACL_SUCCESS);
    return number;
  }

  std::filesystem::path home_ =
      std::filesystem::temp_directory_path() / ("soma_versions_" + std::to_string(::getpid()));
};

TEST_F(Versions, OfTheInterfaceItself) {
  EXPECT_EQ(text_of("runtime"), "1.17.0");
  EXPECT_EQ(number_of("runtime"), 11700000);
}

TEST_F(Versions, FromFiles) {
  install("opp", "# a part\nVersion=8.5.1-beta.2\n");
  EXPECT_EQ(text_of("opp"), "8.5.1-beta.2");
  EXPECT_EQ(number_of("opp"), 80501000 - 200 + 2);
  install("opp", "Version=8.1.RC1\r\n");
  EXPECT_EQ(number_of("opp"), 80100000 - 100 + 1);
  install("opp", "Version=8.0.0.alpha003\n");
  EXPECT_EQ(number_of("opp"), 80000000 - 300 + 3);
  aclCANNPackageVersion version{};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_OPP, &version), ACL_SUCCESS);
#pragma GCC diagnostic pop
  EXPECT_STREQ(version.version, "8.0.0.alpha003");
  EXPECT_STREQ(version.majorVersion, "8");
}

TEST_F(Versions, Errors) {
  char part[] = "compiler";
  char path[] = "../runtime";
  char runtime[] = "runtime";
  char text[ACL_PKG_VERSION_MAX_SIZE];
  std::int32_t number = 0;
  check_failures({
      {"aclsysGetVersionStr", 100000, "pkgName", [&] { return aclsysGetVersionStr(nullptr, text); }},
      {"aclsysGetVersionStr", 100000, "versionStr", [&] { return aclsysGetVersionStr(part, nullptr); }},
      {"aclsysGetVersionStr", 100000, "../runtime", [&] { return aclsysGetVersionStr(path, text); }},
      {"aclsysGetVersionStr", 100003, "compiler", [&] { return aclsysGetVersionStr(part, text); }},
      {"aclsysGetVersionNum", 100003, "compiler", [&] { return aclsysGetVersionNum(part, &number); }},
      {"aclsysGetVersionNum", 100000, "versionNum", [&] { return aclsysGetVersionNum(part, nullptr); }},
  });
  install("runtime", "Version=none\n");
  check_failures({
      {"aclsysGetVersionNum", 100000, "\"none\"", [&] { return aclsysGetVersionNum(runtime, &number); }},
      {"aclsysGetVersionStr", 100003, "version.info", [&] { return aclsysGetVersionStr(part, text); }},
  });
}

}  // namespace
