// The STREAM's first half: accepting tasks in order.

#include <algorithm>
#include <utility>

#include "actors/stream.hpp"
#include "memory/mutation.hpp"

namespace soma::actors {

using memory::mutated;
using memory::mutation;

stream_state::stream_state(self<handle_type> own, messages::stream_id id, messages::device_actor device,
                           messages::on_failure mode, std::uint64_t failure_group,
                           messages::checker_actor checker, std::uint32_t priority, std::uint32_t flags)
    : own_(own), id_(id), device_(std::move(device)), mode_(mode), failure_group_(failure_group),
      checker_(std::move(checker)), notes_{priority, flags} {}

// A stream that ends before its time tells the device, so that nobody waits for it. What it had not executed
// is lost; its frees count, and its records are executed with a failure (their tokens see to that). The pool
// may also have taken a free that was not settled yet.
stream_state::~stream_state() {
  if (ended_) {
    return;
  }
  return_everything();
  end_feed();
  const auto left = running_ > 0 ? remains_ : std::make_shared<remains>();
  auto seen = seen_now();
  if (auto* free = std::get_if<messages::free_async>(&unsettled_)) {
    left->pool = std::move(free->pool);
    left->unsettled_free = next_position();
    seen.add(left->unsettled_free);
  }
  left->tasks = std::move(tasks_);
  left->awaited = std::move(awaiting_);
  left->promises = std::move(promises_);
  left->device = device_;
  left->ended = {
      id_, std::move(seen),
      messages::fault{messages::fault_code::actor_gone, "stream " + std::to_string(memory::number(id_)) +
                                                            " has ended by a fault of the runtime"}};
}

stream_state::remains::~remains() {
  feed.clear();
  tasks.clear();
  awaited.clear();
  if (pool) {
    post(pool, messages::free_executed{unsettled_free});
  }
  for (const auto& each : promises) {
    post(each.pool, messages::free_executed{{ended.id, each.freed}});
  }
  if (device) {
    post(device, std::move(ended));
  }
}

// On an idle stream the task is executed here, without a place in the list.
void stream_state::add(task added) {
  if (idle() && execute(added)) {
    executed_ = memory::next(executed_);
  } else {
    end_feed();
    tasks_.push_back(std::move(added));
  }
  last_ = memory::next(last_);
}

// Apart, so that mallocs and frees in place on an idle stream do without it.
[[gnu::noinline]] void stream_state::add_plain_behind() {
  end_feed();
  tasks_.emplace_back();
}

std::uint64_t stream_state::open_ticket() {
  open_.insert(++last_ticket_);
  return last_ticket_;
}

messages::order_clock stream_state::seen_now() const {
  auto seen = ordered_;
  if (last_ != sequence::none) {
    seen.add(messages::position{id_, last_});
  }
  return seen;
}

// What was accepted last is settled: accept what has gathered behind it, up to the next that must be settled.
void stream_state::settled() {
  settling_ = false;
  advance();  // first, so that a query that comes next sees what has been executed
  while (!settling_ && !backlog_.empty()) {
    auto message = std::move(backlog_.front());
    backlog_.pop_front();
    end_feed();
    std::visit([this](auto& submitted) { accept(submitted); }, message);
    if (!settling_) {
      advance();
    }
  }
}

tl::unexpected<messages::fault> stream_state::stopped() const {
  return memory::failed(messages::fault_code::stream_stopped,
                        "the stream stopped after a failed task and takes no new work: " + stopped_->text);
}

// -- memory -------------------------------------------------------------------------------------------------

void stream_state::accept(messages::malloc_async& message) {
  if (stopped_) {
    message.reply(stopped());
    return;
  }
  if (const auto block = take_lent(message.pool, message.bytes); block != messages::address::null) {
    message.reply(block);
    return;
  }
  settling_ = true;
  auto wanted = wish_of(message);
  if (tracing::is_on()) [[unlikely]] {
    wanted.waits = remembered_waits();
  }
  post(message.pool, std::move(wanted));
  unsettled_ = std::move(message);
}

void stream_state::handle(messages::answered<messages::block_granted>& message) {
  auto malloc = std::get<messages::malloc_async>(std::exchange(unsettled_, messages::retire_stream{}));
  told_pool(malloc.pool, message.value, message.value && message.value->took_offer);
  if (message.value && stopped_) {  // while the pool decided: roll back
    message.value->queued(stopped());
    malloc.reply(stopped());
  } else if (message.value) {
    auto& granted = *message.value;
    if (granted.wait_for.empty()) {
      add_plain();
    } else {
      waiting_task inserted_wait;
      for (const auto& awaited : granted.wait_for) {
        const auto ticket = open_ticket();
        inserted_wait.for_.insert(ticket);
        post(awaited.stream, messages::await_task{awaited.sequence, reached_or_ended(awaited.id, ticket)});
      }
      add(std::move(inserted_wait));
    }
    if (checker_) [[unlikely]] {
      tell_malloc(malloc, granted.block);
    }
    keep_granted(malloc.pool, malloc.bytes, granted);
    granted.queued(messages::done{});
    malloc.reply(granted.block.begin);
  } else {
    malloc.reply(tl::unexpected(std::move(message.value.error())));
  }
  settled();
}

// A stream that has ended by a fault does not tell any more what of its tasks is executed. Then the device
// knows when the last of them is: an engine may still have some that touch the block.
messages::answer<messages::done> stream_state::reached_or_ended(messages::stream_id awaited,
                                                                std::uint64_t ticket) const {
  return messages::answer<messages::done>(
      [own = own_.handle(), device = device_, awaited, ticket](messages::result<messages::done> reached) {
        if (reached) {
          post(own, messages::answered<messages::done>{ticket, std::move(reached)});
        } else {
          post(device, messages::await_stream_end{awaited, answer_to<messages::done>(own, ticket)});
        }
      });
}

// Only as a mutation: the pool learns of the free now, at the position that it will have. It stays in the
// backlog without its block.
void stream_state::pass_ahead(messages::free_async& message) {
  const auto in_front = 1 + backlog_.size();
  const messages::position at{id_, sequence{memory::number(last_) + in_front + 1}};
  post(message.pool, messages::give_back{message.block, at, own_.handle(), {}});
  message.block = messages::address::null;
}

void stream_state::accept(messages::free_async& message) {
  if (mutated(mutation::free_ahead_of_malloc) && message.block == messages::address::null) {
    add_free(message.pool, false);
    message.reply(messages::done{});
    return;
  }
  if (free_lent(message)) {
    return;
  }
  settling_ = true;
  if (mutated(mutation::reply_before_effects)) {
    std::exchange(message.reply, {})(messages::done{});
  }
  if (checker_) [[unlikely]] {
    tell_free(message.block, message.where);
  }
  executed_with_it_ = idle();
  collected_term_ = 0;
  post(message.pool, return_of(message));
  unsettled_ = std::move(message);
}

void stream_state::handle(messages::answered<messages::block_returned>& message) {
  auto free = std::get<messages::free_async>(std::exchange(unsettled_, messages::retire_stream{}));
  told_pool(free.pool, message.value, false);
  if (message.value) {
    add_free(free.pool, keep_lent(free.pool, free.block, *message.value) || executed_with_it_);
    free.reply(messages::done{});
  } else {
    free.reply(tl::unexpected(std::move(message.value.error())));
  }
  settled();
}

// `told`: nothing has to be told the pool when it is executed.
void stream_state::add_free(const messages::pool_actor& pool, bool told) {
  if (told) {
    add_plain();
    return;
  }
  // Also a free that is lost with its stream is told to the pool: nothing comes behind it any more.
  add(free_task{messages::answer<messages::done>([pool, at = next_position()](const auto& /*done or gone*/) {
    post(pool, messages::free_executed{at});
  })});
}

void stream_state::accept(messages::free_plain_async& message) {
  settling_ = true;
  if (checker_) [[unlikely]] {
    tell_free(message.block, message.where);
  }
  post(device_, messages::begin_plain_free{message.block, answer_to<messages::done>(own_.handle(), 0), id_});
  unsettled_ = std::move(message);
}

// Ticket 0 settles a plain free; the others belong to inserted waits.
void stream_state::handle(messages::answered<messages::done>& message) {
  if (message.ticket != 0) {
    reached(message.ticket);
    return;
  }
  auto free = std::get<messages::free_plain_async>(std::exchange(unsettled_, messages::retire_stream{}));
  if (message.value) {
    add(plain_free_task{free.block});
  }
  free.reply(std::move(message.value));
  settled();
}

// -- work ---------------------------------------------------------------------------------------------------

void stream_state::accept(messages::submit_work& message) {
  if (stopped_) {
    message.reply(stopped());
    return;
  }
  if (checker_) [[unlikely]] {
    tell_work(message);
  }
  add(work_task{std::move(message.task), message.where});
  message.reply(messages::done{});
}

// -- the host -----------------------------------------------------------------------------------------------

void stream_state::accept(messages::synchronize_stream& message) {
  in_burst_ = false;
  waiters_.push_back({last_, seen_now(), std::move(message.reply), message.keep_failure});
}

void stream_state::accept(messages::query_stream& message) {
  in_burst_ = false;
  if (executed_ == last_) {
    message.reply(messages::stream_status{true, seen_now()});
  } else {
    message.reply(messages::stream_status{});
  }
}

void stream_state::accept(messages::set_failure_mode& message) {
  if (mode_ == messages::on_failure::stop && message.mode == messages::on_failure::proceed) {
    message.reply(memory::failed(messages::fault_code::invalid_argument,
                                 "a stream that stops on failure cannot be made to proceed again"));
    return;
  }
  mode_ = message.mode;
  message.reply(messages::done{});
}

// The pool answers the caller itself: nothing is to be settled here.
void stream_state::accept(messages::ask_largest& message) {
  messages::answer<std::uint64_t> passed_on(
      [reply = std::move(message.reply)](messages::result<std::uint64_t> value) {
        return reply(std::move(value));
      },
      messages::noun<messages::pool_actor>);
  post(message.pool, messages::read_largest{id_, ordered_, message.device_free, std::move(passed_on)});
}

void stream_state::accept(messages::retire_stream& /*message*/) {
  retired_ = true;
  return_everything();
}

}  // namespace soma::actors
