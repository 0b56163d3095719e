// The STREAM and calls in place: what callers do themselves to a stream that is idle as an actor. Nothing
// here sends anything. (Mallocs and frees in place are in stream_stock.cpp.)

#include <utility>

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

bool stream_state::synchronize_here(messages::stream_seen& told) const {
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
  end_feed();
  if (executed_ == last_) {
    told = {true, seen_now()};
  }
  return true;
}

}  // namespace soma::actors
