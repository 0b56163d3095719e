// The DEVICE and the host: synchronize, and telling the pools what the host has seen complete.

#include <utility>

#include "actors/device.hpp"

namespace soma::actors {

namespace {

// The first failure is the one that is returned.
void add_to(messages::stream_seen& all, messages::stream_seen one) {
  all.seen.add(one.seen);
  if (!all.failure) {
    all.failure = std::move(one.failure);
  }
  all.failed.insert(all.failed.end(), one.failed.begin(), one.failed.end());
}

}  // namespace

void device_state::handle(messages::synchronize_device& message) {
  const auto number = ++last_operation_;
  auto& operation = synchronizing_[number];
  operation.reply = std::move(message.reply);
  operation.open = streams_.size();
  for (const auto& [id, entry] : streams_) {
    post(entry.stream,
         messages::synchronize_stream{answer_to<messages::stream_seen>(own_.handle(), number), true});
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
    add_to(found->second.told, std::move(*message.value));
  }
  if (--found->second.open == 0) {
    synchronized(message.ticket);
  }
}

// A failure stays with its stream until it is sure that the host takes it: the host's time may be over, and
// then the stream's own next synchronize returns it. That a stream is told to forget it only after the reply
// does no harm: a host that was answered asks the device once more, for its pools, before its call returns.
void device_state::synchronized(std::uint64_t number) {
  auto& operation = synchronizing_.at(number);
  const auto reply = std::move(operation.reply);
  auto told = untold_;
  add_to(told, std::move(operation.told));
  synchronizing_.erase(number);
  const auto failed = told.failed;
  if (!reply(std::move(told))) {
    return;
  }
  untold_ = {};
  for (const auto& [id, failure] : failed) {
    if (const auto stream = streams_.find(id); stream != streams_.end()) {
      stream->second.failures_told = failure;
      post(stream->second.stream, messages::forget_failure{failure});
    }
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
  const auto operation = operations_.find(number);
  const auto reply = std::move(operation->second.reply);
  remember_seen(operation->second.seen);
  operations_.erase(operation);
  reply(messages::done{});
}

}  // namespace soma::actors
