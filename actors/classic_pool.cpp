#include "actors/classic_pool.hpp"

#include <utility>

namespace soma::actors {

classic_pool_state::classic_pool_state(self<handle_type> own, std::unique_ptr<memory::classic_pool> pool,
                                       memory_source source)
    : own_(own), pool_(std::move(pool)), source_(std::move(source)) {}

// A pool that ends, of whatever reason, leaves nothing behind of what it took itself.
classic_pool_state::~classic_pool_state() { give_back(pool_->take_everything()); }

// -- allocating ---------------------------------------------------------------------------------------------

void classic_pool_state::handle(messages::allocate_block& message) {
  if (waiting_.empty() && serve(message)) {
    return;
  }
  waiting_.push_back(std::move(message));
}

void classic_pool_state::serve() {
  while (!waiting_.empty() && on_its_way_ == 0 && serve(waiting_.front())) {
    waiting_.pop_front();
  }
}

// Answers, or asks the device for memory.
bool classic_pool_state::serve(messages::allocate_block& wanted) {
  const auto growth = pool_->growth_for(wanted.bytes);
  if (growth.best == 0) {
    wanted.reply(pool_->allocate(wanted.bytes));
    return true;
  }
  give_back(pool_->take_surplus());
  ask_device(growth.best);
  return false;
}

void classic_pool_state::ask_device(std::uint64_t bytes) {
  on_its_way_ = bytes;
  post(source_.device,
       messages::malloc_plain{source_.kind, bytes, answer_to<memory::address>(own_.handle())});
}

void classic_pool_state::handle(messages::answered<memory::address>& message) {
  const auto bytes = std::exchange(on_its_way_, 0);
  if (retired_) {
    if (message.value) {
      give_back({{*message.value, bytes}});
    }
    own_.quit();
    return;
  }
  if (message.value) {
    take({*message.value, bytes});
  } else {
    do_without(message.value.error(), bytes);
  }
  serve();
}

// The request that the memory is for may do without by now, if something was freed meanwhile.
void classic_pool_state::take(memory::range fresh) {
  auto first = std::move(waiting_.front());
  waiting_.pop_front();
  if (pool_->growth_for(first.bytes).best > 0) {
    first.reply(pool_->grow(fresh, first.bytes));
  } else {
    give_back({fresh});
    first.reply(pool_->allocate(first.bytes));
  }
}

// The device has less than was asked for: the least will do, after everything idle has gone back.
void classic_pool_state::do_without(const messages::fault& why, std::uint64_t bytes) {
  const auto growth = pool_->growth_for(waiting_.front().bytes);
  if (growth.best == 0) {
    return;
  }
  const auto idle = pool_->take_idle();
  give_back(idle);
  if (growth.least < bytes || !idle.empty()) {
    ask_device(growth.least);
    return;
  }
  refuse(waiting_.front(), why);
  waiting_.pop_front();
}

// Counted and told by the pool, with what the device said.
void classic_pool_state::refuse(messages::allocate_block& wanted, const messages::fault& why) {
  auto refused = pool_->allocate(wanted.bytes);
  if (!refused) {
    refused = memory::failed(memory::fault_code::out_of_memory,
                             refused.error().text + "; and the device gives no more: " + why.text);
  }
  wanted.reply(std::move(refused));
}

// -- everything else ----------------------------------------------------------------------------------------

void classic_pool_state::handle(messages::free_block& message) {
  auto freed = pool_->free(message.block);
  if (freed) {
    give_back(pool_->take_surplus());
  }
  message.reply(as_done(std::move(freed)));
}

void classic_pool_state::handle(messages::retain_block& message) {
  message.reply(as_done(pool_->retain(message.block)));
}

void classic_pool_state::handle(messages::read_classic_figures& message) {
  message.reply(messages::classic_pool_figures{pool_->figures(), pool_->tiers()});
}

void classic_pool_state::handle(messages::retire_classic_pool& /*message*/) {
  waiting_.clear();
  retired_ = on_its_way_ > 0;
  if (!retired_) {
    own_.quit();
  }
}

void classic_pool_state::give_back(const std::vector<memory::range>& parts) {
  for (const auto& part : parts) {
    post(source_.device, messages::free_plain{source_.kind, part.begin, {}});
  }
}

}  // namespace soma::actors
