// The DEVICE's memory: the budget, and the heaps of plain and host memory.

#include <utility>

#include "actors/device.hpp"
#include "memory/sizes.hpp"

namespace soma::actors {

using memory::fault_code;
using memory::plain_heap;
using messages::plain_kind;
using messages::pressure;
using releasable = memory::ordered_heap::releasable;

// -- requests, one at a time --------------------------------------------------------------------------------

void device_state::handle(messages::read_device& message) {
  messages::device_figures now{settings_.memory,     left(),       streams_.size(),  engines_.size(),
                               idle_engines_.size(), runs_.size(), requests_.size(), {}};
  for (const auto& [id, entry] : pools_) {
    now.pools.push_back({id, entry.pool});
  }
  message.reply(std::move(now));
}

void device_state::handle(messages::reserve_memory& message) {
  const auto allowed = message.allowed;
  requests_.push_back({std::move(message), allowed, std::nullopt, false});
  serve();
}

void device_state::handle(messages::malloc_plain& message) {
  if (message.kind == plain_kind::host) {
    message.reply(malloc_host(message.bytes, message.page_bytes));
    return;
  }
  if (plain_pool_ && message.kind == plain_kind::device) {
    post(plain_pool_, std::move(message));
    return;
  }
  requests_.push_back({std::move(message), pressure::executed, std::nullopt, false});
  serve();
}

void device_state::serve() {
  while (!requests_.empty() && !requests_.front().waiting && serve_front()) {
    requests_.pop_front();
  }
}

// Returns true if the request was answered.
bool device_state::serve_front() {
  auto& front = requests_.front();
  const auto is_last = [&] { return front.allowed == pressure::none; };
  while (true) {
    const bool last_chance = is_last();
    const bool answered = std::visit([&](auto& wanted) { return serve(wanted, last_chance); }, front.wanted);
    if (answered) {
      return true;
    }
    if (front.waiting) {
      return false;
    }
  }
}

// Serves it, or asks the next pool; with the last chance, answers whatever the result.
bool device_state::serve(messages::reserve_memory& wanted, bool last_chance) {
  if (!pools_.contains(wanted.pool)) {  // it has ended meanwhile
    wanted.reply(messages::memory_reserved{0, left()});
    return true;
  }
  if (wanted.bytes <= left()) {
    pool_reserved(wanted.pool, wanted.bytes);
    wanted.reply(messages::memory_reserved{wanted.bytes, left()});
    return true;
  }
  if (last_chance) {
    wanted.reply(messages::memory_reserved{0, left()});
    return true;
  }
  ask_next_pool(requests_.front(), wanted.bytes - left());
  return false;
}

bool device_state::serve(messages::malloc_plain& wanted, bool last_chance) {
  const auto rounded = plain_heap::block_bytes(wanted.bytes, wanted.page_bytes);
  if (!rounded) {
    wanted.reply(tl::unexpected(rounded.error()));
    return true;
  }
  if (const auto block = plain_.reuse(wanted.bytes, *rounded)) {
    given_out(wanted, block->begin);
    return true;
  }
  const auto place = plain_.plan_growth(*rounded);
  if (place && place->new_bytes <= left()) {
    if (auto held = backing_->hold(place->held); !held) {
      wanted.reply(tl::unexpected(std::move(held.error())));
      return true;
    }
    reserved_ += place->new_bytes;
    given_out(wanted, plain_.grow(*place, wanted.bytes).begin);
    return true;
  }
  if (!place || last_chance) {
    wanted.reply(memory::failed(
        fault_code::out_of_memory,
        "the device cannot serve the request: wanted " + memory::describe_bytes(*rounded) + ", left " +
            memory::describe_bytes(left()) + " of " + memory::describe_bytes(settings_.memory) +
            (place ? "" : "; the address range has no room for it")));
    return true;
  }
  ask_next_pool(requests_.front(), place->new_bytes - left());
  return false;
}

void device_state::given_out(const messages::malloc_plain& wanted, memory::address block) {
  if (wanted.page_bytes > small_page_bytes) {
    large_pages_[block] = wanted.page_bytes;
  }
  if (wanted.kind == plain_kind::chunk && wanted.bytes == memory::plain_pool::chunk_bytes) {
    chunks_.insert(block);
  }
  wanted.reply(block);
}

void device_state::given_back(memory::address block) {
  large_pages_.erase(block);
  chunks_.erase(block);
}

// Asks the next pool for what is missing. When all were asked, what is allowed ends: one last try follows.
bool device_state::ask_next_pool(memory_request& front, std::uint64_t missing) {
  const auto* reserve = std::get_if<messages::reserve_memory>(&front.wanted);
  auto next = front.asked ? pools_.upper_bound(*front.asked) : pools_.begin();
  if (next != pools_.end() && reserve != nullptr && next->first == reserve->pool) {
    ++next;  // the pool that asks has looked at itself already
  }
  if (next == pools_.end()) {
    front.allowed = pressure::none;
    return false;
  }
  front.asked = next->first;
  front.waiting = true;
  const auto which = front.allowed == pressure::executed ? releasable::executed : releasable::seen;
  post(next->second.pool, messages::release_idle{memory::round_up(missing, memory::granule_bytes), which,
                                                 answer_to<messages::memory_released>(own_.handle())});
  return true;
}

void device_state::handle(messages::answered<messages::memory_released>& message) {
  if (!requests_.empty()) {
    if (message.value && requests_.front().asked) {
      pool_returned(*requests_.front().asked, message.value->bytes);
    }
    requests_.front().waiting = false;
    serve();
  }
}

void device_state::handle(messages::return_memory& message) { pool_returned(message.pool, message.bytes); }

// What a pool has of the budget is counted for each, so that one that ends, of whatever reason, leaves none
// of it taken. A pool that has ended meanwhile has nothing.
void device_state::pool_reserved(memory::pool_id pool, std::uint64_t bytes) {
  if (const auto entry = pools_.find(pool); entry != pools_.end()) {
    entry->second.reserved += bytes;
    reserved_ += bytes;
  }
}

void device_state::pool_returned(memory::pool_id pool, std::uint64_t bytes) {
  if (const auto entry = pools_.find(pool); entry != pools_.end()) {
    entry->second.reserved -= bytes;
    reserved_ -= bytes;
  }
}

void device_state::handle(messages::read_memory& message) {
  message.reply(messages::memory_left{left(), settings_.memory});
}

// -- plain and host memory ----------------------------------------------------------------------------------

messages::result<memory::address> device_state::malloc_host(std::uint64_t bytes, std::uint64_t page_bytes) {
  const auto rounded = plain_heap::block_bytes(bytes, page_bytes);
  if (!rounded) {
    return tl::unexpected(rounded.error());
  }
  if (const auto block = host_.reuse(bytes, *rounded)) {
    return block->begin;
  }
  const auto place = host_.plan_growth(*rounded);
  if (!place) {
    return memory::failed(fault_code::out_of_memory,
                          "the range for host memory has no room for " + memory::describe_bytes(*rounded));
  }
  if (auto held = backing_->hold(place->held); !held) {
    return tl::unexpected(std::move(held.error()));
  }
  return host_.grow(*place, bytes).begin;
}

// Plain memory goes back at once, by whole granules; a program that frees expects to see it free.
void device_state::release_unused(plain_heap& heap, bool of_budget) {
  for (const auto granules : heap.releasable()) {
    if (backing_->release(granules)) {
      heap.released(granules);
      reserved_ -= of_budget ? granules.bytes : 0;
    }
  }
}

void device_state::handle(messages::free_plain& message) {
  if (is_for_plain_pool(message.kind, message.block)) {
    post(plain_pool_, std::move(message));
    return;
  }
  auto& heap = heap_of(message.kind);
  if (auto freed = heap.free(message.block); !freed) {
    message.reply(tl::unexpected(std::move(freed.error())));
    return;
  }
  given_back(message.block);
  release_unused(heap, message.kind != plain_kind::host);
  message.reply(messages::done{});
}

void device_state::handle(messages::begin_plain_free& message) {
  if (is_for_plain_pool(plain_kind::device, message.block)) {
    small_frees_.emplace(message.block, message.by);
    post(plain_pool_, std::move(message));
    return;
  }
  if (auto begun = plain_.begin_free(message.block); !begun) {
    message.reply(tl::unexpected(std::move(begun.error())));
    return;
  }
  plain_frees_.emplace(message.block, message.by);
  message.reply(messages::done{});
}

void device_state::handle(messages::end_plain_free& message) {
  if (small_frees_.erase(message.block) > 0) {
    post(plain_pool_, std::move(message));
    return;
  }
  plain_frees_.erase(message.block);
  plain_.end_free(message.block);
  given_back(message.block);
  release_unused(plain_, true);
}

// What a stream had begun to free when it ended, by a fault, is free now: nobody else may free it.
void device_state::end_plain_frees_of(memory::stream_id stream) {
  const auto ended = std::erase_if(plain_frees_, [&](const auto& free) {
    if (free.second != stream) {
      return false;
    }
    plain_.end_free(free.first);
    given_back(free.first);
    return true;
  });
  if (ended > 0) {
    release_unused(plain_, true);
  }
  std::erase_if(small_frees_, [&](const auto& free) {
    if (free.second != stream) {
      return false;
    }
    post(plain_pool_, messages::end_plain_free{free.first});
    return true;
  });
}

}  // namespace soma::actors
