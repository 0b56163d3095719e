#include "actors/caller.hpp"

namespace soma::actors {

bool inline_caller::send_and_wait(const sender& send, slot_base& answered, deadline limit) {
  turn now(system_);
  {
    const unit_scope scope(now);
    send(&now);
  }
  now.run_for(answered);
  return answered.wait_until(limit);
}

void inline_caller::send(const sender& send) {
  turn now(system_);
  {
    const unit_scope scope(now);
    send(&now);
  }
  now.run();
}

bool worker_caller::send_and_wait(const sender& send, slot_base& answered, deadline limit) {
  send(nullptr);
  return answered.wait_until(limit);
}

void worker_caller::send(const sender& send) { send(nullptr); }

}  // namespace soma::actors
