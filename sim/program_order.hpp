// The order of tasks that a program asks for: by streams, events and what its threads have waited for.
//
// Worked out from the text of the scenario alone. Only what holds in every run counts: what one thread
// submits is ordered with what another one submits only where it uses a block or pool of the other's making.
#pragma once

#include <string>
#include <vector>

#include "sim/party.hpp"

namespace soma::sim {

struct program_order {
  /// For each task, by its number, the tasks that are ordered before it.
  std::vector<past> before;
  /// What is wrong with the program itself, if anything: a block is used without order after its alloc or
  /// before its free, or two tasks touch one block without order and one of them writes.
  std::string fault;
};

program_order order_of(const scenario& program);

}  // namespace soma::sim
