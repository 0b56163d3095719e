#include "tools/output_file.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include "tools/trace_text.hpp"

namespace soma::tools {

namespace {

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(OutputFile, ReplacesTheFile) {
  const temporary_file file("an older and longer content");
  ASSERT_TRUE(write_file(file.path(), "new"));
  EXPECT_EQ(content_of(file.path()), "new");
  EXPECT_NE(::access((file.path() + ".part").c_str(), F_OK), 0);
}

TEST(OutputFile, WritesToADeviceWithoutReplacingIt) {
  ASSERT_TRUE(write_file("/dev/null", "nothing"));
  struct stat status {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST(OutputFile, SaysWhyItCannotBeWritten) {
  const auto done = write_file("/no such folder/page.html", "x");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error(), testing::StartsWith("cannot be written: "));
}

}  // namespace

}  // namespace soma::tools
