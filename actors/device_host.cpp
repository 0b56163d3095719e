// The DEVICE and the host: synchronize, and telling the pools what the host has seen complete.

#include <utility>

#include "actors/device.hpp"

namespace soma::actors {

void device_state::handle(messages::synchronize_device& message) {
  const auto number = ++last_operation_;
  auto& operation = synchronizing_[number];
  operation.reply = std::move(message.reply);
  operation.open = streams_.size();
  for (const auto& [id, entry] : streams_) {
    post(entry.stream, messages::synchronize_stream{answer_to<messages::stream_seen>(own_.handle(), number)});
  }
  if (operation.open == 0) {
    synchronized(number);
  }
}

void device_state::handle(messages::answered<messages::stream_seen>& message) {
  const auto found = synchronizing_.find(message.ticket);
  if (found == synchronizing_.end()) {
    return;
  }
  // A stream that ended before the question reached it has told what there was to know by stream_ended.
  if (message.value) {
    remember(message.value->seen, std::move(message.value->failure));
  }
  if (--found->second.open == 0) {
    synchronized(message.ticket);
  }
}

// What streams have told the device, and no host has taken yet.
void device_state::remember(const messages::order_clock& seen, std::optional<messages::fault> failure) {
  untold_.seen.add(seen);
  if (failure && !untold_.failure) {
    untold_.failure = std::move(failure);
  }
}

// If the host's time was over, everything is kept for the next synchronize.
void device_state::synchronized(std::uint64_t number) {
  const auto reply = std::move(synchronizing_.at(number).reply);
  synchronizing_.erase(number);
  if (reply(untold_)) {
    untold_ = {};
  }
}

void device_state::handle(messages::host_saw_tasks& message) {
  const auto number = ++last_operation_;
  auto& operation = operations_[number];
  operation.release = message.release;
  operation.seen = std::move(message.seen);
  operation.reply = std::move(message.reply);
  tell_pools(number);
}

void device_state::tell_pools(std::uint64_t number) {
  auto& operation = operations_[number];
  operation.open = pools_.size();
  for (const auto& [id, entry] : pools_) {
    post(entry.pool, messages::host_saw{operation.seen, operation.release,
                                        answer_to<messages::done>(own_.handle(), number)});
  }
  if (operation.open == 0) {
    finish(number);
  }
}

// A pool knows, or has ended.
void device_state::handle(messages::answered<messages::done>& message) { one_answered(message.ticket); }

void device_state::one_answered(std::uint64_t number) {
  const auto found = operations_.find(number);
  if (found == operations_.end() || --found->second.open > 0) {
    return;
  }
  finish(number);
}

void device_state::finish(std::uint64_t number) {
  const auto reply = std::move(operations_.at(number).reply);
  operations_.erase(number);
  reply(messages::done{});
}

}  // namespace soma::actors
