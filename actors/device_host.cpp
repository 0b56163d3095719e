// The DEVICE and the host: synchronize, and telling the pools what the host has seen complete.

#include <utility>

#include "actors/device.hpp"

namespace soma::actors {

void device_state::handle(messages::synchronize_device& message) {
  const auto number = ++last_operation_;
  auto& operation = operations_[number];
  operation.release = true;
  operation.reply = std::move(message.reply);
  // Streams that have ended count as seen from the end of this synchronize on.
  operation.seen = std::exchange(ended_, {});
  operation.failure = std::exchange(ended_failure_, std::nullopt);
  operation.asking_streams = true;
  operation.open = streams_.size();
  for (const auto& [id, entry] : streams_) {
    post(entry.stream, messages::synchronize_stream{answer_to<messages::stream_seen>(own_.handle(), number)});
  }
  if (operation.open == 0) {
    tell_pools(number);
  }
}

void device_state::handle(messages::answered<messages::stream_seen>& message) {
  const auto found = operations_.find(message.ticket);
  if (found == operations_.end()) {
    return;
  }
  auto& operation = found->second;
  if (message.value) {
    operation.seen.add(message.value->seen);
    if (message.value->failure && !operation.failure) {
      operation.failure = std::move(message.value->failure);
    }
  } else {
    // It ended before the question reached it; what there was to know has come with stream_ended.
    operation.seen.add(std::exchange(ended_, {}));
    auto failure = std::exchange(ended_failure_, std::nullopt);
    if (failure && !operation.failure) {
      operation.failure = std::move(failure);
    }
  }
  one_answered(message.ticket);
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
  operation.asking_streams = false;
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
  if (found->second.asking_streams) {
    tell_pools(number);
  } else {
    finish(number);
  }
}

void device_state::finish(std::uint64_t number) {
  auto operation = std::move(operations_.at(number));
  operations_.erase(number);
  if (operation.failure) {
    operation.reply(tl::unexpected(std::move(*operation.failure)));
  } else {
    operation.reply(messages::done{});
  }
}

}  // namespace soma::actors
