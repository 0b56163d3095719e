#include "actors/tracing.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <string_view>
#include <variant>

#include "actors/trace_store.hpp"

namespace soma::actors::tracing {

namespace {

class recording_hook final : public wire_hook {
public:
  recording_hook() noexcept : wire_hook(true) {}
  bool pass(caf::abstract_actor& /*to*/, caf::mailbox_element_ptr& /*element*/) override { return true; }
};

recording_hook& hook() {
  static auto& only = *new recording_hook;  // threads may look at it until the process is gone
  return only;
}

// The trace that is being taken, or was taken last. Odd sessions are on: a thread that is late writes into a
// chunk of a session that is over, which nobody reads.
std::atomic<trace_store*> store_in_use{nullptr};
std::atomic<std::uint64_t> session_now{0};
std::atomic<std::uint64_t> start_tick{0};
std::atomic<std::uint64_t> start_nanoseconds{0};
std::atomic<std::uint32_t> last_thread{0};

// What a thread does at the moment, and where it writes.
struct thread_state {
  trace_store* store;
  trace_chunk* chunk;
  std::uint64_t serial;
  std::uint64_t session;
  std::uint32_t used;
  std::uint32_t number;
  trace_id cause;
  trace_id call;
  actor_mark actor;
  bool ended;  // the thread is on its way out
};

[[gnu::tls_model("initial-exec")]] constinit thread_local thread_state here{};

void leave_chunk() noexcept {
  if (here.chunk != nullptr) {
    trace_store::leave(*here.chunk);
    here.chunk = nullptr;
  }
}

// Gives the thread's chunk back at its end.
struct end_of_thread {
  ~end_of_thread() {
    here.ended = true;
    leave_chunk();
  }
  bool watched = false;
};

bool take_chunk() noexcept {
  leave_chunk();
  auto* store = store_in_use.load(std::memory_order_acquire);
  if (store == nullptr || here.ended) {
    return false;
  }
  thread_local end_of_thread at_end;
  at_end.watched = true;
  if (here.number == 0) {
    here.number = last_thread.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  here.session = session_now.load(std::memory_order_acquire);
  here.chunk = store->take(here.session, here.number);
  if (here.chunk == nullptr) {
    store->count_dropped(1);
    return false;
  }
  here.serial = here.chunk->serial.load(std::memory_order_relaxed);
  here.used = 0;
  return true;
}

trace_id write(const std::array<std::uint64_t, 8>& words) noexcept {
  if (here.chunk == nullptr || here.used == trace_chunk::entries ||
      here.session != session_now.load(std::memory_order_relaxed)) [[unlikely]] {
    if (!take_chunk()) {
      return trace_id::none;
    }
  }
  auto& place = here.chunk->words[here.used];
  for (std::size_t at = 0; at < words.size(); ++at) {
    place[at].store(words[at], std::memory_order_release);
  }
  const auto id = entry_id(here.serial, here.used);
  here.chunk->count.store(++here.used, std::memory_order_release);
  return id;
}

entry_head head_here(entry_type type, std::uint8_t place = 0, std::uint8_t flags = 0) noexcept {
  return {type, here.actor.kind, place, flags, here.actor.number};
}

}  // namespace

// -- messages -----------------------------------------------------------------------------------------------

// The sender's number is in the head; its label comes with what it handled.
trace_id note_sent(const actor_mark& to, std::size_t place, const message_facts& facts) noexcept {
  const entry_head head{entry_type::sent, to.kind, static_cast<std::uint8_t>(place), facts.flags,
                        here.actor.number};
  return write({pack(head), number(here.cause), pack(to.number, to.label), tick_now(),
                memory::number(facts.task.stream), memory::number(facts.task.sequence), facts.amount,
                memory::number(facts.block)});
}

handling::handling(const actor_mark& by, std::size_t place, trace_id message) noexcept
    : by_(by), place_(place), message_(message),
      start_(tick_now()), outer_{here.cause, here.call, here.actor} {
  here.cause = message;
  here.call = trace_id::none;
  here.actor = by;
}

handling::~handling() {
  const auto end = tick_now();
  here.cause = outer_.cause;
  here.call = outer_.call;
  here.actor = outer_.actor;
  const entry_head head{entry_type::handled, by_.kind, static_cast<std::uint8_t>(place_), 0, by_.number};
  write({pack(head), number(message_), pack(by_.number, by_.label), start_, end, figures_.first,
         figures_.second, 0});
}

void note_answered(trace_id call, std::uint64_t stamp) noexcept {
  write({pack(head_here(entry_type::answered)), number(here.cause), number(call), stamp});
}

void note_granted(const memory::range& block, const memory::grant_reason& reason,
                  const messages::traced_grant& what) noexcept {
  constexpr std::uint32_t most = 0x3FF;
  const auto& idle = what.idle;
  std::uint64_t counts = 0;
  for (const auto count : {idle.usable, idle.too_small, idle.event_off, idle.opportunistic_off,
                           idle.not_ordered, idle.not_looked_at}) {
    counts = counts << 10U | std::min(count, most);
  }
  counts =
      counts << 3U | (reason.stitched ? 4U : 0U) | (reason.settled ? 2U : 0U) | (reason.joined ? 1U : 0U);
  write({pack(head_here(entry_type::granted, static_cast<std::uint8_t>(reason.how))), number(here.cause),
         memory::number(block.begin), memory::number(reason.freed_at.stream),
         memory::number(reason.freed_at.sequence),
         pack(static_cast<std::uint32_t>(memory::number(what.event)), memory::number(what.record)), counts,
         block.bytes});
}

// -- calls --------------------------------------------------------------------------------------------------

trace_id current_call() noexcept { return here.call; }

void calling::begin(const char* name) noexcept {
  if (!is_on() || here.call != trace_id::none) {
    return;
  }
  call_ = write({pack(head_here(entry_type::called)), number(here.cause),
                 reinterpret_cast<std::uint64_t>(name), tick_now()});
  outer_cause_ = std::exchange(here.cause, call_);
  here.call = call_;
}

void calling::end() noexcept {
  here.call = trace_id::none;
  here.cause = outer_cause_;
  write({pack(head_here(entry_type::returned)), number(call_), tick_now()});
}

// -- work ---------------------------------------------------------------------------------------------------

void working::begin(const messages::work& work, const memory::position& at) noexcept {
  message_facts facts;
  detail::add_work_facts(work, facts);
  const auto head = head_here(entry_type::began, static_cast<std::uint8_t>(work.index()), facts.flags);
  work_ = write({pack(head), number(here.cause), pack(here.actor.number, here.actor.label), tick_now(),
                 memory::number(at.stream), memory::number(at.sequence), facts.amount,
                 memory::number(facts.block)});
  outer_cause_ = std::exchange(here.cause, work_);
  if (const auto* kernel = std::get_if<messages::kernel_launch>(&work); kernel != nullptr) {
    std::array<std::uint64_t, 8> words{pack(head_here(entry_type::named)), number(work_)};
    std::memcpy(&words[2], kernel->name.data(), std::min(kernel->name.size(), sizeof(std::uint64_t) * 6));
    write(words);
  }
}

void working::end() noexcept {
  here.cause = outer_cause_;
  write({pack(head_here(entry_type::ended)), number(work_), tick_now()});
}

// -- switching ----------------------------------------------------------------------------------------------

start_result start(std::size_t bytes) {
  if (is_on()) {
    return start_result::already_on;
  }
  const auto chunks = std::max<std::size_t>(2, bytes / sizeof(trace_chunk));
  auto* store = store_in_use.load(std::memory_order_acquire);
  if (store == nullptr || store->size() != chunks) {
    try {
      store = new trace_store(chunks);
    } catch (const std::bad_alloc&) {
      return start_result::no_memory;
    }
    store_in_use.store(store, std::memory_order_release);
  }
  store->forget_dropped();
  const auto now = tick_pair::now();
  start_tick.store(now.tick, std::memory_order_relaxed);
  start_nanoseconds.store(now.nanoseconds, std::memory_order_relaxed);
  session_now.fetch_add(1, std::memory_order_acq_rel);
  return wire::try_install(hook()) ? start_result::started : start_result::wire_is_taken;
}

void stop() noexcept { wire::remove(hook()); }

session_view latest_session() noexcept {
  return {store_in_use.load(std::memory_order_acquire),
          session_now.load(std::memory_order_acquire),
          {start_tick.load(std::memory_order_relaxed), start_nanoseconds.load(std::memory_order_relaxed)}};
}

}  // namespace soma::actors::tracing
