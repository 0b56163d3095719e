#include "actors/caller.hpp"

namespace soma::actors {

namespace {

// What a caller runs after its own answer has come, before it hands over what is left: waking a worker for a
// message or two would cost more than handling them.
constexpr int turns_after_answer = 16;
constexpr int turns_before_answer = 1024;

}  // namespace

bool inline_caller::send_and_wait(const sender& send, slot_base& answered, deadline limit) {
  inline_unit unit(system_);
  send(&unit);
  // Bounded as well while the answer has not come: others may keep an actor busy for ever, and a deadline
  // counts.
  int turns = 0;
  for (int after_answer = 0;
       !unit.empty() && after_answer < turns_after_answer && turns < turns_before_answer; ++turns) {
    unit.run_one();
    after_answer += answered.filled() ? 1 : 0;
  }
  unit.hand_over();  // a thread that sleeps must not hold anything that others wait for
  return answered.wait_until(limit);
}

void inline_caller::send(const sender& send) {
  inline_unit unit(system_);
  send(&unit);
  unit.run();
}

bool worker_caller::send_and_wait(const sender& send, slot_base& answered, deadline limit) {
  send(nullptr);
  return answered.wait_until(limit);
}

void worker_caller::send(const sender& send) { send(nullptr); }

}  // namespace soma::actors
