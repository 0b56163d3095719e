// The STREAM's second half: executing tasks in order.

#include <algorithm>
#include <utility>

#include "actors/stream.hpp"

namespace soma::actors {

// Executes what can be executed now. The last thing that every handler does.
void stream_state::advance() {
  while (running_ == 0 && !tasks_.empty() && execute_front()) {
  }
  if (!promises_.empty()) {
    tell_executed();
  }
  answer_waiters();
  end_if_drained();
}

// Returns false if the front task cannot be executed now, or an engine has it.
bool stream_state::execute_front() {
  if (std::holds_alternative<work_task>(tasks_.front())) {
    return start_run();
  }
  if (!execute(tasks_.front())) {
    return false;
  }
  executed_front();
  return true;
}

// Executes a task that everything in front of is executed of. Returns false if it cannot be executed now, or
// an engine has to.
bool stream_state::execute(task& front) {
  if (std::holds_alternative<work_task>(front)) {
    return false;
  }
  if (auto* waiting = std::get_if<waiting_task>(&front)) {
    return wait_is_over(*waiting);
  }
  if (auto* free = std::get_if<free_task>(&front)) {
    free->executed(messages::done{});
  } else if (auto* plain = std::get_if<plain_free_task>(&front)) {
    post(device_, messages::end_plain_free{plain->block});
  } else if (auto* record = std::get_if<record_task>(&front)) {
    if (failure_) {
      record->executed(tl::unexpected(*failure_));
    } else {
      record->executed(messages::done{});
    }
  }
  return true;
}

void stream_state::executed_front() {
  tasks_.pop_front();
  executed_ = memory::next(executed_);
}

// Gives the work at the front to an engine, up to where somebody waits: whoever synchronizes must not be held
// up by what was submitted behind. A stopped or aborted stream drops it. Returns true if it was dropped.
bool stream_state::start_run() {
  if (drops_front()) {
    executed_front();
    return true;
  }
  if (checker_) [[unlikely]] {
    remember_run();
  }
  messages::run_tasks run;
  run.checker = checker_;
  run.first = {id_, memory::next(executed_)};
  run.stop_on_failure = mode_ == messages::on_failure::stop;
  if (remains_ == nullptr) {
    remains_ = std::make_shared<remains>();
  }
  const auto length = length_of_run();
  run.tasks.reserve(length);
  for (; running_ < length; ++running_) {
    run.tasks.push_back(std::move(std::get<work_task>(tasks_.front()).work));
    tasks_.pop_front();
  }
  remains_->wish.store(messages::stop_wish::none, std::memory_order_relaxed);
  run.wish = &remains_->wish;
  begin_feed();
  run.feed = &remains_->feed;
  run.in_burst = std::exchange(in_burst_, true);
  // Not by answer_to, to say who may have lost it.
  run.reply = messages::answer<messages::tasks_run>(
      [own = own_.handle(), kept = remains_](messages::result<messages::tasks_run> how) {
        post(own, messages::answered<messages::tasks_run>{0, std::move(how)});
      },
      "device or engine");
  post(device_, std::move(run));
  return false;
}

// -- the feed of a run (messages/task_feed.hpp) -------------------------------------------------------------
//
// It is for a burst of launches: it ends where something else comes behind the run, and where somebody waits
// or asks, so that the engine tells at once when it is done.

void stream_state::begin_feed() {
  remains_->feed.begin();
  feeds_ = true;
  if (!tasks_.empty() || !backlog_.empty() || settling_ || !waiters_.empty() || !awaiting_.empty()) {
    end_feed();
  }
}

// Gives work to the engine that has the run, if it can be the next task of that.
bool stream_state::feed(messages::work& work) { return feeds_ && remains_->feed.push(work); }

void stream_state::end_feed() noexcept {
  if (feeds_) {
    feeds_ = false;
    remains_->feed.end();
  }
}

// What the engine has taken is executed; the rest comes first of all that is left.
void stream_state::take_back_fed() {
  end_feed();
  auto& feed = remains_->feed;
  running_ += feed.taken();
  const auto behind = tasks_.begin();
  while (!feed.empty()) {
    tasks_.insert(behind, work_task{feed.take(), {}});
  }
  if (tasks_.empty()) {
    feed.release();
  }
}

// How many tasks an engine can run in one go. Precondition: one at least.
std::size_t stream_state::length_of_run() const {
  std::size_t length = 0;
  auto last = executed_;
  for (const auto& queued : tasks_) {
    if (!std::holds_alternative<work_task>(queued) || (length > 0 && is_waited_for(last))) {
      break;
    }
    last = memory::next(last);
    ++length;
  }
  return length;
}

void stream_state::handle(messages::answered<messages::tasks_run>& message) {
  if (checker_ && message.value && message.value->failure) [[unlikely]] {
    tell_signal(*message.value);
  }
  // What a stopped run did not start is dropped with it.
  const bool dropped = executed_ < aborted_;
  take_back_fed();
  executed_ = sequence{memory::number(executed_) + std::exchange(running_, 0)};
  if (dropped) {
    answer_aborting();
  } else if (!message.value) {
    fail(std::move(message.value.error()));
  } else if (message.value->failure) {
    fail(std::move(*message.value->failure));
  }
  advance();
}

void stream_state::fail(messages::fault failure) {
  if (mode_ == messages::on_failure::stop && !stopped_) {
    stopped_ = failure;
    if (failure_group_ != 0) {
      post(device_, messages::group_failed{failure_group_, failure});
    }
  }
  keep(std::move(failure));
}

void stream_state::keep(messages::fault failure) {
  if (!failure_) {
    failure_ = std::move(failure);
    ++failures_;
  }
}

void stream_state::handle(messages::forget_failure& message) {
  if (message.number == failures_) {
    failure_.reset();
  }
}

void stream_state::handle(messages::stop_stream& message) {
  end_feed();
  if (mode_ == messages::on_failure::stop && !stopped_) {
    stopped_ = message.failure;
    keep(std::move(message.failure));
  }
  advance();
}

// An event that has ended by a fault will never tell: what comes behind the wait goes on, and the stream's
// next synchronize says that it was not ordered.
void stream_state::handle(messages::answered<messages::record_reached>& message) {
  if (!message.value) {
    fail(std::move(message.value.error()));
  }
  reached(message.ticket);
}

void stream_state::reached(std::uint64_t ticket) {
  open_.erase(ticket);
  advance();
}

void stream_state::handle(messages::await_task& message) {
  if (executed_ >= message.sequence) {
    message.reply(messages::done{});
  } else {
    end_feed();
    awaiting_.push_back({message.sequence, std::move(message.reply)});
  }
}

bool stream_state::is_waited_for(sequence executed) const {
  const auto waits = [executed](const auto& one) { return one.until == executed; };
  return std::any_of(waiters_.begin(), waiters_.end(), waits) ||
         std::any_of(awaiting_.begin(), awaiting_.end(), waits);
}

void stream_state::answer_waiters() {
  const auto done_with = std::partition(awaiting_.begin(), awaiting_.end(),
                                        [this](const awaiting& one) { return one.until > executed_; });
  std::vector<awaiting> done(std::make_move_iterator(done_with), std::make_move_iterator(awaiting_.end()));
  awaiting_.erase(done_with, awaiting_.end());
  for (const auto& one : done) {
    one.reply(messages::done{});
  }
  while (!waiters_.empty() && waiters_.front().until <= executed_) {
    auto waiter = std::move(waiters_.front());
    waiters_.pop_front();
    messages::stream_seen told{std::move(waiter.seen), failure_, {}};
    if (failure_) {
      told.failed.push_back({id_, failures_});
    }
    if (waiter.reply(std::move(told)) && !waiter.keep_failure) {
      failure_.reset();
    }
  }
}

void stream_state::end_if_drained() {
  if (!retired_ || settling_ || !idle() || !backlog_.empty()) {
    return;
  }
  if (std::exchange(ended_, true)) {
    return;
  }
  post(device_, messages::stream_ended{id_, seen_now(), std::move(failure_), failures_});
  own_.quit();
}

}  // namespace soma::actors
