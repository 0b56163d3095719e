// The DEVICE's engines: one more is made whenever all are busy, so that a task that blocks never keeps
// another stream from running; idle ones beyond a few end.

#include <utility>

#include "actors/device.hpp"
#include "actors/engine.hpp"

namespace soma::actors {

void device_state::handle(messages::run_tasks& message) {
  runs_.push_back(std::move(message));
  engine_wanted();
}

void device_state::engine_wanted() {
  while (!runs_.empty()) {
    if (!idle_engines_.empty()) {
      const auto engine = std::move(idle_engines_.back());  // the one that was busy last: its thread is warm
      idle_engines_.pop_back();
      post(engine, std::move(runs_.front()));
    } else if (settings_.engine_limit == 0 || engines_ < settings_.engine_limit) {
      ++engines_;
      post(spawn_detached<engine_state>(own_.system(), own_.handle()), std::move(runs_.front()));
    } else {
      return;
    }
    runs_.pop_front();
  }
}

void device_state::handle(messages::engine_idle& message) {
  idle_engines_.push_back(std::move(message.engine));
  engine_wanted();
  while (idle_engines_.size() > settings_.kept_engines) {
    const auto engine = std::move(idle_engines_.front());
    idle_engines_.erase(idle_engines_.begin());
    --engines_;
    post(engine, messages::stop_engine{});
  }
  end_if_drained();
}

void device_state::handle(messages::engine_ended& /*message*/) {
  --engines_;
  engine_wanted();
  end_if_drained();
}

}  // namespace soma::actors
