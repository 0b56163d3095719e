// What has happened, as a graph: each task with the tasks right before it. "Happens before" is looked up by
// walking back. Nothing here knows clocks, and nothing is ever forgotten.
//
// Two kinds of edges: those that order (stream order, record to wait), and those that only make a task start
// later (inserted waits). Reuse by order follows the first kind; execution follows both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace oracle {

using task_id = int;
inline constexpr task_id no_task = -1;

enum class task_kind : unsigned char { work, gate, allocation, free, record, wait };

struct task {
  task_kind kind = task_kind::work;
  std::size_t stream = 0;
  task_id before = no_task;            // on the same stream
  task_id awaited_record = no_task;    // of a wait
  std::vector<task_id> awaited_frees;  // of an allocation with an inserted wait
  std::size_t gate = 0;                // of a gate
  bool executed = false;
  bool seen = false;  // the host has seen it complete
};

class history {
public:
  std::size_t add_stream();
  [[nodiscard]] std::size_t streams() const { return streams_.size(); }

  task_id add(std::size_t stream, task_kind kind);
  task_id add_wait(std::size_t stream, task_id record);
  task_id add_allocation(std::size_t stream, std::vector<task_id> awaited_frees);

  /// Returns the number of the gate.
  std::size_t add_gate(std::size_t stream);
  void open(std::size_t gate);

  [[nodiscard]] const task& at(task_id id) const { return tasks_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] task_id last(std::size_t stream) const;

  /// The task's number in its stream, from 1.
  [[nodiscard]] std::uint64_t sequence_of(task_id id) const;

  /// For each task: whether it happens before this one, or is this one.
  [[nodiscard]] std::vector<bool> up_to(task_id id) const;

  /// The host has seen this task complete, and so everything in front.
  void see(task_id id);
  void see_everything();

  /// Executes whatever can be executed.
  void execute();
  [[nodiscard]] bool drained(std::size_t stream) const;

  /// How many work tasks and gates of the stream have at least been started.
  [[nodiscard]] std::size_t work_started(std::size_t stream) const;

private:
  [[nodiscard]] bool can_execute(const task& next) const;

  std::vector<task> tasks_;
  std::vector<std::vector<task_id>> streams_;
  std::vector<bool> gates_;  // whether open
};

}  // namespace oracle
