// The STREAM and calls in place: what callers do themselves to a stream that is idle as an actor. Nothing
// here sends anything. (Mallocs and frees in place are in stream_stock.cpp.)

#include <utility>

#include "actors/event.hpp"
#include "actors/in_place.hpp"
#include "actors/stream.hpp"

namespace soma::actors {

// Behind other tasks: the first one wakes an engine.
bool stream_state::submit_here(messages::submit_work& message) {
  if (settling_ || stopped_ || checker_ || idle()) {
    return false;
  }
  if (feed(message.task)) {
    last_ = memory::next(last_);
  } else {
    add(work_task{std::move(message.task), message.where});
  }
  return true;
}

bool stream_state::synchronize_here(messages::stream_seen& told) {
  in_burst_ = false;
  if (settling_ || executed_ != last_ || failure_) {
    return false;
  }
  told.seen = seen_now();
  return true;
}

bool stream_state::query_here(messages::stream_status& told) {
  if (settling_) {
    return false;
  }
  in_burst_ = false;
  end_feed();
  if (executed_ == last_) {
    told = {true, seen_now()};
  }
  return true;
}

// -- together with an event ---------------------------------------------------------------------------------

// On an idle stream with a failure the record is executed at once, which has to be sent.
bool stream_state::record_here(messages::record_event& message) {
  if (settling_ || (idle() && failure_)) {
    return false;
  }
  auto recorded = next_record(message.number);
  const bool executed = recorded.executed.has_value();
  if (!call_in_place<event_state>(message.event,
                                  [&](event_state& event) { return event.record_here(recorded); })) {
    return false;
  }
  add_record(message, executed);
  return true;
}

// Where the clock is so long that the device may have to be asked what of it can be forgotten, by messages.
bool stream_state::wait_here(const messages::wait_event& message) {
  if (settling_) {
    return false;
  }
  messages::record_order record;
  std::uint64_t ticket = 0;
  const bool is_known = call_in_place<event_state>(message.event, [&](event_state& event) {
    auto found = event.order_here(message.number);
    if (!found || ordered_.size() + found->ordered.size() + 1 >= long_clock_) {
      return false;
    }
    record = std::move(*found);
    if (!record.reached) {
      ticket = open_ticket();
      auto await = await_of(message, ticket);
      event.handle(await);
    }
    return true;
  });
  if (is_known) {
    add_wait(message, record, ticket);
  }
  return is_known;
}

}  // namespace soma::actors
