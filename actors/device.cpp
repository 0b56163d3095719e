// The DEVICE: making and ending streams, events and pools, and its own end.

#include "actors/device.hpp"

#include <algorithm>
#include <utility>

#include "actors/event.hpp"
#include "actors/plain_pool.hpp"
#include "actors/pool.hpp"
#include "actors/stream.hpp"
#include "memory/mutation.hpp"
#include "memory/sizes.hpp"

namespace soma::actors {

using memory::fault_code;

namespace {

constexpr std::uint64_t generous_windows[] = {4, 2, 1};

std::optional<std::string> wrong_minimum_block(std::uint64_t bytes) {
  if (bytes >= memory::smallest_block_bytes && bytes <= memory::granule_bytes && (bytes & (bytes - 1)) == 0) {
    return std::nullopt;
  }
  return "the minimum block of " + std::to_string(bytes) +
         " bytes is not a power of two from 512 bytes to one granule (2097152 bytes)";
}

}  // namespace

device_state::device_state(self<handle_type> own, const device_settings& settings,
                           std::shared_ptr<memory::backing> backing, std::shared_ptr<number_source> numbers)
    : own_(own), settings_(settings), backing_(std::move(backing)), numbers_(std::move(numbers)),
      windows_(settings.layout.pools), plain_(settings.layout.plain), host_(settings.layout.host) {
  if (settings.plain_pool) {
    plain_pool_ = spawn<plain_pool_state>(own_.system(), own_.handle());
  }
}

void device_state::handle(messages::create_stream& message) {
  memory::stream_id id{numbers_->next()};
  if (memory::mutated(memory::mutation::recycled_stream_number)) {
    for (id = memory::stream_id{1}; streams_.contains(id); id = memory::next(id)) {
    }
  }
  auto stream = spawn<stream_state>(own_.system(), id, own_.handle(), message.mode, message.failure_group,
                                    settings_.checker, message.priority, message.flags);
  streams_.emplace(id, stream_entry{stream, message.failure_group});
  if (const auto failed = failed_groups_.find(message.failure_group); failed != failed_groups_.end()) {
    post(stream, messages::stop_stream{failed->second});
  }
  message.reply(messages::created_stream{id, std::move(stream)});
}

void device_state::handle(messages::create_event& message) {
  const memory::event_id id{numbers_->next()};
  message.reply(messages::created_event{id, spawn<event_state>(own_.system(), id)});
}

void device_state::handle(messages::create_pool& message) {
  const auto limit =
      message.limit == 0 ? settings_.memory : memory::round_up_checked(message.limit, memory::granule_bytes);
  if (!limit || *limit > settings_.memory) {
    message.reply(
        memory::failed(fault_code::invalid_argument,
                       "a limit of " + memory::describe_bytes(message.limit) +
                           " is more than the device has: " + memory::describe_bytes(settings_.memory)));
    return;
  }
  if (auto wrong = wrong_minimum_block(message.minimum_block)) {
    message.reply(memory::failed(fault_code::invalid_argument, std::move(*wrong)));
    return;
  }
  std::optional<memory::range> window;
  for (const auto times : generous_windows) {
    if (window = windows_.take(times * *limit); window) {
      break;
    }
  }
  if (!window) {
    window = windows_.take_half();  // too small for all of the pool's limit, but better than no pool
  }
  if (!window) {
    message.reply(memory::failed(fault_code::out_of_memory,
                                 "no address range is left for a pool of " + memory::describe_bytes(*limit) +
                                     "; destroy pools, or create them with smaller limits"));
    return;
  }
  const memory::pool_id id{numbers_->next()};
  const pool_settings settings{
      id, *window, *limit, message.minimum_block, message.reuse, message.release_threshold, settings_.guard};
  auto pool = spawn<pool_state>(own_.system(), settings, own_.handle(), backing_);
  pools_.emplace(id, pool_entry{pool, *window, message.kind});
  // Of the addresses, not of what is held there by and by: a granule that goes back and comes again keeps it.
  auto kind = memory::ask_for(*window, message.kind);
  message.reply(messages::created_pool{id, std::move(pool), *window, std::move(kind)});
}

void device_state::handle(messages::stream_ended& message) {
  const auto stream = streams_.find(message.id);
  if (stream != streams_.end() && message.failure_number != 0 &&
      stream->second.failures_told >= message.failure_number) {
    message.failure.reset();  // the host knows it already
  }
  streams_.erase(message.id);
  const auto [first, last] = awaiting_end_.equal_range(message.id);
  std::for_each(first, last, [](const auto& waits) { waits.second(messages::done{}); });
  awaiting_end_.erase(first, last);
  end_plain_frees_of(message.id);
  remember_end(message.id, message.seen.of(message.id));
  message.seen.forget(untold_.seen);
  untold_.seen.add(unseen_of(message.seen));
  if (message.failure && !untold_.failure) {
    untold_.failure = std::move(message.failure);
  }
  end_if_drained();
}

void device_state::handle(messages::await_stream_end& message) {
  if (streams_.contains(message.id)) {
    awaiting_end_.emplace(message.id, std::move(message.reply));
  } else {
    message.reply(messages::done{});
  }
}

void device_state::handle(messages::pool_ended& message) {
  const auto pool = pools_.find(message.id);
  if (pool != pools_.end()) {
    reserved_ -= pool->second.reserved;
    if (message.clean) {
      memory::end_wish(pool->second.window, pool->second.kind);
      windows_.give_back(pool->second.window);
    }
    pools_.erase(pool);
  }
  end_if_drained();
}

void device_state::handle(messages::group_failed& message) {
  failed_groups_.try_emplace(message.group, message.failure);
  for (const auto& [id, entry] : streams_) {
    if (entry.failure_group == message.group) {
      post(entry.stream, messages::stop_stream{message.failure});
    }
  }
}

// -- the end ------------------------------------------------------------------------------------------------

void device_state::handle(messages::shut_down& message) {
  shutting_down_ = std::move(message.reply);
  end_if_drained();
}

// First the streams, whose tasks may still need memory; then the pools; then the engines.
void device_state::end_if_drained() {
  if (!shutting_down_ || !streams_.empty()) {
    return;
  }
  if (!std::exchange(abandoned_pools_, true)) {
    for (const auto& [id, entry] : pools_) {
      post(entry.pool, messages::abandon_pool{});
    }
  }
  if (!pools_.empty() || idle_engines_.size() < engines_.size()) {
    return;
  }
  while (!idle_engines_.empty()) {
    stop_longest_idle_engine();
  }
  if (plain_pool_) {
    post(plain_pool_, messages::stop_plain_pool{});
    plain_pool_ = nullptr;
  }
  const auto reply = std::move(*shutting_down_);
  shutting_down_.reset();
  reply(messages::done{});
  own_.quit();
}

}  // namespace soma::actors
