#include "actors/execution.hpp"

namespace soma::actors {

namespace {

thread_local execution_unit* unit_in_use = nullptr;

// How many messages an actor may handle before the next one gets its turn, and how many turns a thread gives
// to actors beyond its own need.
constexpr std::size_t messages_per_turn = 32;
constexpr std::size_t turns = 256;

}  // namespace

execution_unit* current_unit() noexcept { return unit_in_use; }

unit_scope::unit_scope(execution_unit* unit) noexcept : outer_(std::exchange(unit_in_use, unit)) {}

unit_scope::~unit_scope() { unit_in_use = outer_; }

inline_unit::~inline_unit() { hand_over(); }

void inline_unit::exec_later(caf::resumable* ready) { ready_.push_back(ready); }

void inline_unit::run_one() {
  auto* actor = ready_.front();
  ready_.pop_front();
  // The actor makes this its thread's current unit while it runs.
  switch (actor->resume(this, messages_per_turn)) {
  case caf::resumable::resume_later:
    ready_.push_back(actor);
    break;
  case caf::resumable::shutdown_execution_unit:
    break;
  default:  // it waits for its next message, or has ended
    caf::intrusive_ptr_release(actor);
  }
}

void inline_unit::run() {
  for (std::size_t turn = 0; !empty() && turn < turns; ++turn) {
    run_one();
  }
  hand_over();
}

void inline_unit::hand_over() {
  while (!empty()) {
    auto* actor = ready_.front();
    ready_.pop_front();
    messages::give_to_workers(system(), actor);
  }
}

}  // namespace soma::actors
