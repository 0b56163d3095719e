// A message trace, read back from its file (docs/tracing.md): who was sent what, by whom and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <tl/expected.hpp>

namespace soma::tools {

/// A message that was handled, a call of the program, or the work of a task. Times are microseconds since the
/// trace's start; numbers are 0 where there are none.
struct trace_step {
  enum class kind : std::uint8_t { message, call, work };

  kind what = kind::message;
  std::uint64_t id = 0;
  std::uint64_t cause = 0;
  std::string name;
  std::string track;  // of the receiver, the thread or the engine
  std::string from;   // of a message
  double sent = 0;    // of a message
  double start = 0;
  double end = 0;
  std::uint64_t stream = 0;
  std::uint64_t task = 0;
  std::uint64_t bytes = 0;
  std::uint64_t record = 0;
  std::uint64_t accepted = 0;  // of a message to a stream: its last task, afterwards
  std::uint64_t block = 0;     // an address; of a copy or fill, where it writes
  std::uint64_t source = 0;    // of a copy: where it reads
  bool is_handled = true;
  bool is_open = false;  // it had not ended when the trace was written
  bool has_failed = false;
};

/// How a pool decided.
struct trace_grant {
  std::uint64_t cause = 0;
  std::string pool;
  double time = 0;
  std::uint64_t block = 0;
  std::uint64_t bytes = 0;
  std::string how;
  std::uint64_t freed_by_stream = 0;
  std::uint64_t freed_by_task = 0;
  std::uint64_t event = 0;
  std::uint64_t record = 0;
  bool seen_by_host = false;
  bool joined = false;
  bool stitched = false;
  std::map<std::string, std::uint64_t> idle;  // counts of idle pieces by why they could or could not serve
};

/// An answer that a call has got.
struct trace_answer {
  std::uint64_t call = 0;
  std::uint64_t cause = 0;
  double time = 0;
};

struct message_trace {
  std::vector<trace_step> steps;  // by their start
  std::vector<trace_grant> grants;
  std::vector<trace_answer> answers;
  std::uint64_t messages = 0;
  std::uint64_t handled = 0;
  std::uint64_t dropped = 0;  // entries

  /// The step with this id, or null.
  [[nodiscard]] const trace_step* find(std::uint64_t id) const;
  /// The call that a step goes back to, or the first step known of its chain; null if the id is unknown.
  [[nodiscard]] const trace_step* root_of(std::uint64_t id) const;

  /// Sorts the steps and makes find work.
  void complete();

private:
  std::unordered_map<std::uint64_t, std::size_t> places_;
};

/// Reads a trace. The error says what is wrong with the file, without its name.
tl::expected<message_trace, std::string> read_message_trace(const std::string& path);

/// "malloc_async of 4,096 bytes", "give_back of 0x1000".
std::string describe_step(const trace_step& step);

/// 12.3 us, 4.56 ms.
std::string print_time(double microseconds);

std::string print_address(std::uint64_t address);

}  // namespace soma::tools
