#include "actors/turn.hpp"

#include "actors/wire.hpp"

namespace soma::actors {

namespace {

// How many messages an actor may handle before the next one gets its turn, and how many actors a thread
// resumes beyond its own need.
constexpr std::size_t messages_per_resume = 32;
constexpr int resumes = 256;

// What a thread resumes for an answer, before it hands over what is left. After the answer has come: waking a
// worker for a message or two would cost more than handling them. Before: others may keep an actor busy for
// ever, and a deadline counts.
constexpr int resumes_after_answer = 16;
constexpr int resumes_before_answer = 1024;

// How many messages a turn hands out itself. What is sent beyond goes to mailboxes, and from there to the
// workers if need be, so that no turn lasts for ever.
constexpr std::size_t most_handed_out = 256;

}  // namespace

turn::held_actor* turn::find(const shell_base* actor) noexcept {
  for (std::size_t at = 0; at < held_count_; ++at) {
    if (held_[at].actor == actor) {
      return &held_[at];
    }
  }
  return nullptr;
}

bool turn::accepts(shell_base* receiver) {
  if (handed_out_ >= most_handed_out) {
    return false;
  }
  if (const auto* held = find(receiver); held != nullptr) {
    return !held->ended && !receiver->has_mail();
  }
  if (held_count_ == most_held) {
    return false;
  }
  if (const auto* hook = wire::hook(); hook != nullptr && !hook->records()) [[unlikely]] {
    return false;
  }
  if (!receiver->try_take(this)) {
    return false;
  }
  messages::keep(receiver);
  held_[held_count_++] = {receiver, false};
  return true;
}

// Until no message is left and no actor is held. What an actor leaves behind that goes for good is sent here,
// too.
void turn::settle() {
  while (true) {
    if (!parcels_.empty()) {
      hand_out_oldest();
    } else if (held_count_ > 0) {
      leave_last();
    } else {
      return;
    }
  }
}

// An actor that has ended drops what else the turn has for it, as its mailbox does.
void turn::hand_out_oldest() {
  auto& oldest = parcels_.pop();
  ++handed_out_;
  auto& held = *find(oldest.to);
  if (!held.ended) {
    held.ended = !held.actor->handle_message(oldest.place, oldest.message, oldest.trace());
  }
  parcels_.drop(oldest);
}

void turn::leave_last() {
  const auto held = held_[--held_count_];
  if (held.ended || held.actor->try_leave()) {
    messages::let_go(held.actor);
  } else {
    ready_.push(held.actor);
  }
}

void turn::resume_oldest() {
  auto* actor = ready_.pop();
  switch (actor->resume(this, messages_per_resume)) {
  case caf::resumable::resume_later:
    ready_.push(actor);
    break;
  case caf::resumable::shutdown_execution_unit:
    break;
  default:  // it waits for its next message, or has ended
    messages::let_go(actor);
  }
}

void turn::run() { run_up_to(resumes, nullptr); }

void turn::run_for(const slot_base& awaited) { run_up_to(resumes_before_answer, &awaited); }

void turn::run_up_to(int most_resumes, const slot_base* awaited) {
  const unit_scope scope(*this);
  settle();
  int after_answer = 0;
  for (int resumed = 0; !ready_.empty() && resumed < most_resumes && after_answer < resumes_after_answer;
       ++resumed) {
    resume_oldest();
    settle();
    after_answer += awaited != nullptr && awaited->filled() ? 1 : 0;
  }
  hand_over();  // a thread that sleeps must not hold anything that others wait for
}

void turn::hand_over() {
  while (!ready_.empty()) {
    messages::give_to_workers(system(), ready_.pop());
  }
}

}  // namespace soma::actors
