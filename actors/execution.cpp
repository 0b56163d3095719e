#include "actors/execution.hpp"

#include <utility>

#include "actors/turn.hpp"

namespace soma::actors {

namespace {

// Looked up with each message: the model saves a call into the loader, which a shared library needs
// otherwise.
[[gnu::tls_model("initial-exec")]] thread_local execution_unit* unit_in_use = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local turn* turn_in_use = nullptr;

}  // namespace

execution_unit* current_unit() noexcept { return unit_in_use; }

turn* current_turn() noexcept { return turn_in_use; }

unit_scope::unit_scope(execution_unit* unit) noexcept
    : outer_unit_(std::exchange(unit_in_use, unit)), outer_turn_(turn_in_use) {
  if (turn_in_use != unit) {
    turn_in_use = nullptr;
  }
}

unit_scope::unit_scope(turn& now) noexcept
    : outer_unit_(std::exchange(unit_in_use, &now)), outer_turn_(std::exchange(turn_in_use, &now)) {}

unit_scope::~unit_scope() {
  unit_in_use = outer_unit_;
  turn_in_use = outer_turn_;
}

}  // namespace soma::actors
