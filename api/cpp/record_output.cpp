#include "api/cpp/record_output.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace soma::detail {

namespace {

constexpr std::size_t rows_due = 4096;
constexpr std::chrono::milliseconds time_due{200};

void append_number(std::string& text, std::int64_t number) { text += std::to_string(number); }

}  // namespace

record_output::record_output(std::string path) : path_(std::move(path)) { open(); }

record_output::~record_output() {
  if (file_ >= 0) {
    ::close(file_);
  }
}

void record_output::open() noexcept {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) {
    fail(std::system_category().message(errno));
    return;
  }
  // Two processes with the same name for their file would spoil each other's.
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(file_);
    file_ = -1;
    fail("another process is recording to it; %i in the name stands for the number of the process");
    return;
  }
  if (::ftruncate(file_, 0) != 0 && errno != EINVAL) {
    fail(std::system_category().message(errno));
    return;
  }
  write_all("op,id,bytes,stream,time_us\n");
}

std::uint64_t record_output::add(recorded_row row, std::chrono::steady_clock::time_point now) {
  if (!started_) {
    started_ = true;
    start_ = now;
    last_write_ = now;
  }
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(now - start_).count();
  row.time_us = since < 0 ? 0 : static_cast<std::uint64_t>(since);
  rows_.push_back(row);
  return first_ + rows_.size() - 1;
}

void record_output::settle(std::uint64_t number, bool keep) noexcept {
  rows_[static_cast<std::size_t>(number - first_)].state = keep ? row_state::settled : row_state::cancelled;
}

bool record_output::is_due(std::chrono::steady_clock::time_point now) const noexcept {
  return rows_.size() >= rows_due || now - last_write_ >= time_due;
}

void record_output::write() noexcept {
  try {
    std::string text;
    std::size_t count = 0;
    while (count < rows_.size() && rows_[count].state != row_state::begun) {
      const recorded_row& row = rows_[count++];
      if (row.state == row_state::settled) {
        text.append(row.op).append(",").append(std::to_string(row.id)).append(",");
        text.append(std::to_string(row.bytes)).append(",");
        append_number(text, row.stream);
        text.append(",").append(std::to_string(row.time_us)).append("\n");
      }
    }
    rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(count));
    first_ += count;
    last_write_ = std::chrono::steady_clock::now();
    if (failure_.empty() && !text.empty()) {
      write_all(text);
    }
  } catch (...) {
    fail("the host has no memory left");
  }
}

bool record_output::write_all(const std::string& text) noexcept {
  std::size_t done = 0;
  while (done < text.size()) {
    const ::ssize_t count = ::write(file_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      fail(std::system_category().message(count < 0 ? errno : EIO));
      // No row is left in it that is not whole.
      static_cast<void>(::ftruncate(file_, written_) == 0);
      return false;
    }
    done += static_cast<std::size_t>(count);
  }
  written_ += static_cast<::off_t>(text.size());
  return true;
}

void record_output::fail(const std::string& reason) noexcept {
  try {
    failure_ = reason.empty() ? "unknown" : reason;
    const std::string line = "soma: SOMA_RECORD: " + path_ + " cannot be written: " + reason +
                             "; the program goes on, but is not recorded\n";
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
  } catch (...) {
    // Without memory there is nothing to tell it with.
  }
}

std::int64_t record_output::number_of(const recorded_stream& stream) {
  const auto [entry, is_new] = streams.try_emplace(stream);
  if (is_new) {
    entry->second.number = static_cast<std::int64_t>(streams.size()) - 1;
  }
  return entry->second.number;
}

}  // namespace soma::detail
