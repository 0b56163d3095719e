#include "actors/event.hpp"

#include <utility>

namespace soma::actors {

namespace {

constexpr std::size_t kept_records = 64;

messages::record_order order_of(const messages::position& at, const messages::order_clock& ordered,
                                bool reached) {
  return {at, ordered, reached};
}

}  // namespace

messages::record_reached event_state::reached(const record_entry& of) {
  return {of.at, of.ordered, of.time, of.failure};
}

event_state::record_entry* event_state::find(messages::record_number number) {
  return number <= forgotten_ ? nullptr : &records_[number];
}

void event_state::handle(messages::event_recorded& message) {
  auto* record = find(message.number);
  if (record == nullptr) {
    return;
  }
  record->submitted = true;
  record->at = message.at;
  record->ordered = std::move(message.ordered);
  if (message.executed) {
    record->reached = true;
    record->time = *message.executed;
  }
  answer_waiters(*record);
  forget_old();
}

void event_state::handle(messages::event_reached& message) {
  auto* record = find(message.number);
  if (record == nullptr) {
    return;
  }
  record->submitted = true;  // a record that was lost with its stream may not have been announced
  record->reached = true;
  record->time = message.time;
  record->failure = std::move(message.failure);
  answer_waiters(*record);
  forget_old();
}

// Those who ask for the order once the record is submitted, the others once it is executed.
void event_state::answer_waiters(record_entry& record) {
  const auto asking = std::exchange(record.asking_order, {});
  for (const auto& reply : asking) {
    reply(order_of(record.at, record.ordered, record.reached));
  }
  if (record.reached) {
    const auto waiting = std::exchange(record.waiting, {});
    for (const auto& reply : waiting) {
      reply(reached(record));
    }
  }
}

void event_state::handle(messages::order_query& message) {
  auto* record = find(message.number);
  if (record == nullptr) {
    message.reply(order_of({}, {}, true));
  } else if (record->submitted) {
    message.reply(order_of(record->at, record->ordered, record->reached));
  } else {
    record->asking_order.push_back(std::move(message.reply));
  }
}

void event_state::handle(messages::await_record& message) {
  auto* record = find(message.number);
  if (record == nullptr) {
    message.reply(messages::record_reached{});
  } else if (record->reached) {
    message.reply(reached(*record));
  } else {
    record->waiting.push_back(std::move(message.reply));
  }
}

void event_state::handle(messages::query_record& message) {
  const auto* record = find(message.number);
  if (record == nullptr) {
    message.reply(messages::record_reached{});
  } else if (record->reached) {
    message.reply(reached(*record));
  } else {
    message.reply(memory::failed(messages::fault_code::not_complete,
                                 "the event's latest record has not been executed yet"));
  }
}

void event_state::forget_old() {
  while (records_.size() > kept_records && records_.begin()->second.reached) {
    forgotten_ = records_.begin()->first;
    records_.erase(records_.begin());
  }
}

// -- in place -----------------------------------------------------------------------------------------------

bool event_state::record_here(messages::event_recorded& message) {
  const auto* record = find(message.number);
  if (record == nullptr || !record->asking_order.empty() || !record->waiting.empty()) {
    return false;
  }
  handle(message);
  return true;
}

std::optional<messages::record_order> event_state::order_here(messages::record_number number) {
  const auto* record = find(number);
  if (record == nullptr) {
    return order_of({}, {}, true);
  }
  return record->submitted ? std::optional(order_of(record->at, record->ordered, record->reached))
                           : std::nullopt;
}

}  // namespace soma::actors
