// The PLAIN POOL: small allocations of its device's plain memory, out of chunks.
//
// Owns: its chunks, which count for the device's budget like any plain memory. Made by the device if it is
// wanted, which passes on what is for it. Never does: wait; while a chunk is on its way from the device,
// allocations wait for their turn, and frees are taken.
#pragma once

#include <deque>

#include "actors/shell.hpp"
#include "memory/plain_pool.hpp"
#include "messages/all.hpp"

namespace soma::actors {

class plain_pool_state {
public:
  using handle_type = messages::plain_pool_actor;
  static constexpr auto name = "plain pool";

  plain_pool_state(self<handle_type> own, messages::device_actor device);

  void handle(messages::malloc_plain& message);
  void handle(messages::free_plain& message);
  void handle(messages::begin_plain_free& message);
  void handle(messages::end_plain_free& message);
  void handle(messages::find_plain& message);
  void handle(messages::read_plain_pool& message);
  void handle(messages::stop_plain_pool& message);
  void handle(messages::answered<memory::address>& message);

private:
  void serve();
  bool serve(messages::malloc_plain& wanted);
  void end_free(memory::address part);

  self<handle_type> own_;
  messages::device_actor device_;
  memory::plain_pool parts_;
  std::deque<messages::malloc_plain> waiting_;  // the first one waits for a chunk
  bool chunk_wanted_ = false;
};

}  // namespace soma::actors
