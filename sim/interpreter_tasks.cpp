// The tasks and gates of a scenario.

#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/interpreter.hpp"

namespace soma::sim {

void interpreter::submit(const statement& one) {
  auto& submitted = tasks_[task_of_[static_cast<std::size_t>(&one - program_.statements.data())]];
  if (one.gate.index != no_index) {
    gates_[one.gate.index].held = &submitted;
  }
  tell([&](checker& one_checker) { one_checker.submits(submitted); });
  std::vector<soma::access> uses;
  for (const auto& used : one.accesses) {
    if (used.how != access::kind::mark) {
      const auto& memory = blocks_[used.what.index].memory;
      uses.push_back({reinterpret_cast<const void*>(memory::number(memory.begin)),  // NOLINT: device memory
                      memory.bytes, used.how == access::kind::write});
    }
  }
  judge(one, streams_[one.stream.index].call(task_call(&body_, &submitted), uses, place_of(one)));
}

bool interpreter::is_open(const task& of) const {
  return of.what->gate.index == no_index || gates_[of.what->gate.index].open;
}

void interpreter::open(gate_state& opened) {
  if (!std::exchange(opened.open, true)) {
    opened.opened = world_.present();
  }
}

void interpreter::open_all_gates() {
  for (auto& one : gates_) {
    open(one);
  }
}

void interpreter::run_task(task& running) {
  if (std::exchange(running.ahead, false)) {
    if (running.failure) {
      throw std::runtime_error(running.failure->text);
    }
    return;
  }
  const auto& what = *running.what;
  running.started = true;
  auto& present = world_.present();
  if (what.gate.index != no_index) {
    present |= gates_[what.gate.index].opened;
  }
  world_.note({log_entry::kind::runs, &world_.running_party(), nullptr, nullptr, &what});
  tell([&](checker& one) { one.begins(running, present); });
  for (const auto& access : what.accesses) {
    if (access.how != access::kind::mark) {
      tell([&](checker& one) { one.touches(running, access, blocks_[access.what.index], present); });
    }
  }
  present.set(running.number);
  for (const auto& access : what.accesses) {
    if (access.how == access::kind::mark) {
      marks_[access.what.index].set = true;
      marks_[access.what.index].before = present;
    }
  }
  running.done = true;
}

}  // namespace soma::sim
