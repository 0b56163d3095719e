// One line on a terminal that says how far a long piece of work has come.
//
// It is written to standard error, at most ten times a second, and wiped at the end, so that it leaves no
// trace. Where standard error is no terminal, nothing is written at all.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace soma::tools {

class progress_line {
public:
  explicit progress_line(std::string title);
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Wipes the line.
  ~progress_line();

  void show(std::uint64_t done, std::uint64_t all);

private:
  std::string title_;
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point due_;
};

}  // namespace soma::tools
