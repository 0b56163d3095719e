// The STREAM: cutting work short, waits with a limit, and what is noted of it.

#include <string>
#include <utility>

#include "actors/stream.hpp"

namespace soma::actors {

namespace {

constexpr std::size_t index_of(messages::stream_note which) noexcept {
  return static_cast<std::size_t>(which);
}

messages::fault waited_too_long(std::chrono::nanoseconds limit, std::chrono::nanoseconds waited) {
  const auto milliseconds = [](std::chrono::nanoseconds time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  };
  return {messages::fault_code::task_timed_out, "a wait for an event took " + milliseconds(waited) +
                                                    " milliseconds, and its limit is " + milliseconds(limit)};
}

}  // namespace

// -- cutting work short -------------------------------------------------------------------------------------

void stream_state::accept(messages::stop_task& message) {
  if (running_ > 0) {
    auto none = messages::stop_wish::none;  // an abort's wish stays
    remains_->wish.compare_exchange_strong(none, messages::stop_wish::task, std::memory_order_relaxed);
  }
  message.reply(messages::done{});
}

// Waits for events and for other streams' frees are kept: memory may have been given to this stream on the
// strength of them, and what is submitted next may use it.
void stream_state::accept(messages::abort_stream& message) {
  aborted_ = last_;
  for (auto waiters = std::exchange(waiters_, {}); const auto& waiter : waiters) {
    waiter.reply(tl::unexpected(message.why));
  }
  aborting_.push_back(std::move(message.reply));
  if (running_ > 0) {
    remains_->wish.store(messages::stop_wish::run, std::memory_order_relaxed);
  } else {
    answer_aborting();
  }
}

// First, so that the frees and records among it are told to others before the answer: what is left up to the
// abort. Nothing of it goes to an engine.
void stream_state::answer_aborting() {
  while (executed_ < aborted_ && !tasks_.empty() && execute_front()) {
  }
  for (const auto aborting = std::exchange(aborting_, {}); const auto& reply : aborting) {
    reply(messages::done{});
  }
}

// -- waits with a limit -------------------------------------------------------------------------------------

bool stream_state::wait_is_over(waiting_task& front) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  for (const auto ticket : front.for_) {
    if (open_.contains(ticket)) {
      if (front.limit > front.limit.zero() && front.since == std::chrono::steady_clock::time_point{}) {
        front.since = now();
      }
      return false;
    }
  }
  if (front.since != std::chrono::steady_clock::time_point{}) {
    if (const auto waited = now() - front.since; waited > front.limit) {
      fail(waited_too_long(front.limit, waited));
    }
  }
  return true;
}

// -- notes --------------------------------------------------------------------------------------------------

void stream_state::handle(messages::write_stream_note& message) {
  notes_.at(index_of(message.which)) = message.value;
  message.reply(messages::done{});
}

void stream_state::handle(messages::read_stream_note& message) {
  message.reply(notes_.at(index_of(message.which)));
}

}  // namespace soma::actors
