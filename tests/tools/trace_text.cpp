#include "tools/trace_text.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <unistd.h>
#include <zlib.h>

namespace soma::tools {

temporary_file::temporary_file(std::string_view content) {
  static int number = 0;
  // Tests run as processes side by side.
  path_ = testing::TempDir() + "soma_trace_" + std::to_string(::getpid()) + "_" + std::to_string(number++);
  std::ofstream(path_, std::ios::binary) << content;
}

temporary_file::~temporary_file() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::string compressed(std::string_view content) {
  const temporary_file file("");
  gzFile out = gzopen(file.path().c_str(), "wb");
  gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
  gzclose(out);
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

tl::expected<std::vector<trace_row>, trace_error> read_text(std::string_view content) {
  const temporary_file file(content);
  auto source = trace_source::open(file.path());
  if (!source) {
    return tl::unexpected(trace_error{.line = 0, .reason = source.error()});
  }
  return read_trace(*source);
}

std::string text_of(std::initializer_list<const char*> lines) {
  std::string text(trace_header);
  for (const char* const line : lines) {
    text += std::string(line) + ",0\n";
  }
  return text;
}

std::vector<trace_row> rows_of(std::initializer_list<const char*> lines) {
  const auto rows = read_text(text_of(lines));
  EXPECT_TRUE(rows.has_value()) << rows.error().reason;
  return rows.value_or(std::vector<trace_row>{});
}

}  // namespace soma::tools
