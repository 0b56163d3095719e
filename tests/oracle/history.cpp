#include "oracle/history.hpp"

#include <algorithm>
#include <utility>

namespace oracle {

std::size_t history::add_stream() {
  streams_.emplace_back();
  return streams_.size() - 1;
}

task_id history::add(std::size_t stream, task_kind kind) {
  task added;
  added.kind = kind;
  added.stream = stream;
  added.before = last(stream);
  tasks_.push_back(std::move(added));
  const auto id = static_cast<task_id>(tasks_.size() - 1);
  streams_[stream].push_back(id);
  return id;
}

task_id history::add_wait(std::size_t stream, task_id record) {
  const auto id = add(stream, task_kind::wait);
  tasks_.back().awaited_record = record;
  return id;
}

task_id history::add_allocation(std::size_t stream, std::vector<task_id> awaited_frees) {
  const auto id = add(stream, task_kind::allocation);
  tasks_.back().awaited_frees = std::move(awaited_frees);
  return id;
}

std::size_t history::add_gate(std::size_t stream) {
  add(stream, task_kind::gate);
  tasks_.back().gate = gates_.size();
  gates_.push_back(false);
  return gates_.size() - 1;
}

void history::open(std::size_t gate) { gates_[gate] = true; }

task_id history::last(std::size_t stream) const {
  return streams_[stream].empty() ? no_task : streams_[stream].back();
}

std::uint64_t history::sequence_of(task_id id) const {
  std::uint64_t sequence = 0;
  for (; id != no_task; id = at(id).before) {
    ++sequence;
  }
  return sequence;
}

std::vector<bool> history::up_to(task_id id) const {
  std::vector<bool> reached(tasks_.size(), false);
  std::vector<task_id> next{id};
  while (!next.empty()) {
    const auto now = next.back();
    next.pop_back();
    if (now == no_task || reached[static_cast<std::size_t>(now)]) {
      continue;
    }
    reached[static_cast<std::size_t>(now)] = true;
    next.push_back(at(now).before);
    next.push_back(at(now).awaited_record);
  }
  return reached;
}

void history::see(task_id id) {
  const auto reached = up_to(id);
  for (std::size_t each = 0; each < tasks_.size(); ++each) {
    tasks_[each].seen = tasks_[each].seen || reached[each];
  }
}

void history::see_everything() {
  for (auto& each : tasks_) {
    each.seen = true;
  }
}

bool history::can_execute(const task& next) const {
  const auto executed = [this](task_id id) { return id == no_task || at(id).executed; };
  return executed(next.before) && executed(next.awaited_record) &&
         std::all_of(next.awaited_frees.begin(), next.awaited_frees.end(), executed) &&
         (next.kind != task_kind::gate || gates_[next.gate]);
}

void history::execute() {
  for (bool changed = true; std::exchange(changed, false);) {
    for (auto& each : tasks_) {
      if (!each.executed && can_execute(each)) {
        each.executed = true;
        changed = true;
      }
    }
  }
}

bool history::drained(std::size_t stream) const {
  return last(stream) == no_task || at(last(stream)).executed;
}

std::size_t history::work_started(std::size_t stream) const {
  std::size_t started = 0;
  for (const auto id : streams_[stream]) {
    const auto& each = at(id);
    const bool is_work = each.kind == task_kind::work || each.kind == task_kind::gate;
    if (!each.executed) {
      return started + (is_work ? 1 : 0);
    }
    started += is_work ? 1 : 0;
  }
  return started;
}

}  // namespace oracle
