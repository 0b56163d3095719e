// The ENGINE: a thread of the device that runs kernels, copies, fills and host functions, in runs of
// consecutive tasks of one stream. The only actor that runs foreign code, and the only one that may block.
//
// Owns: nothing but its thread. Made by the device when all engines are busy, ended by it when idle.
#pragma once

#include <optional>

#include "actors/foreign_code.hpp"
#include "actors/shell.hpp"
#include "messages/all.hpp"

namespace soma::actors {

class engine_state {
public:
  using handle_type = messages::engine_actor;
  static constexpr auto name = "engine";

  engine_state(self<handle_type> own, messages::device_actor device) noexcept
      : own_(own), device_(std::move(device)) {}

  /// An engine that ends by a fault says so: the device counts its engines.
  ~engine_state() {
    if (!stopped_) {
      post(device_, messages::engine_ended{});
    }
  }
  engine_state(const engine_state&) = delete;
  engine_state& operator=(const engine_state&) = delete;

  void handle(messages::run_tasks& message);
  void handle(messages::stop_engine& message);

private:
  self<handle_type> own_;
  messages::device_actor device_;
  bool stopped_ = false;               // by the device
  std::optional<signal_stack> stack_;  // made on the engine's thread, and dropped there
};

}  // namespace soma::actors
