#include "actors/classic_pool.hpp"

#include <utility>

namespace soma::actors {

classic_pool_memory::~classic_pool_memory() {
  for (const auto& part : pool_->take_everything()) {
    source_.give_back(part.begin);
  }
}

classic_pool_state::classic_pool_state(self<handle_type> own, std::shared_ptr<classic_pool_memory> memory)
    : own_(own), memory_(std::move(memory)), pool_(&memory_->pool()) {}

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
  auto answer = [pool = own_.handle(), from = memory_->source(),
                 bytes](const messages::result<memory::address>& given) {
    post(pool, messages::memory_came{given.map([&](memory::address begin) {
           return std::make_shared<messages::memory_on_its_way>(from, memory::range{begin, bytes});
         })});
  };
  const auto& source = memory_->source();
  post(source.device, messages::malloc_plain{source.kind, bytes,
                                             messages::answer<memory::address>(
                                                 std::move(answer), messages::noun<messages::device_actor>)});
}

void classic_pool_state::handle(messages::memory_came& message) {
  const auto bytes = std::exchange(on_its_way_, 0);
  if (message.memory) {
    take((*message.memory)->take());
  } else {
    do_without(message.memory.error(), bytes);
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

// Counted and told by the pool, with what the device said. A device that has ended is not one that is full.
void classic_pool_state::refuse(messages::allocate_block& wanted, const messages::fault& why) {
  auto refused = pool_->allocate(wanted.bytes);
  if (!refused) {
    const auto code =
        why.code == memory::fault_code::actor_gone ? why.code : memory::fault_code::out_of_memory;
    refused = memory::failed(code, refused.error().text + "; and the device gives no more: " + why.text);
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

void classic_pool_state::handle(messages::retire_classic_pool& /*message*/) { own_.quit(); }

void classic_pool_state::give_back(const std::vector<memory::range>& parts) {
  for (const auto& part : parts) {
    memory_->source().give_back(part.begin);
  }
}

}  // namespace soma::actors
