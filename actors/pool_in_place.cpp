// The POOL and calls in place: what a caller does himself to an idle pool, together with the stream. Nothing
// here sends anything.

#include <utility>

#include "actors/pool.hpp"

namespace soma::actors {

// Where something is lent streams may have to be asked first, and where idle memory is guarded or given back
// at once there is more to do.
bool pool_state::decides_here() const noexcept {
  return !is_busy() && lenders_.empty() && !retired_ && !settings_.guard;
}

// Only what the first step of the search finds (D11): no other needs to be tried then.
messages::address pool_state::grant_here(memory::request& wanted) {
  const auto rounded = heap_.block_bytes(wanted.asked);
  if (!decides_here() || !rounded) {
    return messages::address::null;
  }
  wanted.rounded = *rounded;
  heap_.set_in_stock(0, 0);
  const auto granted = heap_.reuse(wanted);
  return granted ? granted->block.begin : messages::address::null;
}

bool pool_state::take_back_here(messages::give_back message) {
  if (!decides_here() || lends_next(message) || heap_.index().find_busy(message.block) == nullptr) {
    return false;
  }
  process(message);
  return true;
}

}  // namespace soma::actors
