// The POOL and what it lends: blocks that a stream has freed and may give out again by itself
// (memory/stock.hpp).
//
// To the pool a lent block is busy. It asks for it, and for all that is lent to the stream, whenever somebody
// could see the difference: it collects. What comes meanwhile waits in order, as with a grant that is being
// decided. A stream answers at once; then nothing is lent to it, and its blocks are idle by the tasks that
// freed them, as if they had been so all the time.
//
// Invariants (docs/architecture.md says where they are tested):
//   L1  Every free in a stock, and every one that may come into it, is later than all that the host has seen
//   of its
//       stream, and not before `first` of the lender.
//   L2  used is what is busy less what is in stocks. While more is busy than was ever used (above_high), one
//   stream at
//       most lends. It tells with everything that it sends how little was in its stock when it served from
//       it, so that the high marks are exact. While more than one lends, no mark is passed even if all stocks
//       are empty.
//   L3  A lease ends as a whole: who lends nothing has no stock, and live blocks are then as those of any
//   stream.
//       Offers and answers of a lease that is over mean nothing.
//   L4  A free that was not executed when its block was given back is told when it is.

#include <algorithm>
#include <utility>

#include "actors/pool.hpp"
#include "actors/tracing.hpp"

namespace soma::actors {

// -- who has to be asked before what ------------------------------------------------------------------------

template <class Which>
bool pool_state::collect(Which is_wanted) {
  bool waits = false;
  for (auto& [id, of] : lenders_) {
    if (!is_wanted(id, of)) {
      continue;
    }
    waits = true;
    if (!std::exchange(of.is_asked, true)) {
      ++collecting_;
      post(of.stream,
           messages::collect_stock{own_.handle(), of.lease, undecided_ && undecided_->wish.stream == id,
                                   answer_to<messages::stock_returned>(own_.handle(), memory::number(id))});
    }
  }
  return waits;
}

bool pool_state::collect_all() {
  return collect([](auto /*id*/, const auto& /*of*/) { return true; });
}

bool pool_state::others_lend(messages::stream_id own) const noexcept {
  return lenders_.size() > (lenders_.contains(own) ? 1 : 0);
}

const pool_state::lender* pool_state::lender_of(messages::address block, messages::stream_id* who) const {
  const auto* busy = heap_.index().find_busy(block);
  if (busy == nullptr || busy->lease == 0) {
    return nullptr;
  }
  const auto found = lenders_.find(busy->freed_at.stream);
  if (found == lenders_.end() || found->second.lease != busy->lease) {
    return nullptr;  // of a lease that is over
  }
  if (who != nullptr) {
    *who = found->first;
  }
  return &found->second;
}

// L2. What else a grant has to know it asks for when it gets there.
bool pool_state::collect_before(const messages::grant_block& message) {
  if (!others_lend(message.stream)) {
    return false;
  }
  const auto rounded = heap_.block_bytes(message.bytes).value_or(0);
  return heap_.above_high(rounded, message.bytes) &&
         collect([&](auto id, const auto& /*of*/) { return id != message.stream; });
}

// A block that is lent to another stream: is it live, or was it freed before?
bool pool_state::collect_before(const messages::give_back& message) {
  auto who = messages::stream_id::none;
  if (lender_of(message.block, &who) != nullptr) {
    return collect([&](auto id, const auto& /*of*/) { return id == who; });
  }
  return others_lend(message.at.stream) && heap_.above_high() &&
         collect([&](auto id, const auto& /*of*/) { return id != message.at.stream; });
}

bool pool_state::collect_before(const messages::give_back_now& message) {
  const auto* of = lender_of(message.block);
  return (of != nullptr || heap_.above_high()) &&
         collect([&](auto /*id*/, const auto& one) { return &one == of || heap_.above_high(); });
}

bool pool_state::collect_before(const messages::undo_grant& /*message*/) {
  return heap_.above_high() && collect_all();
}

// L1. And how much is idle counts where not all of it, and not nothing, may be kept; and how much is
// reserved, before that becomes less.
bool pool_state::collect_before(const messages::host_saw& message) {
  const auto threshold = heap_.release_threshold();
  const bool compares =
      message.release && ((threshold > 0 && threshold < heap_.reserved()) || heap_.reserved_above_high());
  return collect([&](auto id, const auto& of) { return compares || message.seen.of(id) >= of.first; });
}

bool pool_state::collect_before(const messages::find_block& message) {
  const auto* of = lender_of(message.block);
  return of != nullptr && collect([&](auto /*id*/, const auto& one) { return &one == of; });
}

// What one piece that the stream freed can serve is served without asking: the best block of its stock is
// known. Otherwise all must be known that the rules of this step may take, of the stream itself because of
// runs of neighbours.
bool pool_state::collect_for_reuse() {
  if (lenders_.empty()) {
    return false;
  }
  const auto& wish = undecided_->wish;
  const auto known = heap_.index().best_own(wish.rounded, wish.stream);
  if (take_offer(known) || known) {
    return false;
  }
  const auto rules = heap_.reuse_switches();
  return collect([&](auto id, const auto& of) {
    return id == wish.stream || rules.opportunistic || (rules.event && wish.ordered.of(id) >= of.first);
  });
}

// Where a block may be smaller than a granule, what streams have in their stocks lies in the granules that
// could move, and beside those that get memory.
bool pool_state::collect_for_growth() {
  return settings_.minimum_block < memory::granule_bytes && collect_all();
}

// -- lending ------------------------------------------------------------------------------------------------

// While messages are traced nothing is lent, so that they tell of each block. A program whose streams hand
// blocks to each other, or that is waited for after each free, has nothing of leases that are collected at
// once: then only one free in a while is lent, to see whether that has changed.
bool pool_state::may_lend(const messages::give_back& message) noexcept {
  constexpr std::uint64_t few = 8;
  constexpr std::uint64_t tried_again = 16;
  if (!message.may_lend || retired_ || settings_.guard || tracing::by_messages_only()) {
    return false;
  }
  return useless_leases_ < few || ++not_lent_ % tried_again == 0;
}

void pool_state::end_lease(lenders::iterator of) {
  useless_leases_ = of->second.has_served ? 0 : useless_leases_ + 1;
  lenders_.erase(of);
}

messages::block_returned pool_state::lend(messages::give_back& message, const memory::piece& block) {
  auto& of = lenders_[message.at.stream];
  if (of.lease == 0) {
    of.stream = std::move(message.stream);
    of.lease = ++last_lease_;
    of.first = message.at.sequence;
  }
  of.last_block = message.block;
  of.last_free = message.at.sequence;
  of.last_executed = message.executed;
  heap_.lend(message.block, message.at, of.lease);
  return {block.bytes, block.requested, of.lease};
}

// -- what comes back ----------------------------------------------------------------------------------------

// What streams tell counts while something is lent to them; of a lease that is over it has been told.
void pool_state::hear(messages::stream_id from, const memory::stock_report& report) {
  const auto of = lenders_.find(from);
  const bool lends = of != lenders_.end();
  if (lends) {
    heap_.count_lent(report);
    of->second.has_served = of->second.has_served || report.served > 0;
  }
  heap_.set_in_stock(lends ? report.bytes : 0, lends ? report.requested : 0);
}

// Takes the block that the stream offers if it is better than the piece that is known. It is granted at once
// then, as the best of what the stream freed. That of a lease that is over is known already.
bool pool_state::take_offer(std::optional<memory::size_key> known) {
  auto& now = *undecided_;
  const auto offer = std::exchange(now.offer, std::nullopt);
  auto from = messages::stream_id::none;
  if (!offer || (known && *known < memory::size_key{offer->bytes, offer->begin}) ||
      lender_of(offer->begin, &from) == nullptr || from != now.wish.stream) {
    return false;
  }
  const auto& of = lenders_[from];
  streams_.try_emplace(from, of.stream);
  const messages::position freed{from, offer->freed};
  static_cast<void>(heap_.give_back(offer->begin, freed));
  heap_.keep_in_stock_less(offer->bytes, offer->requested);
  if (freed.sequence <= now.executed) {
    free_was_executed(freed);
  }
  now.took_offer = true;
  return true;
}

void pool_state::take_stock(messages::stream_id from, const messages::stock_returned& stock) {
  const auto found = lenders_.find(from);
  if (found == lenders_.end()) {
    return;
  }
  const auto& of = found->second;
  hear(from, stock.report);
  heap_.set_in_stock(0, 0);
  auto executed = memory::sequence_number::none;
  for (const auto& block : stock.blocks) {
    auto who = messages::stream_id::none;
    if (lender_of(block.begin, &who) == nullptr || who != from) {
      continue;
    }
    static_cast<void>(heap_.give_back(block.begin, {from, block.freed}));
    if (block.freed <= stock.executed) {
      executed = std::max(executed, block.freed);
    }
  }
  if (stock.unsettled != memory::sequence_number::none && stock.unsettled == of.last_free) {
    take_unsettled(from, of);
  }
  streams_.try_emplace(from, of.stream);
  if (executed != memory::sequence_number::none) {
    free_was_executed({from, executed});
  }
}

// The stream has not heard that the block was lent, and does not keep it.
void pool_state::take_unsettled(messages::stream_id from, const lender& of) {
  auto who = messages::stream_id::none;
  if (lender_of(of.last_block, &who) == nullptr || who != from) {
    return;
  }
  static_cast<void>(heap_.give_back(of.last_block, {from, of.last_free}));
  if (of.last_executed) {
    free_was_executed({from, of.last_free});
  }
}

void pool_state::handle(messages::answered<messages::stock_returned>& message) {
  const messages::stream_id from{message.ticket};
  const auto found = lenders_.find(from);
  if (found == lenders_.end() || !found->second.is_asked) {
    return;
  }
  if (message.value) {
    take_stock(from, *message.value);
  } else {
    // The stream has ended; what it had it has returned. A free that was settled behind that is still lent.
    streams_.try_emplace(from, found->second.stream);
    take_unsettled(from, found->second);
  }
  end_lease(found);
  if (--collecting_ == 0) {
    collected();
  }
}

// Blocks that are too many for the stream, or all that it has.
void pool_state::handle(messages::return_stock& message) {
  take_stock(message.stream, message.stock);
  const auto found = lenders_.find(message.stream);
  if (message.all && found != lenders_.end()) {
    found->second.last_block = messages::address::null;
    if (!found->second.is_asked) {
      end_lease(found);
    }
  }
  if (undecided_) {
    undecided_->executed_meanwhile = true;
  }
}

void pool_state::collected() {
  for (auto& waiting : std::exchange(releases_, {})) {
    handle(waiting);
  }
  if (undecided_) {
    if (std::exchange(undecided_->waits_for_stocks, false)) {
      decide();
    }
    return;
  }
  if (auto message = std::exchange(parked_, std::nullopt)) {
    std::visit([this](auto& ordered) { start(ordered); }, *message);
  }
  go_on();
}

}  // namespace soma::actors
