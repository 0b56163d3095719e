// The whole history of a program on several streams: each task knows the tasks right before it, and "happens
// before" is looked up by walking back.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "memory/identifiers.hpp"
#include "memory/order_clock.hpp"

namespace task_history {

using namespace soma::memory;

inline constexpr std::size_t streams = 3;

using task_id = std::size_t;

struct task {
  position place;
  std::vector<task_id> behind;  // the tasks right before it
  order_clock clock;            // the task and all before it, as a stream actor would count
  bool is_free = false;
  bool executed = false;
  bool seen = false;
};

class history {
public:
  history() {
    for (std::size_t stream = 0; stream < streams; ++stream) {
      submit(stream, {});
    }
  }

  /// The next task of the stream, behind these as well.
  task_id submit(std::size_t stream, const std::vector<task_id>& behind) {
    const task_id id = tasks_.size();
    task added;
    added.behind = behind;
    if (!streams_.at(stream).empty()) {
      added.behind.push_back(last(stream));
    }
    for (const auto before : added.behind) {
      added.clock.add(tasks_[before].clock);
    }
    streams_.at(stream).push_back(id);
    added.place = {stream_id{stream + 1}, sequence_number{streams_.at(stream).size()}};
    added.clock.add(added.place);
    tasks_.push_back(std::move(added));
    return id;
  }

  [[nodiscard]] task& operator[](task_id id) { return tasks_[id]; }
  [[nodiscard]] const task& operator[](task_id id) const { return tasks_[id]; }
  [[nodiscard]] task_id last(std::size_t stream) const { return streams_.at(stream).back(); }

  [[nodiscard]] task_id find(position place) const {
    return streams_.at(number(place.stream) - 1).at(number(place.sequence) - 1);
  }

  /// The task and everything that happens before it.
  [[nodiscard]] std::set<task_id> up_to(task_id id) const {
    std::set<task_id> found{id};
    std::vector<task_id> open{id};
    while (!open.empty()) {
      const auto at = open.back();
      open.pop_back();
      for (const auto before : tasks_[at].behind) {
        if (found.insert(before).second) {
          open.push_back(before);
        }
      }
    }
    return found;
  }

  [[nodiscard]] task_id pick(std::size_t stream, std::size_t which) const {
    return streams_.at(stream).at(which % streams_.at(stream).size());
  }

private:
  std::vector<task> tasks_;
  std::array<std::vector<task_id>, streams> streams_;
};

}  // namespace task_history
