// A file of the recorder, and the rows that are on their way to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include <sys/types.h>

namespace soma::detail {

/// A stream of any runtime: the runtime's address, and the stream's number in it.
using recorded_stream = std::pair<const void*, std::uint64_t>;

enum class row_state : std::uint8_t {
  settled,
  begun,      ///< may yet be taken back; keeps what is behind it from the file
  cancelled,  ///< was taken back
};

struct recorded_row {
  const char* op = "";
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
  std::int64_t stream = -1;
  std::uint64_t time_us = 0;
  row_state state = row_state::settled;
};

/// All calls are made under the recorder's lock, and may throw std::bad_alloc.
class record_output {
public:
  /// Opens the file and empties it. Where that cannot be done, `failure` says why, and nothing is written.
  explicit record_output(std::string path);
  ~record_output();
  record_output(const record_output&) = delete;
  record_output& operator=(const record_output&) = delete;

  /// Adds a row and returns its number, counted from 0. Numbers go on over all that was written.
  std::uint64_t add(recorded_row row, std::chrono::steady_clock::time_point now);

  /// Settles a row that was begun.
  void settle(std::uint64_t number, bool keep) noexcept;

  /// Writes all rows that are settled, up to the first that is not.
  void write() noexcept;

  /// Whether enough has gathered to be written.
  [[nodiscard]] bool is_due(std::chrono::steady_clock::time_point now) const noexcept;

  /// The trace's number of a stream, in the order of their first rows.
  std::int64_t number_of(const recorded_stream& stream);

  [[nodiscard]] std::uint64_t next_id() noexcept { return ++ids_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Why the file cannot be written; empty as long as it can.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

  struct stream_progress {
    std::int64_t number = 0;
    std::uint32_t device = 0;
    std::uint64_t last_row = 0;  ///< the recorder's count behind its latest row
    std::uint64_t seen = 0;      ///< the recorder's count up to which the host has seen it complete
  };
  /// By stream; used by the recorder to find out when the host has seen all.
  std::map<recorded_stream, stream_progress> streams;

private:
  void open() noexcept;
  void fail(const std::string& reason) noexcept;
  bool write_all(const std::string& text) noexcept;

  std::string path_;
  std::string failure_;
  int file_ = -1;
  ::off_t written_ = 0;
  std::uint64_t ids_ = 0;
  std::uint64_t first_ = 0;  ///< the number of the first row in the buffer
  std::deque<recorded_row> rows_;
  bool started_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_write_;
};

}  // namespace soma::detail
