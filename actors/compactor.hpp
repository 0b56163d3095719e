// A COMPACTOR: gives out blocks that it may move, and has them moved by tasks of streams.
//
// Owns: the pool of movable blocks (memory/movable_pool.hpp), and its memory, which goes back to the device
// when the actor ends. Never does: wait, touch the memory; with one exception, see blocks_moved.
//
// A compaction is planned, and its task put into the stream's mailbox, in one handler. So whoever gets a
// block's new address afterwards comes behind the task in that stream's mailbox, too.
#pragma once

#include <memory>
#include <vector>

#include "actors/classic_pool.hpp"
#include "actors/shell.hpp"
#include "memory/granule_map.hpp"
#include "memory/movable_pool.hpp"
#include "messages/all.hpp"

namespace soma::messages {

class moving_task {
public:
  moving_task(std::vector<memory::block_move> moves, std::shared_ptr<memory::granule_map> granules)
      : moves_(std::move(moves)), granules_(std::move(granules)) {}

  /// Makes the moves, one after the other. What the system refuses to map elsewhere is copied.
  void run() const;

private:
  std::vector<memory::block_move> moves_;
  std::shared_ptr<memory::granule_map> granules_;
};

}  // namespace soma::messages

namespace soma::actors {

class compactor_state {
public:
  using handle_type = messages::compactor_actor;
  static constexpr auto name = "compactor";

  /// `owned` is what the device gave, and has the pool's memory inside.
  compactor_state(self<handle_type> own, memory::range owned, memory_source source, memory::movable_pool pool,
                  std::shared_ptr<memory::granule_map> granules);
  ~compactor_state();
  compactor_state(const compactor_state&) = delete;
  compactor_state& operator=(const compactor_state&) = delete;

  void handle(messages::allocate_movable& message);
  void handle(messages::free_movable& message);
  void handle(messages::pin_movable& message);
  void handle(messages::unpin_movable& message);
  void handle(messages::compact_blocks& message);
  void handle(messages::blocks_moved& message);
  void handle(messages::read_classic_figures& message);
  void handle(messages::retire_classic_pool& message);

private:
  void submit(std::shared_ptr<messages::moving_task> moves);

  self<handle_type> own_;
  memory::range owned_;
  memory_source source_;
  memory::movable_pool pool_;
  std::shared_ptr<memory::granule_map> granules_;
  messages::stream_actor moving_on_;  // null if no compaction is on its way
  bool was_dropped_ = false;          // once, by that stream
  bool retired_ = false;              // ends when the compaction has run
};

}  // namespace soma::actors
