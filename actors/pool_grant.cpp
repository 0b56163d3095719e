// The POOL's decision about a grant.

#include <algorithm>
#include <utility>

#include "actors/pool.hpp"
#include "actors/tracing.hpp"

namespace soma::actors {

using memory::joining;
using messages::pressure;
using releasable = memory::ordered_heap::releasable;

void pool_state::process(messages::grant_block& message) {
  hear(message.stream, message.report);
  if (retired_) {
    message.reply(memory::failed(memory::fault_code::actor_gone, "the pool was destroyed"));
    return;
  }
  const auto rounded = heap_.block_bytes(message.bytes);
  if (!rounded) {
    message.reply(tl::unexpected(rounded.error()));
    return;
  }
  undecided_.emplace(memory::request{message.stream, std::move(message.ordered), message.bytes, *rounded},
                     std::move(message.reply));
  undecided_->offer = message.offer;
  undecided_->executed = message.executed;
  if (tracing::is_on()) [[unlikely]] {
    look_around(message);
  }
  decide();
}

void pool_state::decide() {
  while (undecided_ && undecided_->stage != stage::refuse) {
    const auto how = try_stage();
    if (how != outcome::impossible) {
      if (how == outcome::collecting) {
        undecided_->waits_for_stocks = true;
      }
      return;
    }
    auto& now = *undecided_;
    now.stage = stage{static_cast<std::uint8_t>(static_cast<std::uint8_t>(now.stage) + 1)};
    now.device_most = any_amount;
  }
  if (undecided_) {
    refuse();
  }
}

pool_state::outcome pool_state::try_stage() {
  const auto& wish = undecided_->wish;
  const auto may_wait = heap_.reuse_switches().internal;
  switch (undecided_->stage) {
  case stage::reuse:
    if (collect_for_reuse()) {
      return outcome::collecting;
    }
    return take(heap_.reuse(wish));
  case stage::grow:
    if (collect_for_growth()) {
      return outcome::collecting;
    }
    return try_to_grow(pressure::none, joining::reusable);
  case stage::grow_again:
    return try_to_grow(pressure::seen, joining::reusable);
  case stage::wait:
    if (may_wait && collect_all(moment_)) {
      return outcome::collecting;
    }
    return take(heap_.reuse_by_waiting(wish));
  case stage::grow_and_wait:
    return may_wait ? try_to_grow(pressure::seen, joining::all_idle) : outcome::impossible;
  case stage::grow_last:
    if (collect_all(moment_)) {
      return outcome::collecting;
    }
    return try_to_grow(pressure::executed, joining::reusable);
  case stage::grow_last_and_wait:
    return may_wait ? try_to_grow(pressure::executed, joining::all_idle) : outcome::impossible;
  case stage::refuse:
    break;
  }
  return outcome::impossible;
}

pool_state::outcome pool_state::take(std::optional<memory::grant> found) {
  if (!found) {
    return outcome::impossible;
  }
  grant(std::move(*found));
  return outcome::decided;
}

// Each round either finds that there is a place and enough budget, or gives up own idle memory and looks
// again, or asks the device for what is missing and leaves the rest to its answer.
pool_state::outcome pool_state::try_to_grow(pressure allowed, joining with) {
  auto& now = *undecided_;
  const auto which = allowed == pressure::executed ? releasable::executed : releasable::seen;
  const auto give_up = [&](std::uint64_t bytes, memory::range spared) {
    const auto released = allowed == pressure::none ? 0 : release(bytes, which, spared);
    now.credit += released;
    return released > 0;
  };
  // Nothing is given up before it is sure to help: a refusal leaves the pool as it was.
  if (allowed != pressure::none) {
    const auto needed = heap_.needed_after_release(now.wish, which, with);
    if (!needed) {
      return outcome::impossible;
    }
    if (*needed > now.credit) {
      return ask_device(*needed - now.credit, allowed);
    }
  }
  while (true) {
    const auto place = heap_.plan_growth(now.wish, with, allowed == pressure::none ? room() : 0);
    if (!place) {
      if (give_up(heap_.reserved(), {})) {
        continue;
      }
      return outcome::impossible;
    }
    if (const auto over = heap_.over_limit(place->new_bytes); over > 0) {
      if (give_up(over, place->block)) {
        continue;
      }
      return outcome::impossible;
    }
    if (place->new_bytes <= now.credit) {
      return hold(*place, with);
    }
    const auto missing = place->new_bytes - now.credit;
    if (give_up(missing, place->block)) {
      continue;
    }
    return ask_device(missing, allowed);
  }
}

// How much new memory there may be for the request if nothing is given up.
std::uint64_t pool_state::room() const {
  const auto& now = *undecided_;
  const auto budget = now.device_most == any_amount ? any_amount : now.credit + now.device_most;
  return std::min(budget, heap_.limit() - heap_.reserved());
}

pool_state::outcome pool_state::hold(const memory::new_place& place, joining with) {
  auto& now = *undecided_;
  if (auto held = backing_->hold(heap_.without_memory(place)); !held) {
    now.failure = std::move(held.error());
    return outcome::impossible;
  }
  now.credit -= place.new_bytes;
  auto granted = heap_.grow(now.wish, place, with);
  release_departures();
  grant(std::move(granted));
  return outcome::decided;
}

pool_state::outcome pool_state::ask_device(std::uint64_t bytes, pressure allowed) {
  auto& now = *undecided_;
  if (bytes > now.device_most) {
    return outcome::impossible;
  }
  now.asked = bytes;
  post(device_, messages::reserve_memory{settings_.id, bytes, allowed,
                                         answer_to<messages::memory_reserved>(own_.handle())});
  return outcome::asked_device;
}

// A device that has said no can only be asked for less.
void pool_state::handle(messages::answered<messages::memory_reserved>& message) {
  if (!undecided_) {
    return;
  }
  auto& now = *undecided_;
  if (message.value) {
    now.credit += message.value->bytes;
    now.device_left = message.value->left;
    if (message.value->bytes == 0 && now.asked > 0) {
      now.device_most = std::min(message.value->left, now.asked - 1);
    } else if (now.device_most != any_amount) {
      now.device_most = message.value->left;
    }
  } else {
    now.failure = std::move(message.value.error());
    now.device_most = 0;
  }
  decide();
}

void pool_state::look_around(messages::grant_block& message) {
  undecided_->around = std::make_unique<surroundings>(
      surroundings{std::move(message.waits), heap_.look_at_candidates(undecided_->wish)});
}

// The event is that of the taker's first wait that is ordered behind the free.
void pool_state::explain(const memory::grant& granted) {
  const auto& around = *undecided_->around;
  const auto reason = heap_.reason_of(granted.block.begin);
  if (!reason) {
    return;
  }
  messages::traced_grant traced{around.idle};
  if (reason->how == memory::served::event && around.waits != nullptr) {
    const auto covers = [&](const messages::known_wait& wait) {
      return wait.ordered.covers(reason->freed_at) ||
             (wait.at.stream == reason->freed_at.stream && wait.at.sequence >= reason->freed_at.sequence);
    };
    const auto wait = std::find_if(around.waits->begin(), around.waits->end(), covers);
    if (wait != around.waits->end() && !reason->settled) {
      traced.event = wait->event;
      traced.record = wait->number;
    }
  }
  tracing::note_granted(granted.block, *reason, traced);
  traced_[granted.block.begin] = traced;
}

void pool_state::grant(memory::grant granted) {
  unguard(granted.block);
  if (undecided_->around != nullptr) [[unlikely]] {
    explain(granted);
  }
  messages::block_granted answer{granted.block, granted.how, {}, undecided_->took_offer, {}, {}};
  answer.term = lend_granted(granted.block.begin);
  for (const auto& free : granted.wait_for) {
    if (const auto stream = streams_.find(free.stream); stream != streams_.end()) {
      answer.wait_for.push_back({stream->second, free.sequence, free.stream});
    }
  }
  answer.queued = messages::answer<messages::done>([pool = own_.handle(), parts = std::move(granted.parts)](
                                                       const messages::result<messages::done>& queued) {
    if (!queued) {
      post(pool, messages::undo_grant{parts});
    }
  });
  decided(std::move(answer));
}

void pool_state::refuse() {
  auto& now = *undecided_;
  if (now.executed_meanwhile) {  // which may make what was refused possible
    now.executed_meanwhile = false;
    now.stage = stage::reuse;
    now.device_most = any_amount;
    decide();
    return;
  }
  if (now.failure) {
    decided(tl::unexpected(std::move(*now.failure)));
    return;
  }
  if (!now.device_left) {  // refused by the limit; the text also says what the device has
    ask_device(0, pressure::none);
    return;
  }
  auto text = heap_.describe_refusal(now.wish, *now.device_left + now.credit);
  decided(memory::failed(memory::fault_code::out_of_memory, std::move(text)));
}

// The answer goes out when everything else is in its place; then comes what has waited for the decision.
void pool_state::decided(messages::result<messages::block_granted> how) {
  auto now = std::move(*undecided_);
  undecided_.reset();
  return_to_device(now.credit);
  now.reply(std::move(how));
  release_if_retired();
  go_on();
}

// With what has waited in order.
void pool_state::go_on() {
  while (!is_busy() && !queue_.empty()) {
    auto message = std::move(queue_.front());
    queue_.pop_front();
    std::visit([this](auto& ordered) { begin(ordered); }, message);
  }
  end_if_empty();
}

}  // namespace soma::actors
