// The POOL: everything but the decision about a grant, which is in pool_grant.cpp.

#include "actors/pool.hpp"

#include <algorithm>
#include <utility>

#include "memory/sizes.hpp"

namespace soma::actors {

using memory::fault_code;
using releasable = memory::ordered_heap::releasable;

pool_state::pool_state(self<handle_type> own, const pool_settings& settings, messages::device_actor device,
                       std::shared_ptr<memory::backing> backing)
    : own_(own), settings_(settings), device_(std::move(device)), backing_(std::move(backing)),
      heap_(settings.window, settings.limit, settings.minimum_block) {
  heap_.set_reuse_switches(settings.reuse);
  heap_.set_release_threshold(settings.release_threshold);
}

namespace {

bool has_memory(const memory::piece& of) {
  return of.state == memory::piece_state::idle || of.state == memory::piece_state::busy;
}

}  // namespace

// A pool that ends, of whatever reason, leaves nothing behind in the system; the device sees to the budget.
pool_state::~pool_state() {
  bool clean = true;
  std::uint64_t held = 0;
  for (const auto& [begin, piece] : heap_.index().pieces()) {
    held += has_memory(piece) ? piece.bytes : 0;
  }
  if (held > 0) {
    // Guards need not be taken off: what is released is inaccessible.
    // Granules with anything in them lie between pieces without memory; releasing them one stretch at a time.
    memory::range stretch{};
    const auto give_up = [&] {
      if (stretch.bytes > 0) {
        clean = backing_->release(stretch).has_value() && clean;
      }
      stretch = {};
    };
    for (const auto& [begin, piece] : heap_.index().pieces()) {
      if (!has_memory(piece)) {
        give_up();
      } else if (stretch.bytes == 0) {
        stretch = {begin, piece.bytes};
      } else {
        stretch.bytes += piece.bytes;
      }
    }
    give_up();
  }
  for (const auto granules : heap_.departing().all()) {
    clean = backing_->release(granules).has_value() && clean;
  }
  post(device_, messages::pool_ended{settings_.id, clean});
}

// -- freeing ------------------------------------------------------------------------------------------------

void pool_state::process(messages::give_back& message) { message.reply(take_back(message)); }

messages::result<messages::block_returned> pool_state::take_back(messages::give_back& message) {
  hear(message.at.stream, message.report);
  if (may_lend(message)) {
    if (const auto* block = heap_.index().find_busy(message.block)) {
      return lend(message, *block);
    }
  }
  const auto freed = heap_.give_back(message.block, message.at);
  if (!freed) {
    return tl::unexpected(freed.error());
  }
  forget_explanation(message.block);
  streams_.try_emplace(message.at.stream, std::move(message.stream));
  if (message.executed) {
    free_was_executed(message.at);
    release_if_retired();
  }
  return messages::block_returned{*freed};
}

void pool_state::process(messages::give_back_now& message) {
  const auto freed = heap_.give_back(message.block, {});
  if (!freed) {
    message.reply(tl::unexpected(freed.error()));
    return;
  }
  forget_explanation(message.block);
  release_if_retired();
  guard_idle();
  message.reply(messages::block_returned{*freed});
}

void pool_state::process(messages::undo_grant& message) {
  heap_.take_back(message.parts);
  forget_explanation(message.parts.front().where.begin);
  // The host may have seen a free meanwhile that the heap has forgotten.
  messages::order_clock freed;
  for (const auto& part : message.parts) {
    if (part.freed_at.stream != messages::stream_id::none) {
      freed.add(part.freed_at);
    }
  }
  ask_what_is_seen(std::move(freed));
  release_if_retired();
}

void pool_state::free_was_executed(memory::position at) {
  heap_.executed(at);
  release_departures();
  guard_idle();
}

void pool_state::handle(messages::free_executed& message) {
  free_was_executed(message.at);
  if (undecided_) {
    undecided_->executed_meanwhile = true;
  } else {
    release_if_retired();
    end_if_empty();
  }
}

void pool_state::process(messages::host_saw& message) {
  heap_.saw(message.seen);
  release_departures();
  forget_settled_streams();
  if (heap_.seen().size() >= long_clock_) {
    long_clock_ = ~std::size_t{0};  // until the answer is there
    ask_what_is_seen(heap_.seen());
  }
  if (message.release) {
    return_to_device(release(heap_.above_threshold(), releasable::seen));
  }
  release_if_retired();
  message.reply(messages::done{});
}

// Handles are kept only of streams that a taker may have to wait for.
void pool_state::forget_settled_streams() {
  std::erase_if(streams_, [&](const auto& entry) { return !heap_.index().has_unsettled(entry.first); });
}

void pool_state::ask_what_is_seen(messages::order_clock tasks) {
  if (!tasks.empty()) {
    post(device_, messages::find_seen{std::move(tasks), answer_to<messages::tasks_seen>(own_.handle())});
  }
}

void pool_state::handle(messages::answered<messages::tasks_seen>& message) {
  if (message.value) {
    heap_.saw(message.value->seen);
    release_departures();
    heap_.forget_seen(message.value->seen);
    long_clock_ = std::max(memory::long_clock, 2 * heap_.seen().size());
  }
}

// -- guarding -----------------------------------------------------------------------------------------------

// A guard that the system refuses (it allows a number of mappings) is one stray access less that is caught.
void pool_state::guard_idle() {
  if (!settings_.guard) {
    return;
  }
  for (const auto granules : heap_.plan_release(heap_.reserved(), releasable::executed)) {
    for (auto at = granules.begin; at < granules.end(); at = at + memory::granule_bytes) {
      if (!guarded_.contains(at) && backing_->guard({at, memory::granule_bytes})) {
        guarded_.insert(at);
      }
    }
  }
}

// What a block gets is accessible from its grant on.
void pool_state::unguard(memory::range part) {
  const memory::address first{memory::round_down(memory::number(part.begin), memory::granule_bytes)};
  auto at = guarded_.lower_bound(first);
  while (at != guarded_.end() && *at < part.end()) {
    static_cast<void>(backing_->unguard({*at, memory::granule_bytes}));
    at = guarded_.erase(at);
  }
}

// -- giving memory up ---------------------------------------------------------------------------------------

// Gives idle granules back to the system, those under `spared` last; returns how many bytes. The budget is
// the caller's affair.
std::uint64_t pool_state::release(std::uint64_t bytes, releasable which, memory::range spared) {
  std::uint64_t released = 0;
  for (const auto granules : heap_.plan_release(bytes, which, spared)) {
    if (backing_->release(granules)) {  // otherwise the memory simply stays idle
      heap_.released(granules);
      released += granules.bytes;
      guarded_.erase(guarded_.lower_bound(granules.begin), guarded_.lower_bound(granules.end()));
    }
  }
  return released;
}

// Memory that was moved away counts no more; its addresses are let go of when nothing can touch them any
// more. What the system refuses is tried again at the next occasion.
void pool_state::release_departures() {
  if (heap_.departing().empty()) {
    return;
  }
  for (const auto granules : heap_.departures()) {
    if (backing_->release(granules)) {
      heap_.departed(granules);
      guarded_.erase(guarded_.lower_bound(granules.begin), guarded_.lower_bound(granules.end()));
    }
  }
}

void pool_state::return_to_device(std::uint64_t bytes) {
  if (bytes > 0) {
    post(device_, messages::return_memory{settings_.id, bytes});
  }
}

// The device waits for the answer, and takes the bytes from it. What the host has seen is in no stock (L1).
void pool_state::handle(messages::release_idle& message) {
  waiting_release begun{std::move(message), ++moment_};
  release_collected(begun);
}

void pool_state::release_collected(waiting_release& waiting) {
  auto& message = waiting.message;
  if ((message.which == releasable::executed || heap_.reserved_above_high()) && collect_all(waiting.since)) {
    releases_.push_back(std::move(waiting));
    return;
  }
  message.reply(messages::memory_released{release(message.bytes, message.which)});
}

void pool_state::process(messages::trim_pool& message) {
  if (message.keep > heap_.limit()) {
    message.reply(memory::failed(fault_code::invalid_argument, "trimming to " +
                                                                   memory::describe_bytes(message.keep) +
                                                                   ", which is above the pool's limit of " +
                                                                   memory::describe_bytes(heap_.limit())));
    return;
  }
  return_to_device(release(heap_.above(message.keep), releasable::executed));
  message.reply(messages::done{});
}

// -- settings and figures -----------------------------------------------------------------------------------

void pool_state::process(messages::change_setting& message) {
  auto switches = heap_.reuse_switches();
  switch (message.which) {
  case messages::setting::reuse_event:
    switches.event = message.value != 0;
    break;
  case messages::setting::reuse_opportunistic:
    switches.opportunistic = message.value != 0;
    break;
  case messages::setting::reuse_internal:
    switches.internal = message.value != 0;
    break;
  case messages::setting::release_threshold:
    heap_.set_release_threshold(message.value);
    break;
  case messages::setting::reserved_high:
  case messages::setting::used_high:
    if (message.value != 0) {
      message.reply(memory::failed(fault_code::invalid_argument, "a high mark can only be set to 0, not to " +
                                                                     std::to_string(message.value)));
      return;
    }
    if (message.which == messages::setting::used_high) {
      heap_.reset_used_high();
    } else {
      heap_.reset_reserved_high();
    }
    break;
  }
  heap_.set_reuse_switches(switches);
  message.reply(messages::done{});
}

void pool_state::process(messages::read_figures& message) {
  message.reply(messages::pool_figures{heap_.figures(), heap_.reuse_switches(), heap_.release_threshold()});
}

void pool_state::process(messages::read_largest& message) {
  message.reply(heap_.largest_available(message.stream, message.ordered, message.device_free));
}

void pool_state::process(messages::find_block& message) {
  const auto block = message.inside ? heap_.index().find_busy_around(message.block) : message.block;
  const auto* busy = heap_.index().find_busy(block);
  if (busy == nullptr) {
    message.reply(memory::failed(fault_code::unknown_address, "no live block of the pool starts here"));
    return;
  }
  message.reply(messages::found_block{busy->bytes, busy->requested, block});
}

void pool_state::process(messages::explain_block& message) {
  const auto reason = heap_.reason_of(message.block);
  if (!reason) {
    message.reply(memory::failed(fault_code::unknown_address, "no live block of the pool starts here"));
    return;
  }
  messages::block_explanation found{*reason, heap_.index().find_busy(message.block)->bytes, {}};
  if (const auto traced = traced_.find(message.block); traced != traced_.end()) {
    found.traced = traced->second;
  }
  message.reply(std::move(found));
}

// -- the end ------------------------------------------------------------------------------------------------

void pool_state::process(messages::retire_pool& /*message*/) {
  retired_ = true;
  release_if_retired();
}

void pool_state::release_if_retired() {
  if (retired_) {
    return_to_device(release(heap_.reserved(), releasable::executed));
  }
}

void pool_state::end_if_empty() {
  const bool is_touched = heap_.departing().is_awaited();
  if (retired_ && !undecided_ && heap_.reserved() == 0 && !is_touched && !std::exchange(ended_, true)) {
    own_.quit();
  }
}

void pool_state::handle(messages::abandon_pool& /*message*/) {
  if (!std::exchange(ended_, true)) {
    own_.quit();
  }
}

}  // namespace soma::actors
