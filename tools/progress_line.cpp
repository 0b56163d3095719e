#include "tools/progress_line.hpp"

#include <cstdio>
#include <utility>

#include <unistd.h>

namespace soma::tools {

namespace {

constexpr std::chrono::milliseconds interval{100};
constexpr const char* wipe = "\r\033[K";

}  // namespace

progress_line::progress_line(std::string title)
    : title_(std::move(title)), enabled_(::isatty(STDERR_FILENO) == 1),
      due_(std::chrono::steady_clock::now() + interval) {
  // nop
}

progress_line::~progress_line() {
  if (shown_) {
    std::fputs(wipe, stderr);
  }
}

void progress_line::show(std::uint64_t done, std::uint64_t all) {
  if (!enabled_ || all == 0) {
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < due_) {
    return;
  }
  due_ = now + interval;
  shown_ = true;
  const double percent = 100 * static_cast<double>(done) / static_cast<double>(all);
  std::fprintf(stderr, "%s%s: %.1f %%", wipe, title_.c_str(), percent);
}

}  // namespace soma::tools
