// The STREAM and what pools have lent to it: blocks that it frees and gives out again without asking (the
// pool's side is in pool_lending.cpp, the rules are there). For callers such a malloc or free is a task like
// any other.

#include <algorithm>
#include <utility>

#include "actors/in_place.hpp"
#include "actors/pool.hpp"
#include "actors/stream.hpp"
#include "actors/tracing.hpp"

namespace soma::actors {

// What a pool has lent that has ended is no longer given out: its memory is gone.
inline stream_state::lease* stream_state::lease_of(const messages::pool_actor& pool) {
  for (auto& each : leases_) {
    if (each.pool == pool) [[likely]] {
      return has_ended(pool) ? end_lease(each) : &each;
    }
  }
  return nullptr;
}

stream_state::lease* stream_state::end_lease(lease& ended) {
  leases_.erase(leases_.begin() + (&ended - leases_.data()));
  return nullptr;
}

// While messages are traced pools serve all, so that the trace has it: the first malloc ends the lease. A
// free of what is lent stays here also then: a pool would take it for the one whose answer is on its way.
messages::address stream_state::take_lent(const messages::pool_actor& pool, std::uint64_t bytes) {
  auto* of = tracing::by_messages_only() ? nullptr : lease_of(pool);
  const auto block = of == nullptr ? messages::address::null : of->stock.take(bytes);
  if (block != messages::address::null) {
    add_plain();
  }
  return block;
}

// -- in place (in_place.hpp) --------------------------------------------------------------------------------

messages::address stream_state::malloc_here(const messages::pool_actor& pool, std::uint64_t bytes) {
  return settling_ || stopped_ ? messages::address::null : take_lent(pool, bytes);
}

bool stream_state::free_here(const messages::pool_actor& pool, messages::address block) {
  auto* of = settling_ ? nullptr : lease_of(pool);
  if (of == nullptr || of->stock.is_full() || !of->stock.put_back(block, next_position().sequence)) {
    return false;
  }
  add_plain();
  return true;
}

// -- in place, with the pool --------------------------------------------------------------------------------

// In the order of the message's handler: first what is lent. What has been granted when an exception ends the
// stream stays live.
messages::address stream_state::malloc_of_pool_here(const messages::pool_actor& pool, std::uint64_t bytes) {
  if (settling_ || stopped_ || checker_) {
    return messages::address::null;
  }
  if (const auto block = take_lent(pool, bytes); block != messages::address::null) {
    return block;
  }
  messages::grant_block wish{id_, ordered_, bytes, {}};
  add_lease(pool, wish);
  std::optional<messages::block_granted> granted;
  if (!call_in_place<pool_state>(pool, [&](pool_state& of) {
        granted = of.grant_here(wish);
        return granted.has_value();
      })) {
    return messages::address::null;
  }
  if (granted->took_offer) {
    promise_to_tell(wish.offer->freed, pool);
  }
  reported(pool, granted->took_offer);
  add_plain();
  keep_granted(pool, bytes, *granted);
  return granted->block.begin;
}

// Not if the stock is full: then its oldest blocks are sent back.
bool stream_state::free_to_pool_here(const messages::pool_actor& pool, messages::address block) {
  if (settling_ || checker_) {
    return false;
  }
  if (const auto* of = lease_of(pool); of != nullptr && of->stock.is_full()) {
    return false;
  }
  messages::give_back message{block, next_position(), own_.handle(), {}, idle()};
  add_lease(pool, message);
  std::optional<messages::block_returned> returned;
  if (!call_in_place<pool_state>(pool, [&](pool_state& of) {
        returned = of.take_back_here(message);
        return returned.has_value();
      })) {
    return false;
  }
  reported(pool, false);
  collected_term_ = 0;
  add_free(pool, keep_lent(pool, block, *returned) || message.executed);
  return true;
}

// -- by messages --------------------------------------------------------------------------------------------

// Returns whether the free was accepted or refused here.
bool stream_state::free_lent(messages::free_async& message) {
  auto* of = lease_of(message.pool);
  const auto held = of == nullptr ? memory::stock::holding::nothing : of->stock.find(message.block);
  switch (held) {
  case memory::stock::holding::nothing:
    return false;
  case memory::stock::holding::idle:  // a second free
    message.reply(memory::no_live_block());
    return true;
  case memory::stock::holding::live:
    of->stock.put_back(message.block, next_position().sequence);
    add_plain();
    return_oldest(*of);
    message.reply(messages::done{});
    return true;
  }
  return false;
}

// -- asking the pool ----------------------------------------------------------------------------------------

messages::grant_block stream_state::wish_of(const messages::malloc_async& message) {
  messages::grant_block wish{id_, ordered_, message.bytes, answer_to<messages::block_granted>(own_.handle())};
  add_lease(message.pool, wish);
  if (wish.offer) {
    promise_to_tell(wish.offer->freed, message.pool);
  }
  return wish;
}

// What a request tells of the lease besides.
void stream_state::add_lease(const messages::pool_actor& pool, messages::grant_block& wish) {
  if (auto* of = lease_of(pool); of != nullptr) {
    if (wish.bytes > 0) {
      wish.offer = of->stock.offer(wish.bytes);
    }
    wish.executed = executed_;
    wish.report = of->report();
  }
}

void stream_state::add_lease(const messages::pool_actor& pool, messages::give_back& returned) {
  const auto* of = lease_of(pool);
  returned.may_lend = !checker_ && !retired_ && (of != nullptr || leases_.size() < most_leases);
  if (of != nullptr) {
    returned.report = of->report();
  }
}

messages::give_back stream_state::return_of(const messages::free_async& message) {
  messages::give_back returned{message.block, next_position(), own_.handle(),
                               answer_to<messages::block_returned>(own_.handle()), executed_with_it_};
  add_lease(message.pool, returned);
  return returned;
}

// A pool that is gone has heard nothing; then what it lent goes, too, when it is looked for next.
template <class T>
void stream_state::told_pool(const messages::pool_actor& pool, const messages::result<T>& answered,
                             bool took_offer) {
  if (answered || answered.error().code != messages::fault_code::actor_gone) {
    reported(pool, took_offer);
  }
}

void stream_state::reported(const messages::pool_actor& pool, bool took_offer) {
  if (auto* of = lease_of(pool); of != nullptr) {
    of->stock.reported(took_offer);
  }
}

template void stream_state::told_pool(const messages::pool_actor&,
                                      const messages::result<messages::block_granted>&, bool);
template void stream_state::told_pool(const messages::pool_actor&,
                                      const messages::result<messages::block_returned>&, bool);

// A block that was lent in a term that is over is as one that is not lent.
void stream_state::keep_granted(const messages::pool_actor& pool, std::uint64_t bytes,
                                const messages::block_granted& granted) {
  if (granted.term == 0) {
    return;
  }
  if (auto* of = lease_of(pool); of != nullptr && of->term == granted.term) {
    of->stock.add_live(granted.block, bytes);
  }
}

// Returns whether the block whose free is being settled is in the stock now. One that was lent in a term that
// is over is not.
bool stream_state::keep_lent(const messages::pool_actor& pool, messages::address block,
                             const messages::block_returned& returned) {
  if (returned.term <= collected_term_) {  // also 0: not lent
    return false;
  }
  auto* of = lease_of(pool);
  if (of == nullptr) {
    of = &leases_.emplace_back(lease{pool, {}, returned.term});
  }
  of->stock.add({block, returned.bytes, returned.requested, next_position().sequence});
  return_oldest(*of);
  return true;
}

// -- giving back --------------------------------------------------------------------------------------------

void stream_state::promise_to_tell(sequence freed, const messages::pool_actor& pool) {
  if (freed > executed_) {
    promises_.push_back({freed, pool});
  }
}

void stream_state::tell_executed() {
  const auto rest = std::stable_partition(promises_.begin(), promises_.end(),
                                          [this](const promise& one) { return one.freed <= executed_; });
  for (auto told = promises_.begin(); told != rest; ++told) {
    post(told->pool, messages::free_executed{{id_, told->freed}});
  }
  promises_.erase(promises_.begin(), rest);
}

messages::stock_returned stream_state::emptied(lease& of) {
  messages::stock_returned returned;
  returned.report = of.report();
  returned.blocks = of.stock.take_idle();
  returned.executed = executed_;
  for (const auto& block : returned.blocks) {
    promise_to_tell(block.freed, of.pool);
  }
  return returned;
}

void stream_state::handle(messages::collect_stock& message) {
  if (message.block != messages::address::null && tell_about_block(message)) {
    return;
  }
  messages::stock_returned returned;
  if (auto* of = lease_of(message.pool); of != nullptr) {
    if (message.is_deciding) {
      of->stock.reported(false);
    }
    returned = emptied(*of);
    if (of->stock.find(message.block) == memory::stock::holding::live) {
      returned.freed = of->stock.forget_live(message.block);
    }
    returned.lasts = message.next_term != 0 && of->stock.has_live();
    returned.next = next_position().sequence;
    of->term = message.next_term;
    if (!returned.lasts) {
      end_lease(*of);
    }
  }
  if (const auto* free = std::get_if<messages::free_async>(&unsettled_);
      free != nullptr && free->pool == message.pool) {
    returned.unsettled = next_position().sequence;
    collected_term_ = message.term;
  }
  message.reply(std::move(returned));
}

// While the pool is being asked for something, its answer may lend the block.
bool stream_state::tell_about_block(const messages::collect_stock& message) {
  auto* of = settling_ ? nullptr : lease_of(message.pool);
  if (of == nullptr || of->stock.find(message.block) != memory::stock::holding::live) {
    return false;
  }
  messages::stock_returned told;
  told.was_live = true;
  told.freed = of->stock.forget_live(message.block);
  told.report = of->report();
  of->stock.reported(false);
  message.reply(std::move(told));
  return true;
}

// Too many blocks: some at once, so that few messages are sent.
void stream_state::return_oldest(lease& of) {
  if (of.stock.count() <= memory::stock::most) {
    return;
  }
  messages::stock_returned returned;
  returned.report = of.report();
  returned.blocks = of.stock.take_oldest();
  returned.executed = executed_;
  for (const auto& block : returned.blocks) {
    promise_to_tell(block.freed, of.pool);
    returned.report.bytes -= block.bytes;
    returned.report.requested -= block.requested;
  }
  of.stock.reported(false);
  post(of.pool, messages::return_stock{id_, std::move(returned), false});
}

// The stream submits nothing any more, or ends.
void stream_state::return_everything() {
  const auto* free = std::get_if<messages::free_async>(&unsettled_);
  if (free != nullptr && lease_of(free->pool) == nullptr) {
    leases_.emplace_back(lease{free->pool, {}, 0});
  }
  for (auto& of : leases_) {
    messages::return_stock all{id_, emptied(of), true};
    if (free != nullptr && free->pool == of.pool) {
      all.stock.unsettled = next_position().sequence;
    }
    post(of.pool, std::move(all));
  }
  leases_.clear();
}

}  // namespace soma::actors
