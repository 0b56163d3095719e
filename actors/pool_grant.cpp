// The POOL's decision about a grant.

#include <utility>

#include "actors/pool.hpp"

namespace soma::actors {

using messages::pressure;
using releasable = memory::ordered_heap::releasable;

void pool_state::process(messages::grant_block& message) {
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
  decide();
}

void pool_state::decide() {
  while (undecided_) {
    auto& now = *undecided_;
    auto how = outcome::impossible;
    switch (now.stage) {
    case stage::reuse:
    case stage::wait:
      if (auto found = now.stage == stage::reuse ? heap_.reuse(now.wish) : heap_.reuse_by_waiting(now.wish)) {
        grant(*found);
        return;
      }
      break;
    case stage::grow:
      how = try_to_grow(pressure::none);
      break;
    case stage::grow_again:
      how = try_to_grow(pressure::seen);
      break;
    case stage::grow_last:
      how = try_to_grow(pressure::executed);
      break;
    case stage::refuse:
      refuse();
      return;
    }
    if (how != outcome::impossible) {
      return;
    }
    now.stage = stage{static_cast<std::uint8_t>(static_cast<std::uint8_t>(now.stage) + 1)};
    now.refused = false;
  }
}

// Each round either finds that there is a place and enough budget, or gives up own idle memory and looks
// again, or asks the device for what is missing and leaves the rest to its answer.
pool_state::outcome pool_state::try_to_grow(pressure allowed) {
  auto& now = *undecided_;
  const auto which = allowed == pressure::executed ? releasable::executed : releasable::seen;
  const auto give_up = [&](std::uint64_t bytes) {
    const auto released = allowed == pressure::none ? 0 : release(bytes, which);
    now.credit += released;
    return released > 0;
  };
  // Nothing is given up before it is sure to help: a refusal leaves the pool as it was.
  if (allowed != pressure::none) {
    const auto needed = heap_.needed_after_release(now.wish, which);
    if (!needed || (*needed > now.credit && now.refused)) {
      return outcome::impossible;
    }
    if (*needed > now.credit) {
      return ask_device(*needed - now.credit, allowed);
    }
  }
  while (true) {
    const auto place = heap_.plan_growth(now.wish);
    if (!place) {
      if (give_up(heap_.reserved())) {
        continue;
      }
      return outcome::impossible;
    }
    if (const auto over = heap_.over_limit(place->held.bytes); over > 0) {
      if (give_up(over)) {
        continue;
      }
      return outcome::impossible;
    }
    if (place->held.bytes <= now.credit) {
      if (auto held = backing_->hold(place->held); !held) {
        now.failure = std::move(held.error());
        return outcome::impossible;
      }
      now.credit -= place->held.bytes;
      grant(heap_.grow(now.wish, *place));
      return outcome::decided;
    }
    const auto missing = place->held.bytes - now.credit;
    if (give_up(missing)) {
      continue;
    }
    if (now.refused) {
      return outcome::impossible;
    }
    return ask_device(missing, allowed);
  }
}

pool_state::outcome pool_state::ask_device(std::uint64_t bytes, pressure allowed) {
  post(device_, messages::reserve_memory{settings_.id, bytes, allowed,
                                         answer_to<messages::memory_reserved>(own_.handle())});
  return outcome::asked_device;
}

void pool_state::handle(messages::answered<messages::memory_reserved>& message) {
  if (!undecided_) {
    return;
  }
  auto& now = *undecided_;
  if (message.value) {
    now.credit += message.value->bytes;
    now.device_left = message.value->left;
    now.refused = message.value->bytes == 0;
  } else {
    now.failure = std::move(message.value.error());
    now.refused = true;
  }
  decide();
}

void pool_state::grant(memory::grant granted) {
  unguard(granted.block);
  messages::block_granted answer{granted.block, granted.how, {}, {}};
  for (const auto& free : granted.wait_for) {
    if (const auto stream = streams_.find(free.stream); stream != streams_.end()) {
      answer.wait_for.push_back({stream->second, free.sequence});
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
    now.refused = false;
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
  while (!undecided_ && !queue_.empty()) {
    auto message = std::move(queue_.front());
    queue_.pop_front();
    std::visit([this](auto& ordered) { process(ordered); }, message);
  }
  end_if_empty();
}

}  // namespace soma::actors
