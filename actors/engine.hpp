// The ENGINE: a thread of the device that runs kernels, copies, fills and host functions, in runs of
// consecutive tasks of one stream. The only actor that runs foreign code, and the only one that may block.
//
// Owns: nothing but its thread. Made by the device when all engines are busy, ended by it when idle.
#pragma once

#include <cstdint>
#include <utility>

#include "actors/shell.hpp"
#include "messages/all.hpp"

namespace soma::actors {

class engine_state {
public:
  using handle_type = messages::engine_actor;
  static constexpr auto name = "engine";

  /// `listener` is told of tasks that fail; null if nobody wants to know.
  engine_state(self<handle_type> own, messages::device_actor device, std::uint64_t number,
               std::shared_ptr<const messages::failure_listener> listener = nullptr) noexcept
      : own_(own), device_(std::move(device)), number_(number), listener_(std::move(listener)) {}

  /// An engine that ends by a fault says so: the device counts its engines.
  ~engine_state() {
    if (!stopped_) {
      post(device_, messages::engine_ended{number_});
    }
  }
  engine_state(const engine_state&) = delete;
  engine_state& operator=(const engine_state&) = delete;

  [[nodiscard]] std::uint64_t label() const noexcept { return number_; }

  void handle(messages::run_tasks& message);
  void handle(messages::stop_engine& message);

private:
  [[nodiscard]] bool execute(const messages::run_tasks& run, messages::work& task,
                             messages::tasks_run& how) const;
  [[nodiscard]] messages::tasks_run execute_all(messages::run_tasks& run) const;
  void execute_fed(const messages::run_tasks& run, messages::tasks_run& how) const;
  void tell_failure(const messages::run_tasks& run, const messages::work& task, std::size_t index,
                    const messages::fault& why) const;

  self<handle_type> own_;
  messages::device_actor device_;
  std::uint64_t number_;  // as the device counts its engines
  std::shared_ptr<const messages::failure_listener> listener_;
  memory::position next_;  // what comes behind the last run
  bool stopped_ = false;   // by the device
};

}  // namespace soma::actors
