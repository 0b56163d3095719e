// A CLASSIC POOL: gives out blocks without stream order.
//
// Owns: a structure of memory/ (fixed-size, variable-size, tiered, adaptive, reuser), which decides; and what
// that has taken from the device. Never does: wait, touch the memory. While memory is on its way from the
// device, allocations wait for their turn, and frees are taken.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "actors/shell.hpp"
#include "messages/all.hpp"

namespace soma::actors {

/// Where a pool takes more memory from, if it is of a kind that does.
struct memory_source {
  messages::device_actor device;
  messages::plain_kind kind = messages::plain_kind::device;
};

inline messages::result<messages::done> as_done(memory::result<void> result) {
  if (!result) {
    return tl::unexpected(std::move(result.error()));
  }
  return messages::done{};
}

class classic_pool_state {
public:
  using handle_type = messages::classic_pool_actor;
  static constexpr auto name = "classic pool";

  classic_pool_state(self<handle_type> own, std::unique_ptr<memory::classic_pool> pool, memory_source source);
  ~classic_pool_state();
  classic_pool_state(const classic_pool_state&) = delete;
  classic_pool_state& operator=(const classic_pool_state&) = delete;

  void handle(messages::allocate_block& message);
  void handle(messages::free_block& message);
  void handle(messages::retain_block& message);
  void handle(messages::read_classic_figures& message);
  void handle(messages::retire_classic_pool& message);
  void handle(messages::answered<memory::address>& message);

private:
  void serve();
  bool serve(messages::allocate_block& wanted);
  void ask_device(std::uint64_t bytes);
  void take(memory::range fresh);
  void do_without(const messages::fault& why, std::uint64_t bytes);
  void give_back(const std::vector<memory::range>& parts);
  void refuse(messages::allocate_block& wanted, const messages::fault& why);

  self<handle_type> own_;
  std::unique_ptr<memory::classic_pool> pool_;
  memory_source source_;
  std::deque<messages::allocate_block> waiting_;  // the first one waits for the device
  std::uint64_t on_its_way_ = 0;                  // bytes that the device was asked for; 0: none
  bool retired_ = false;                          // ends when the device has answered
};

}  // namespace soma::actors
