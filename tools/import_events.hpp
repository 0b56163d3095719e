// What importers find in a recording, before it becomes a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace soma::tools {

enum class import_kind : std::uint8_t {
  malloc,
  free,
  free_done,       ///< the last use of a freed block was seen complete
  segment_malloc,  ///< the recorded allocator took memory from the device
  segment_free,
};

/// Something that happened to the block, or segment, at this address. Where a recording has no addresses,
/// importers choose one for each block.
struct import_event {
  std::int64_t time_ns = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t stream = 0;  ///< as the recording names it; 0 is the default stream
  import_kind kind = import_kind::malloc;
};

/// A block or segment that was live when the recording began.
struct import_before {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t stream = 0;
  bool segment = false;
};

struct recording {
  std::vector<import_event> events;  ///< in their order
  /// Live when the recording ended, as far as it tells: what of it no event allocates was live from before
  /// it.
  std::vector<import_before> live_at_end;
  std::vector<import_before> before;  ///< live from before it, as the importer knows for sure
  bool has_clock = true;              ///< otherwise the trace gets the number of each event
  std::vector<std::string> notes;     ///< what was read, dropped and assumed, a sentence each
};

/// What is wrong, and in which line if the recording has any (else 0).
struct import_error {
  std::uint64_t line = 0;
  std::string reason;
};

using import_result = tl::expected<recording, import_error>;

/// Which part of a recording is wanted.
struct import_options {
  std::int64_t device = -1;  ///< -1: the device with the most events
};

/// The importers. Each takes the whole text of a file.
[[nodiscard]] import_result read_pytorch_snapshot(std::string_view bytes, const import_options& options);
[[nodiscard]] import_result read_pytorch_trace(std::string_view bytes, const import_options& options);
[[nodiscard]] import_result read_ascend_operators(std::string_view bytes, const import_options& options);
[[nodiscard]] import_result read_ascend_records(std::string_view bytes, const import_options& options);
[[nodiscard]] import_result read_rmm_log(std::string_view bytes, const import_options& options);

/// "1 row was", "3 rows were".
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& one, const std::string& many);

}  // namespace soma::tools
