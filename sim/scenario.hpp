// A scenario: a small program for one device, as statements with names. What each statement means is in
// docs/scenarios.md.
//
// Read by parser.hpp, or put together by programs. resolve() gives every name its index and checks that the
// statements fit together; only a resolved scenario can be run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace soma::sim {

inline constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();

/// What a scenario calls something, and its place in the scenario's list of such things.
struct name {
  std::string text;
  std::size_t index = no_index;

  [[nodiscard]] bool given() const noexcept { return !text.empty(); }
};

/// What a task does with a block, or a mark that it sets.
struct access {
  enum class kind : std::uint8_t { read, write, mark };

  kind how = kind::read;
  name what;                          // a block or a mark
  std::optional<std::uint8_t> value;  // that is written, or must be found
};

enum class verb : std::uint8_t {
  make_pool,
  alloc,
  malloc,
  free,
  free_plainly,
  run,  // with a gate: hold
  record,
  wait,
  sync_stream,
  sync_event,
  sync_device,
  query_stream,
  query_event,
  trim,
  set,
  destroy_stream,
  renew_stream,
  destroy_event,
  destroy_pool,
  open,
  started,
  seen,
  expect,
};

/// What must come out of a call.
enum class wanted : std::uint8_t { success, failure, either };

enum class setting : std::uint8_t { event, opportunistic, internal, threshold };

struct pool_settings {
  std::array<bool, 3> switches{};  // event, opportunistic, internal
  std::uint64_t limit = 0;         // 0: none
  std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t minimum_block = std::uint64_t{2} << 20;
};

/// What an expect statement looks at.
enum class quantity : std::uint8_t {
  address,  // of a block, compared with another's
  inside,   // a block lies in another's range
  fails,    // an alloc failed
  races,    // what the race detector reports
  stream_done,
  event_done,
  used,
  used_high,
  reserved,
  reserved_high,
  idle,
  live,
  served_same_stream,
  served_event,
  served_opportunistic,
  served_internal,
  served_new_memory,
  backing_requests,
  backing_returns,
};

enum class comparison : std::uint8_t { equal, unequal, less, at_most, more, at_least };

struct expectation {
  quantity what = quantity::address;
  comparison how = comparison::equal;
  name other;  // a block
  std::uint64_t value = 0;
  std::vector<std::string> races;
};

struct statement {
  verb what = verb::run;
  std::size_t line = 0;    // in the file; 0 if there is none
  std::size_t thread = 1;  // 1: the main thread
  wanted outcome = wanted::success;
  name block;
  name pool;
  name stream;
  name event;
  name gate;  // or a mark
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> limit_ms;
  pool_settings settings;
  setting which = setting::threshold;
  std::vector<access> accesses;
  expectation expected;
};

struct scenario_error {
  std::size_t line = 0;
  std::string text;
};

struct scenario {
  std::string title;  // the file's name, for reports
  std::uint64_t device_bytes = std::uint64_t{1} << 30;
  std::vector<statement> statements;

  // By resolve(). Blocks are counted by assignment: a name that is assigned twice stands for two.
  std::vector<std::string> streams;
  std::vector<std::string> events;
  std::vector<std::string> gates;
  std::vector<std::string> marks;
  std::vector<std::string> pools;
  std::vector<std::string> blocks;
  std::size_t threads = 1;
  std::size_t tasks = 0;
  bool expects_race = false;
};

/// Gives every name its index. Errors: a block or pool that is used but never made, a thread's use of what it
/// makes only later, too many tasks, an `expect` about something that cannot be.
tl::expected<void, scenario_error> resolve(scenario& program);

/// The text of a statement, and of a whole scenario, as the parser reads it.
std::string to_text(const statement& printed);
std::string to_text(const scenario& printed);

/// Where a statement is: its line, or its number if the scenario is no file.
std::size_t line_of(const scenario& program, const statement& one);

/// "8M", or plain bytes.
std::string size_text(std::uint64_t bytes);
/// "0A".
std::string byte_text(std::uint8_t value);

/// The most tasks and blocks that a scenario may have together.
inline constexpr std::size_t most_tasks = 512;

}  // namespace soma::sim
