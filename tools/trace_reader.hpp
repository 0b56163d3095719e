// The rows of an allocation trace, and reading them from text.
//
// A trace is CSV with the header `op,id,bytes,stream,time_us`, one event a line, in the order in which the
// program made them. The reader judges each line by itself; what lines mean together (a free without its
// malloc) is the business of replay_plan.
//
//   malloc          a block `id` of `bytes` bytes was requested on `stream`
//   free            block `id` was freed on `stream`; `bytes` repeats its size
//   sync            id 0, stream -1: the host waited for the whole device; id > 0: the last use of the freed
//                   block `id` on some other stream was seen finished, so it became reusable only now
//   segment_malloc  the recorded allocator itself took memory from the device
//   segment_free    it gave memory back
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "tools/trace_source.hpp"

namespace soma::tools {

/// What is wrong with a trace or its replay, and where. Line 0 stands for the file as a whole.
struct trace_error {
  std::uint64_t line = 0;
  std::string reason;
  bool refused = false;  ///< the pool refused a malloc for lack of memory: with more it might go on
};

enum class trace_op : std::uint8_t { malloc, free, sync, segment_malloc, segment_free };

/// The highest stream number that is accepted: each stream costs the replay an actor.
inline constexpr std::int32_t stream_number_max = 65535;

struct trace_row {
  std::uint64_t line = 0;  ///< counted from 1, the header
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
  std::uint64_t time_us = 0;
  std::int32_t stream = 0;  ///< -1 only in a sync of the whole device
  trace_op op = trace_op::malloc;
};

/// Reads all rows. Lines may end with CRLF, and the last one without a line end.
[[nodiscard]] tl::expected<std::vector<trace_row>, trace_error> read_trace(trace_source& source);

}  // namespace soma::tools
