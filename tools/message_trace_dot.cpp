#include <cstdlib>
#include <map>

#include "tools/message_trace_views.hpp"

namespace soma::tools {

namespace {

using position = std::pair<std::uint64_t, std::uint64_t>;  // stream and task

std::uint64_t number_behind(const std::string& text, const std::string& word) {
  return text.starts_with(word) ? std::strtoull(text.c_str() + word.size(), nullptr, 10) : 0;
}

class order_graph {
public:
  explicit order_graph(const message_trace& trace) {
    for (const auto& step : trace.steps) {
      take(step);
    }
    for (const auto& step : trace.steps) {
      if (step.what == trace_step::kind::work && step.task != 0) {
        tasks_[{step.stream, step.task}] = step.name;
      }
    }
  }

  [[nodiscard]] std::string text() const {
    std::string all = "digraph order {\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n";
    std::uint64_t stream = 0;
    position before{};
    for (const auto& [task, what] : tasks_) {
      if (task.first != stream) {
        all += stream == 0 ? "" : "  }\n";
        stream = task.first;
        all += "  subgraph cluster_" + std::to_string(stream) + " {\n    label=\"stream " +
               std::to_string(stream) + "\";\n";
        before = {};
      }
      all += "    " + name(task) + " [label=\"" + std::to_string(task.second) + ": " + what + "\"];\n";
      if (before.first != 0) {
        all += "    " + name(before) + " -> " + name(task) + ";\n";
      }
      before = task;
    }
    all += stream == 0 ? "" : "  }\n";
    for (const auto& [edge, label] : edges_) {
      if (tasks_.contains(edge.first) && tasks_.contains(edge.second)) {
        all += "  " + name(edge.first) + " -> " + name(edge.second) + " [label=\"" + label +
               "\", color=blue];\n";
      }
    }
    return all + "}\n";
  }

private:
  static std::string name(const position& task) {
    return "t" + std::to_string(task.first) + "_" + std::to_string(task.second);
  }

  void take(const trace_step& step) {
    const auto stream = number_behind(step.track, "stream ");
    const position accepted{stream, step.accepted};
    if (step.name == "event_recorded") {
      tasks_[{step.stream, step.task}] = "record " + std::to_string(step.record) + " of " + step.track;
    } else if (step.name == "give_back" && step.task != 0) {
      tasks_[{step.stream, step.task}] = "free " + print_address(step.block);
    } else if (step.name == "answered<block_granted>" && !step.has_failed) {
      tasks_[accepted] = "malloc " + print_address(step.block);
      last_malloc_[stream] = accepted;
    } else if (step.name == "answered<record_order>" && !step.has_failed) {
      tasks_[accepted] = "wait for " + step.from;
      if (step.task != 0) {
        edges_[{{step.stream, step.task}, accepted}] = step.from;
      }
    } else if (step.name == "await_task") {
      awaited_of(step);
    }
  }

  // The stream asks while it accepts the malloc, and is asked back when it has: its latest malloc is meant.
  void awaited_of(const trace_step& step) {
    const position awaited{number_behind(step.track, "stream "), step.task};
    const auto malloc = last_malloc_.find(number_behind(step.from, "stream "));
    if (malloc != last_malloc_.end()) {
      edges_[{awaited, malloc->second}] = "inserted wait";
    }
  }

  std::map<position, std::string> tasks_;
  std::map<std::pair<position, position>, std::string> edges_;
  std::map<std::uint64_t, position> last_malloc_;
};

}  // namespace

std::string print_order_graph(const message_trace& trace) { return order_graph(trace).text(); }

}  // namespace soma::tools
