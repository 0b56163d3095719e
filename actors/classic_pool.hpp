// A CLASSIC POOL: gives out blocks without stream order.
//
// Owns: a structure of memory/ (fixed-size, variable-size, tiered, adaptive, reuser), which decides. Never
// does: wait, touch the memory. While memory is on its way from the device, allocations wait for their turn,
// and frees are taken.
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

  void give_back(memory::address block) const { post(device, messages::free_plain{kind, block, {}}); }
};

inline messages::result<messages::done> as_done(memory::result<void> result) {
  if (!result) {
    return tl::unexpected(std::move(result.error()));
  }
  return messages::done{};
}

}  // namespace soma::actors

namespace soma::messages {

class memory_on_its_way {
public:
  memory_on_its_way(actors::memory_source from, memory::range of) : from_(std::move(from)), of_(of) {}
  ~memory_on_its_way() {
    if (of_.bytes > 0) {
      from_.give_back(of_.begin);
    }
  }
  memory_on_its_way(const memory_on_its_way&) = delete;
  memory_on_its_way& operator=(const memory_on_its_way&) = delete;

  /// The memory has arrived.
  [[nodiscard]] memory::range take() noexcept { return std::exchange(of_, {}); }

private:
  actors::memory_source from_;
  memory::range of_;
};

}  // namespace soma::messages

namespace soma::actors {

/// A pool's structure, and by that what it has taken from the device, which goes back with the last who has
/// this: the actor, which alone uses it, or the program's object, so that blocks stay usable for the host
/// when a fault has ended the actor.
class classic_pool_memory {
public:
  classic_pool_memory(std::unique_ptr<memory::classic_pool> pool, memory_source source)
      : pool_(std::move(pool)), source_(std::move(source)) {}
  ~classic_pool_memory();
  classic_pool_memory(const classic_pool_memory&) = delete;
  classic_pool_memory& operator=(const classic_pool_memory&) = delete;

  [[nodiscard]] memory::classic_pool& pool() noexcept { return *pool_; }
  [[nodiscard]] const memory_source& source() const noexcept { return source_; }

private:
  std::unique_ptr<memory::classic_pool> pool_;
  memory_source source_;
};

class classic_pool_state {
public:
  using handle_type = messages::classic_pool_actor;
  static constexpr auto name = "classic pool";

  classic_pool_state(self<handle_type> own, std::shared_ptr<classic_pool_memory> memory);

  void handle(messages::allocate_block& message);
  void handle(messages::free_block& message);
  void handle(messages::retain_block& message);
  void handle(messages::read_classic_figures& message);
  void handle(messages::retire_classic_pool& message);
  void handle(messages::memory_came& message);

private:
  void serve();
  bool serve(messages::allocate_block& wanted);
  void ask_device(std::uint64_t bytes);
  void take(memory::range fresh);
  void do_without(const messages::fault& why, std::uint64_t bytes);
  void give_back(const std::vector<memory::range>& parts);
  void refuse(messages::allocate_block& wanted, const messages::fault& why);

  self<handle_type> own_;
  std::shared_ptr<classic_pool_memory> memory_;
  memory::classic_pool* pool_;
  std::deque<messages::allocate_block> waiting_;  // the first one waits for the device
  std::uint64_t on_its_way_ = 0;                  // bytes that the device was asked for; 0: none
};

}  // namespace soma::actors
