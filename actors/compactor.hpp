// A COMPACTOR: gives out blocks that it may move, and has them moved by tasks of streams.
//
// Owns: the pool of movable blocks (memory/movable_pool.hpp). Never does: wait, touch the memory; with one
// exception, see blocks_moved.
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

namespace soma::actors {

/// What the device gave for a compactor, with the pool's memory inside. Goes back with the last who has it:
/// the actor, moves that are on their way, or the program's object, so that blocks which are pinned stay
/// usable for the host when a fault has ended the actor. But what is not where the device takes it to be
/// stays until the runtime ends.
class compactor_memory {
public:
  compactor_memory(memory_source source, memory::range owned, memory::granule_map granules)
      : source_(std::move(source)), owned_(owned), granules_(std::move(granules)) {}
  ~compactor_memory();
  compactor_memory(const compactor_memory&) = delete;
  compactor_memory& operator=(const compactor_memory&) = delete;

  /// For one thread at a time: that of the task which moves.
  [[nodiscard]] memory::granule_map& granules() noexcept { return granules_; }

private:
  memory_source source_;
  memory::range owned_;
  memory::granule_map granules_;
};

}  // namespace soma::actors

namespace soma::messages {

class moving_task {
public:
  moving_task(std::vector<memory::block_move> moves, std::shared_ptr<actors::compactor_memory> memory)
      : moves_(std::move(moves)), memory_(std::move(memory)) {}

  /// Makes the moves, one after the other. What the system refuses to map elsewhere is copied.
  void run() const;

private:
  std::vector<memory::block_move> moves_;
  std::shared_ptr<actors::compactor_memory> memory_;
};

}  // namespace soma::messages

namespace soma::actors {

class compactor_state {
public:
  using handle_type = messages::compactor_actor;
  static constexpr auto name = "compactor";

  compactor_state(self<handle_type> own, memory::movable_pool pool, std::shared_ptr<compactor_memory> memory);

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
  memory::movable_pool pool_;
  std::shared_ptr<compactor_memory> memory_;
  messages::stream_actor moving_on_;  // null if no compaction is on its way
  bool was_dropped_ = false;          // once, by that stream
};

}  // namespace soma::actors
