// The steps of a world: messages that arrive, handlers, engines.

#include <csignal>

#include <algorithm>
#include <utility>

#include "actors/foreign_code.hpp"
#include "sim/world.hpp"

namespace soma::sim {

namespace {

// An engine's first run gives its thread a stack for signal handlers. Here several engines share a thread.
class own_signal_stack {
public:
  own_signal_stack() { ::sigaltstack(nullptr, &before_); }
  ~own_signal_stack() { ::sigaltstack(&before_, nullptr); }
  own_signal_stack(const own_signal_stack&) = delete;
  own_signal_stack& operator=(const own_signal_stack&) = delete;

private:
  stack_t before_{};
};

}  // namespace

void world::flush(party& from) {
  auto sent = std::move(from.outbox.front());
  from.outbox.pop_front();
  ++from.flushed;
  if (sent.wakes != nullptr) {
    note({log_entry::kind::wakes, &from, sent.wakes, nullptr, nullptr});
    if (sent.wakes->now == host::state::asking && sent.wakes->waits == sent.wait) {
      sent.wakes->woken = true;
      sent.wakes->before |= sent.carried;
    }
    return;
  }
  // What comes back from an ended actor comes behind all that it had sent before its end.
  while (sent.to->ended && !sent.to->outbox.empty()) {
    flush(*sent.to);
  }
  note({log_entry::kind::arrives, &from, sent.to, sent.kind, nullptr});
  flushing_ = &from;
  inserted_ = 0;
  auto& to = *sent.to;
  if (!to.ended) {
    auto* own = messages::element::from(*sent.element);
    to.mailbox.push_back({sent.kind, own == nullptr ? nullptr : own->message(), sent.carried, false});
  }
  admitted_ = sent.element.get();
  unit_.woken = nullptr;
  sent.keeps->enqueue(std::move(sent.element), &unit_);
  if (unit_.woken != nullptr) {
    to.ready = std::exchange(unit_.woken, nullptr);
  }
  sent.keeps = nullptr;  // may end the actor, which may send
  flushing_ = nullptr;
}

void world::handle(actor& by) {
  auto handled = by.mailbox.front();
  by.mailbox.pop_front();
  if (by.kind == party_kind::engine) {
    if (!handled.begun) {
      by.before = handled.carried;  // an engine does not carry order from one run to the next
    }
  } else if (!handled.kind->run_tasks && !handled.kind->engine_idle) {
    by.before |= handled.carried;
  }
  running_ = &by;
  if (by.ready != nullptr) {
    auto* job = by.ready;
    switch (job->resume(&unit_, 1)) {
    case caf::resumable::resume_later:
      break;
    case caf::resumable::done:
      by.ended = true;
      by.mailbox.clear();
      [[fallthrough]];
    default:
      by.ready = nullptr;
      messages::let_go(job);
    }
  }
  running_ = nullptr;
}

// An engine runs the tasks of a run up to one whose gate is closed. That nothing of the run is reported
// before all of it is done makes it possible to call the first tasks here, ahead of the engine.
void world::run(actor& engine) {
  auto& mail = engine.mailbox.front();
  const auto& run = run_in(mail);
  const own_signal_stack stack;
  const bool all_open = std::all_of(run.tasks.begin(), run.tasks.end(), [this](const auto& work) {
    const auto* of = task_call::find(work);
    return of == nullptr || is_open_(*of);
  });
  ++engine.runs;
  if (all_open) {
    handle(engine);
    return;
  }
  if (!std::exchange(mail.begun, true)) {
    engine.before = mail.carried;
  }
  running_ = &engine;
  for (const auto& work : run.tasks) {
    auto* of = task_call::find(work);
    if (of == nullptr || of->done) {
      continue;
    }
    of->started = true;
    if (!is_open_(*of)) {
      break;
    }
    of->failure = actors::run_work(work);
    of->done = of->ahead = true;
  }
  running_ = nullptr;
}

bool world::can_run(const actor& engine) const {
  if (!engine.outbox.empty() || engine.mailbox.empty() || !engine.mailbox.front().kind->run_tasks) {
    return false;
  }
  for (const auto& work : run_in(engine.mailbox.front()).tasks) {
    const auto* of = task_call::find(work);
    if (of == nullptr || !of->done) {
      return of == nullptr || is_open_(*of);
    }
  }
  return true;
}

// A task that is held from its beginning begins without any effect but that it has begun.
bool world::begin_held_task(actor& engine) {
  for (const auto& work : run_in(engine.mailbox.front()).tasks) {
    auto* of = task_call::find(work);
    if (of == nullptr || !of->done) {
      return of != nullptr && !is_open_(*of) && !std::exchange(of->started, true);
    }
  }
  return false;
}

// An engine gets messages from the device only, so theirs can enter its mailbox at once.
bool world::settle_actor(actor& one) {
  if (!one.outbox.empty()) {
    const auto& next = one.outbox.front();
    if (next.to != nullptr && next.to->kind == party_kind::engine) {
      flush(one);
      return true;
    }
    return false;
  }
  if (one.mailbox.empty()) {
    return false;
  }
  if (one.kind == party_kind::engine && one.mailbox.front().kind->run_tasks) {
    return begin_held_task(one);
  }
  handle(one);
  return true;
}

void world::settle() {
  bool again = true;
  while (again) {
    again = false;
    for (std::size_t at = 0; at < actors_.size(); ++at) {
      again = settle_actor(*actors_[at]) || again;
    }
  }
}

option world::flush_of(const party& from) const {
  const auto& next = from.outbox.front();
  const auto& to = next.to != nullptr ? static_cast<const party&>(*next.to) : *next.wakes;
  option made{step_kind::flush, from.number, from.flushed, to.number, false};
  if (!memory_may_go_back_) {
    return made;
  }
  made.memory = to.kind == party_kind::pool || from.kind == party_kind::pool ||
                (next.kind != nullptr && next.kind->memory);
  if (from.kind == party_kind::device && !made.memory) {
    const auto& mailbox = static_cast<const actor&>(from).mailbox;
    made.memory =
        std::any_of(mailbox.begin(), mailbox.end(), [](const auto& one) { return one.kind->memory; });
  }
  return made;
}

void world::collect(std::vector<option>& into) const {
  into.clear();
  for (const auto& one : hosts_) {
    if (!one->outbox.empty()) {
      into.push_back(flush_of(*one));
    }
  }
  for (const auto& one : actors_) {
    if (!one->outbox.empty()) {
      into.push_back(flush_of(*one));
    }
  }
  for (const auto& one : actors_) {
    if (one->kind == party_kind::engine && can_run(*one)) {
      into.push_back({step_kind::run, one->number, one->runs, 0, false});
    }
  }
  for (const auto& one : hosts_) {
    if (one->can_go_on()) {
      into.push_back({step_kind::go_on, one->number, one->turns, 0, false});
    }
  }
  for (const auto& one : hosts_) {
    if (one->can_time_out()) {
      into.push_back({step_kind::time_out, one->number, one->turns, 0, false});
    }
  }
}

void world::execute(const option& chosen) {
  for (auto& one : hosts_) {
    if (one->number == chosen.party) {
      flush(*one);
      return;
    }
  }
  for (auto& one : actors_) {
    if (one->number == chosen.party) {
      if (chosen.kind == step_kind::run) {
        run(*one);
      } else {
        flush(*one);
      }
      return;
    }
  }
}

}  // namespace soma::sim
