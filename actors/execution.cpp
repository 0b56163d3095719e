#include "actors/execution.hpp"

#include <utility>

#include "actors/turn.hpp"

namespace soma::actors {

constinit thread_local execution_unit* of_this_thread::unit_in_use = nullptr;
constinit thread_local turn* of_this_thread::turn_in_use = nullptr;

using of_this_thread::turn_in_use;
using of_this_thread::unit_in_use;

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
