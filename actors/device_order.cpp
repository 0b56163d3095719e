// The DEVICE and order: which tasks the host has seen complete. What such a task freed anyone may have, so
// that nobody needs to know any more what is ordered after it: clocks that have become long forget it.
//
// Of a stream that lives, or has ended and was not seen to the end, the device remembers how far it was seen.
// Every other stream of the device was seen to its end, so that nothing grows with the streams that were.

#include "actors/device.hpp"

namespace soma::actors {

// Streams of other devices look like ended ones: of those only what the host has seen here is known.
bool device_state::is_seen(memory::position task) const {
  if (seen_.covers(task)) {
    return true;
  }
  return settings_.only_one && !streams_.contains(task.stream) && !ended_unseen_.contains(task.stream);
}

memory::order_clock device_state::unseen_of(const memory::order_clock& tasks) const {
  auto rest = tasks;
  rest.forget(seen_);  // one walk through both; what is left is looked up one by one
  memory::order_clock unseen;
  rest.for_each([&](const memory::position& task) {
    if (!is_seen(task)) {
      unseen.add(task);
    }
  });
  return unseen;
}

void device_state::handle(messages::find_seen& message) {
  auto seen = message.tasks;
  seen.forget(unseen_of(message.tasks));
  message.reply(messages::tasks_seen{std::move(seen)});
}

// All pools know it.
void device_state::remember_seen(const memory::order_clock& seen) {
  seen_.add(seen);
  memory::order_clock to_the_end;
  seen.for_each([&](const memory::position& task) {
    const auto ended = ended_unseen_.find(task.stream);
    if (ended != ended_unseen_.end() && ended->second <= task.sequence) {
      ended_unseen_.erase(ended);
    }
    if (settings_.only_one && !streams_.contains(task.stream) && !ended_unseen_.contains(task.stream)) {
      to_the_end.add({task.stream, memory::sequence_number::all});
    }
  });
  seen_.forget(to_the_end);
}

// Precondition: it is in the list of streams no more.
void device_state::remember_end(memory::stream_id stream, memory::sequence_number last) {
  if (seen_.of(stream) < last) {
    ended_unseen_.insert_or_assign(stream, last);
  } else if (settings_.only_one) {
    memory::order_clock ended;
    ended.add({stream, memory::sequence_number::all});
    seen_.forget(ended);
  }
}

}  // namespace soma::actors
