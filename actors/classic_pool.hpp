// A CLASSIC POOL: gives out the blocks of one range, without stream order.
//
// Owns: a structure of memory/ (fixed-size, variable-size, tiered, reuser), which decides. Never does: wait,
// touch the memory, or ask others.
#pragma once

#include <memory>
#include <utility>

#include "actors/shell.hpp"
#include "messages/all.hpp"

namespace soma::actors {

class classic_pool_state {
public:
  using handle_type = messages::classic_pool_actor;
  static constexpr auto name = "classic pool";

  classic_pool_state(self<handle_type> own, std::unique_ptr<memory::classic_pool> pool) noexcept
      : own_(own), pool_(std::move(pool)) {}

  void handle(messages::allocate_block& message) { message.reply(pool_->allocate(message.bytes)); }
  void handle(messages::free_block& message) { message.reply(as_done(pool_->free(message.block))); }
  void handle(messages::retain_block& message) { message.reply(as_done(pool_->retain(message.block))); }
  void handle(messages::read_classic_figures& message) {
    message.reply(messages::classic_pool_figures{pool_->figures(), pool_->tiers()});
  }
  void handle(messages::retire_classic_pool& /*message*/) { own_.quit(); }

private:
  static messages::result<messages::done> as_done(memory::result<void> result) {
    if (!result) {
      return tl::unexpected(std::move(result.error()));
    }
    return messages::done{};
  }

  self<handle_type> own_;
  std::unique_ptr<memory::classic_pool> pool_;
};

}  // namespace soma::actors
