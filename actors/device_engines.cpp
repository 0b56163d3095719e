// The DEVICE's engines: one more is made whenever all are busy, so that a task that blocks never keeps
// another stream from running; idle ones beyond a few end.

#include <algorithm>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "actors/device.hpp"
#include "actors/engine.hpp"

namespace soma::actors {

namespace {

// Why no thread can be started now, or nothing. CAF cannot be asked to try: it takes a thread that does not
// start for one that never ends.
std::optional<std::string> no_thread() noexcept {
  try {
    std::thread([] {}).join();
    return std::nullopt;
  } catch (const std::system_error& refused) {
    return refused.what();
  }
}

}  // namespace

// Where engines are few, a stream that always has more must not keep one from the others.
void device_state::handle(messages::run_tasks& message) {
  if (settings_.engine_limit != 0) {
    message.feed = nullptr;
  }
  runs_.push_back(std::move(message));
  engine_wanted();
}

void device_state::engine_wanted() {
  while (!runs_.empty()) {
    if (idle_engines_.empty() && settings_.engine_limit != 0 && engines_.size() >= settings_.engine_limit) {
      return;
    }
    auto run = std::move(runs_.front());
    runs_.pop_front();
    if (idle_engines_.empty()) {
      start_engine(std::move(run));
    } else {
      const auto idle = std::move(idle_engines_.back());  // the one that was busy last: its thread is warm
      idle_engines_.pop_back();
      post(idle.engine, std::move(run));
    }
  }
}

void device_state::start_engine(messages::run_tasks run) {
  if (const auto why = no_thread()) {
    run.reply(memory::failed(memory::fault_code::system_failure,
                             "the tasks could not be run, since no thread can be started: " + *why));
    return;
  }
  engines_.insert(++last_engine_);
  post(spawn_detached<engine_state>(own_.system(), own_.handle(), last_engine_, settings_.on_failed_task),
       std::move(run));
}

void device_state::stop_longest_idle_engine() {
  const auto idle = std::move(idle_engines_.front());
  idle_engines_.erase(idle_engines_.begin());
  engines_.erase(idle.number);
  post(idle.engine, messages::stop_engine{});
}

void device_state::handle(messages::engine_idle& message) {
  idle_engines_.push_back(std::move(message));
  engine_wanted();
  while (idle_engines_.size() > settings_.kept_engines) {
    stop_longest_idle_engine();
  }
  end_if_drained();
}

void device_state::handle(messages::engine_ended& message) {
  engines_.erase(message.number);
  std::erase_if(idle_engines_, [&](const auto& idle) { return idle.number == message.number; });
  engine_wanted();
  end_if_drained();
}

}  // namespace soma::actors
