// What a COMPACTOR takes: a pool of blocks that it moves while nobody has them pinned
// (memory/movable_pool.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "memory/movable_block.hpp"
#include "messages/actors.hpp"

namespace soma::messages {

using memory::movable_id;

struct allocate_movable {
  std::uint64_t bytes = 0;
  answer<movable_id> reply;
};

/// By its number, or by the address at which it is pinned. A pinned block goes when it is unpinned.
struct free_movable {
  movable_id which = movable_id::none;
  memory::address at = memory::address::null;
  answer<done> reply;
};

/// Answered with where the block is. It stays there until it is unpinned as often as it was pinned.
struct pin_movable {
  movable_id which = movable_id::none;
  answer<memory::address> reply;
};

struct unpin_movable {
  movable_id which = movable_id::none;
  answer<done> reply;
};

/// Moves blocks together by a task of the stream. Answered when the task is in the stream's mailbox.
struct compact_blocks {
  stream_actor on;
  answer<memory::compaction> reply;
};

/// The moves of a compaction, on their way through a stream as a task.
class moving_task;

/// From such a task: it has run, or the stream has dropped it.
struct blocks_moved {
  std::shared_ptr<moving_task> dropped;  // null if it has run
};

}  // namespace soma::messages
