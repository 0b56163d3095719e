// The STREAM and events: accepting records and waits.

#include <algorithm>
#include <utility>

#include "actors/stream.hpp"
#include "memory/mutation.hpp"

namespace soma::actors {

using memory::mutated;
using memory::mutation;

void stream_state::accept(messages::record_event& message) {
  auto recorded = next_record(message.number);
  const bool executed = recorded.executed.has_value();
  post(message.event, std::move(recorded));
  add_record(message, executed);
  message.reply(messages::done{});
}

// On an idle stream it is executed at once, unless there is a failure to be told.
messages::event_recorded stream_state::next_record(messages::record_number number) const {
  messages::event_recorded made{number, next_position(), ordered_, {}};
  if (idle() && !failure_) {
    made.executed = std::chrono::steady_clock::now();
  }
  return made;
}

// A record that is lost with its stream counts as executed, with a failure: nobody waits for ever.
void stream_state::add_record(messages::record_event& message, bool executed) {
  if (executed) {
    add_plain();
    return;
  }
  add(record_task{messages::answer<messages::done>(
      [event = std::move(message.event), number = message.number](messages::result<messages::done> reached) {
        std::optional<messages::fault> failure;
        if (!reached) {
          failure = std::move(reached.error());
        }
        post(event, messages::event_reached{number, std::chrono::steady_clock::now(), std::move(failure)});
      })});
}

void stream_state::accept(messages::wait_event& message) {
  settling_ = true;
  post(message.event,
       messages::order_query{message.number, answer_to<messages::record_order>(own_.handle())});
  unsettled_ = std::move(message);
}

void stream_state::handle(messages::answered<messages::record_order>& message) {
  auto wait = std::get<messages::wait_event>(std::exchange(unsettled_, messages::retire_stream{}));
  if (!message.value) {  // there is nothing to wait for, and who asked must know
    wait.reply(tl::unexpected(std::move(message.value.error())));
    settled();
    return;
  }
  if (mutated(mutation::record_before_free_accepted)) {
    message.value->at.sequence = memory::next(memory::next(message.value->at.sequence));
  }
  std::uint64_t ticket = 0;
  if (!message.value->reached) {
    ticket = open_ticket();
    post(wait.event, await_of(wait, ticket));
  }
  add_wait(wait, *message.value, ticket);
  wait.reply(messages::done{});
  settled();
}

// To be told, for the ticket, when the record is executed.
messages::await_record stream_state::await_of(const messages::wait_event& wait, std::uint64_t ticket) const {
  return {wait.number, answer_to<messages::record_reached>(own_.handle(), ticket)};
}

// The ticket is 0 if the record was executed before.
void stream_state::add_wait(const messages::wait_event& wait, const messages::record_order& record,
                            std::uint64_t ticket) {
  be_ordered_after(record);
  if (tracing::is_on()) [[unlikely]] {
    remember_wait(wait, record);
  }
  if (ticket == 0) {
    add_plain();
    return;
  }
  waiting_task waiting;
  waiting.limit = wait.limit;
  waiting.for_.insert(ticket);
  add(std::move(waiting));
}

void stream_state::remember_wait(const messages::wait_event& wait, const messages::record_order& record) {
  constexpr std::size_t most = 32;
  if (waits_ == nullptr) {
    waits_ = std::make_unique<std::vector<messages::known_wait>>();
  }
  if (waits_->size() == most) {
    waits_->erase(waits_->begin());
  }
  waits_->push_back({wait.id, wait.number, record.at, record.ordered});
}

std::unique_ptr<std::vector<messages::known_wait>> stream_state::remembered_waits() const {
  return waits_ == nullptr ? nullptr : std::make_unique<std::vector<messages::known_wait>>(*waits_);
}

void stream_state::be_ordered_after(const messages::record_order& record) {
  if (!mutated(mutation::one_edge_only)) {
    ordered_.add(record.ordered);
  }
  if (record.at.stream != id_ && record.at != messages::position{}) {
    ordered_.add(record.at);
  }
  // The question costs as much as some waits with such a clock: it is asked after as many.
  constexpr std::size_t worth = 16;
  const auto length = ordered_.size();
  if (length >= long_clock_ && ++waits_with_long_clock_ * worth >= length) {
    waits_with_long_clock_ = 0;
    long_clock_ = ~std::size_t{0};  // until the answer is there
    post(device_, messages::find_seen{ordered_, answer_to<messages::tasks_seen>(own_.handle())});
  }
}

// A device that has ended does not answer; then nothing is forgotten any more.
void stream_state::handle(messages::answered<messages::tasks_seen>& message) {
  if (message.value) {
    ordered_.forget(message.value->seen);
    long_clock_ = std::max(memory::long_clock, 2 * ordered_.size());
  }
}

}  // namespace soma::actors
