// What a replay of a trace does, step by step, worked out before anything runs.
//
// A trace names the stream of each malloc and free, but none of the program's events and waits. The rule by
// which a plan stands in for them:
//
//   R1  A malloc row allocates on its stream, and a free row frees on its stream: the stream that allocated
//       the block, unless the trace itself says otherwise.
//   R2  A sync row with id 0 is a device synchronise by the host. All that was freed before it is then open
//       to every stream. `sync_every` adds further ones.
//   R3  A sync row with the id of a block says that another stream still used the block when it was freed,
//   and
//       that this use was seen finished only now. So the free is held back: it is submitted at the sync row,
//       on the stream of its free row. Until then the block is live, cannot be handed out, and counts as
//       used, although the program's own count had fallen already.
//   R4  With `order_by_events`, streams are ordered where the trace shows that the program must have had an
//       event, and nowhere else:
//         a) A block is freed on another stream than it was allocated on. An event is recorded on the
//            allocating stream at the free row, and the freeing stream waits for it ahead of the free.
//         b) A block's free is held back (R3) and the trace has exactly two streams. An event is recorded on
//            the other stream at the free row, and the freeing stream waits for it at the sync row, ahead of
//            the free. With more streams the trace does not tell which of them used the block, so none is
//            ordered behind it.
//       An event stands for all that its stream was given before the record, so the waiting stream may from
//       then on also get what the recorded stream freed earlier.
//
// Without `order_by_events` the pool's decisions would not depend on these events, so they are left out. What
// must wait for R3 waits in every case.
//
// segment_malloc and segment_free rows are doings of the recorded allocator; they are counted and left out.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <tl/expected.hpp>

#include "tools/trace_reader.hpp"

namespace soma::tools {

enum class step_kind : std::uint8_t {
  malloc,       ///< subject: a block
  free,         ///< subject: a block
  record,       ///< subject: an event
  wait,         ///< subject: an event
  synchronize,  ///< of the device; no stream, no subject
};

struct replay_step {
  std::uint64_t line = 0;  ///< the trace's line that this step comes from
  std::uint32_t stream = 0;
  std::uint32_t subject = 0;
  step_kind kind = step_kind::malloc;
};

inline constexpr std::uint32_t no_index = std::numeric_limits<std::uint32_t>::max();

struct planned_block {
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
  std::uint64_t malloc_line = 0;
  std::uint64_t free_line = 0;  ///< 0: not freed
  std::uint64_t sync_line = 0;  ///< 0: no sync row yet
  std::uint32_t malloc_stream = 0;
  std::uint32_t free_stream = 0;
  std::uint32_t event = no_index;  ///< the event that its held-back free waits for
};

/// Streams, blocks and events are numbered from 0.
struct replay_plan {
  std::vector<replay_step> steps;
  std::vector<planned_block> blocks;  ///< in the order of their mallocs
  std::uint32_t streams = 0;
  std::uint32_t events = 0;           ///< how many event objects the steps use; each can be used again
  std::uint64_t rows = 0;             ///< malloc, free and sync rows
  std::uint64_t segment_rows = 0;     ///< rows left out
  std::uint64_t held_back_frees = 0;  ///< by R3
  std::uint64_t waits = 0;            ///< by R4
  std::uint64_t synchronizes = 0;     ///< by R2
};

struct plan_options {
  bool order_by_events = true;
  std::uint64_t sync_every = 0;  ///< a device synchronise after every so many rows; 0: only the trace's own
};

/// Errors: a free or sync of a block that is not there, a free whose bytes are not the malloc's, a second
/// malloc, free or sync of an id.
[[nodiscard]] tl::expected<replay_plan, trace_error> make_plan(const std::vector<trace_row>& rows,
                                                               const plan_options& options);

}  // namespace soma::tools
