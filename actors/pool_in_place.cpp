// The POOL and calls in place: what a stream that is called in place does itself to an idle pool. Nothing
// here sends anything.

#include <cassert>
#include <utility>

#include "actors/pool.hpp"

namespace soma::actors {

// Where something is lent to other streams they may have to be asked first, and where idle memory is guarded
// or given back at once there is more to do.
bool pool_state::decides_here(messages::stream_id asker) const noexcept {
  return !is_busy() && !others_lend(asker) && !retired_ && !settings_.guard;
}

// Only what the first step of the search finds (D11): no other needs to be tried then. If something is lent
// to the stream, only the best of what it freed, if that is known without asking it.
std::optional<messages::block_granted> pool_state::grant_here(messages::grant_block& message) {
  const auto rounded = heap_.block_bytes(message.bytes);
  if (!rounded || !decides_here(message.stream)) {
    return std::nullopt;
  }
  const bool lends = !lenders_.empty();
  const auto known = lends ? heap_.index().best_own(*rounded, message.stream) : std::nullopt;
  const bool offers = message.offer && lender_of(message.offer->begin) != lenders_.end();
  if (lends && !known && !offers) {
    return std::nullopt;
  }
  hear(message.stream, message.report);
  undecided_.emplace(memory::request{message.stream, message.ordered, message.bytes, *rounded},
                     messages::answer<messages::block_granted>{});
  undecided_->offer = message.offer;
  undecided_->executed = message.executed;
  const bool took_offer = lends && take_offer(known);
  const auto found = heap_.reuse(undecided_->wish);
  assert(found || !lends);
  std::optional<messages::block_granted> granted;
  if (found) {
    granted.emplace(messages::block_granted{
        found->block, found->how, {}, took_offer, lend_granted(found->block.begin), {}});
  }
  undecided_.reset();
  return granted;
}

std::optional<messages::block_returned> pool_state::take_back_here(messages::give_back& message) {
  if (!decides_here(message.at.stream) || heap_.index().find_busy(message.block) == nullptr ||
      lender_of(message.block) != lenders_.end()) {
    return std::nullopt;
  }
  auto returned = take_back(message);
  return returned ? std::optional(*returned) : std::nullopt;
}

}  // namespace soma::actors
