// The POOL and what it lends: blocks that a stream has freed and may give out again by itself
// (memory/stock.hpp).
//
// To the pool a lent block is busy. It asks for all that is in a stream's stock whenever somebody could see
// the difference: it collects. What comes meanwhile waits in order, as with a grant that is being decided. A
// stream answers at once; then its blocks are idle by the tasks that freed them, as if they had been so all
// the time. Its lease goes on with the blocks that are live, in a new term. What it frees behind its answer
// is to the pool as what is submitted behind: it was not ordered before what is decided.
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
//   L3  Offers, reports and answers of a term that is over mean nothing. A lease that ends does so as a
//   whole:
//       its live blocks are then as those of any stream.
//   L4  A free that was not executed when its block was given back is told when it is.

#include <algorithm>
#include <utility>

#include "actors/pool.hpp"
#include "actors/tracing.hpp"

namespace soma::actors {

// -- who has to be asked before what ------------------------------------------------------------------------

// Of streams that were asked since a moment everything is known that could come before it.
template <class Which>
bool pool_state::collect(Which is_wanted, std::uint64_t since, leases go_on) {
  bool waits = false;
  for (auto& [id, of] : lenders_) {
    if (is_wanted(id, of) && (go_on == leases::end || of.is_asked || of.collected < since)) {
      ask(id, of, go_on, messages::address::null);
      waits = true;
    }
  }
  return waits;
}

bool pool_state::collect_all(std::uint64_t since) {
  return collect([](auto /*id*/, const auto& /*of*/) { return true; }, since, leases::last);
}

bool pool_state::end_all_leases() {
  return collect([](auto /*id*/, const auto& /*of*/) { return true; }, moment_, leases::end);
}

// A lent block that somebody else frees or asks about: is it live, or was it freed before?
bool pool_state::collect_block(messages::address block) {
  const auto of = lender_of(block);
  if (of == lenders_.end()) {
    return false;
  }
  ask(of->first, lenders_[of->first], leases::last, block);
  return true;
}

// A lease from which nothing has been served again and again is not worth asking for.
void pool_state::ask(messages::stream_id id, lender& of, leases go_on, messages::address block) {
  if (std::exchange(of.is_asked, true)) {
    return;
  }
  ++collecting_;
  if (block == messages::address::null) {
    of.collected = moment_;
  }
  of.next_term = go_on == leases::end || useless_terms_ >= few_terms ? 0 : ++last_term_;
  of.asked_block = block;
  post(of.stream, messages::collect_stock{
                      own_.handle(), of.term, of.next_term, undecided_ && undecided_->wish.stream == id,
                      block, answer_to<messages::stock_returned>(own_.handle(), memory::number(id))});
}

bool pool_state::others_lend(messages::stream_id own) const noexcept {
  return lenders_.size() > (lenders_.contains(own) ? 1 : 0);
}

// That of a block of a lease that is over is the end.
pool_state::lenders::const_iterator pool_state::lender_of(messages::address block) const {
  const auto* busy = heap_.index().find_busy(block);
  const auto of = busy == nullptr || busy->lease == 0 ? leases_.end() : leases_.find(busy->lease);
  return of == leases_.end() ? lenders_.end() : lenders_.find(of->second);
}

// L2. What else a grant has to know it asks for when it gets there.
bool pool_state::collect_before(const messages::grant_block& message) {
  if (!others_lend(message.stream)) {
    return false;
  }
  const auto rounded = heap_.block_bytes(message.bytes).value_or(0);
  return heap_.above_high(rounded, message.bytes) &&
         collect([&](auto id, const auto& /*of*/) { return id != message.stream; }, moment_, leases::end);
}

// The stream itself sends only frees of what is not lent to it.
bool pool_state::collect_before(const messages::give_back& message) {
  if (const auto of = lender_of(message.block); of != lenders_.end() && of->first != message.at.stream) {
    return collect_block(message.block);
  }
  return others_lend(message.at.stream) && heap_.above_high() &&
         collect([&](auto id, const auto& /*of*/) { return id != message.at.stream; }, moment_, leases::end);
}

bool pool_state::collect_before(const messages::give_back_now& message) {
  return collect_block(message.block) || (heap_.above_high() && collect_all(moment_));
}

bool pool_state::collect_before(const messages::undo_grant& /*message*/) {
  return heap_.above_high() && collect_all(moment_);
}

// L1. And how much is idle counts where not all of it, and not nothing, may be kept; and how much is
// reserved, before that becomes less.
bool pool_state::collect_before(const messages::host_saw& message) {
  const auto threshold = heap_.release_threshold();
  const bool compares =
      message.release && ((threshold > 0 && threshold < heap_.reserved()) || heap_.reserved_above_high());
  return collect([&](auto id, const auto& of) { return compares || message.seen.of(id) >= of.first; },
                 moment_, leases::last);
}

bool pool_state::collect_before(const messages::find_block& message) {
  return collect_block(message.inside ? heap_.index().find_busy_around(message.block) : message.block);
}

bool pool_state::collect_before(const messages::explain_block& message) {
  return collect_block(message.block);
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
  return collect(
      [&](auto id, const auto& of) {
        return id == wish.stream || rules.opportunistic || (rules.event && wish.ordered.of(id) >= of.first);
      },
      moment_, leases::last);
}

// Where a block may be smaller than a granule, what streams have in their stocks lies in the granules that
// could move, and beside those that get memory.
bool pool_state::collect_for_growth() {
  return settings_.minimum_block < memory::granule_bytes && collect_all(moment_);
}

// -- lending ------------------------------------------------------------------------------------------------

// While messages are traced nothing is lent, so that they tell of each block. A program whose streams hand
// blocks to each other, or that is waited for after each free, has nothing of leases that are collected at
// once: then only one free in a while is lent, to see whether that has changed.
bool pool_state::may_lend(const messages::give_back& message) noexcept {
  constexpr std::uint64_t tried_again = 16;
  if (!message.may_lend || retired_ || settings_.guard || tracing::by_messages_only()) {
    return false;
  }
  return useless_terms_ < few_terms || ++not_lent_ % tried_again == 0;
}

void pool_state::note_use(lender& of) noexcept {
  useless_terms_ = std::exchange(of.has_served, false) ? 0 : useless_terms_ + 1;
}

void pool_state::end_lease(lenders::iterator of) {
  note_use(of->second);
  leases_.erase(of->second.lease);
  lenders_.erase(of);
}

void pool_state::begin_term(lender& of, memory::sequence_number first) noexcept {
  note_use(of);
  of.term = of.next_term;
  of.first = first;
}

messages::block_returned pool_state::lend(messages::give_back& message, const memory::piece& block) {
  auto& of = lenders_[message.at.stream];
  if (of.lease == 0) {
    of.stream = std::move(message.stream);
    of.lease = ++last_term_;
    of.term = of.lease;
    of.first = message.at.sequence;
    leases_.emplace(of.lease, message.at.stream);
  }
  of.last_block = message.block;
  of.last_free = message.at.sequence;
  of.last_executed = message.executed;
  heap_.lend(message.block, of.lease, message.at);
  return {block.bytes, block.requested, of.term};
}

// To a stream that lends, a block is lent from the start, so that not even its first free is a request.
// Returns the term, or 0.
std::uint64_t pool_state::lend_granted(messages::address block) {
  const auto of = lenders_.find(undecided_->wish.stream);
  if (of == lenders_.end() || tracing::by_messages_only()) {
    return 0;
  }
  heap_.lend(block, of->second.lease);
  return of->second.term;
}

// -- what comes back ----------------------------------------------------------------------------------------

// What streams tell counts while something is lent to them; of a term that is over it has been told.
void pool_state::hear(messages::stream_id from, const memory::stock_report& report) {
  const auto of = lenders_.find(from);
  const bool lends = of != lenders_.end() && of->second.term == report.term;
  if (lends) {
    heap_.count_lent(report);
    of->second.has_served = of->second.has_served || report.served > 0;
  }
  heap_.set_in_stock(lends ? report.bytes : 0, lends ? report.requested : 0);
}

// Takes the block that the stream offers if it is better than the piece that is known. It is granted at once
// then, as the best of what the stream freed. That of a term that is over is known already.
bool pool_state::take_offer(std::optional<memory::size_key> known) {
  auto& now = *undecided_;
  const auto offer = std::exchange(now.offer, std::nullopt);
  if (!offer || (known && *known < memory::size_key{offer->bytes, offer->begin})) {
    return false;
  }
  const auto from = now.wish.stream;
  const auto of = lender_of(offer->begin);
  if (of == lenders_.end() || of->first != from) {
    return false;
  }
  streams_.try_emplace(from, of->second.stream);
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
    if (const auto who = lender_of(block.begin); who == lenders_.end() || who->first != from) {
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
  if (const auto who = lender_of(of.last_block); who == lenders_.end() || who->first != from) {
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
  auto& of = found->second;
  of.is_asked = false;
  const auto& told = message.value;
  if (!told) {
    // The stream has ended; what it had it has returned. A free that was settled behind that is still lent.
    streams_.try_emplace(from, of.stream);
    take_unsettled(from, of);
    end_lease(found);
  } else {
    if (told->was_live) {
      hear(from, told->report);
      note_use(of);
    } else {
      take_stock(from, *told);
    }
    end_lending(of.asked_block, {from, told->freed});
    if (told->lasts) {
      begin_term(of, told->next);
    } else if (!told->was_live) {
      end_lease(found);
    }
  }
  if (--collecting_ == 0) {
    collected();
  }
}

// A block that is live. If the stream has given it out by itself, that is how it was served.
void pool_state::end_lending(messages::address block, messages::position freed) {
  if (lender_of(block) == lenders_.end()) {
    return;
  }
  if (freed.sequence != memory::sequence_number::none) {
    heap_.lend(block, 0, freed);
  } else {
    heap_.lend(block, 0);
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
    release_collected(waiting);
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
