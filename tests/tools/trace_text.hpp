// Traces written as text in tests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tools/trace_reader.hpp"

namespace soma::tools {

inline constexpr std::string_view trace_header = "op,id,bytes,stream,time_us\n";

/// A file with this content, gone at the end of the test.
class temporary_file {
public:
  explicit temporary_file(std::string_view content);
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
  std::string path_;
};

/// The content as a gzip file has it.
std::string compressed(std::string_view content);

/// Reads a file with this content.
tl::expected<std::vector<trace_row>, trace_error> read_text(std::string_view content);

/// The rows of a trace; the header is put in front, and a time at the end of each line.
std::vector<trace_row> rows_of(std::initializer_list<const char*> lines);

/// The same as text.
std::string text_of(std::initializer_list<const char*> lines);

}  // namespace soma::tools
