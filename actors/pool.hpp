// The POOL: gives out the blocks of one window, by the order between streams.
//
// Owns: the heap of its window (blocks, counters, switches, what it knows of executed frees), and the memory
// behind it. Never does: wait.
//
// Grants are decided one at a time, in the order of the mailbox. While a grant waits for the device (the pool
// has to grow), what could change the decision is kept in a queue. Two kinds of messages are taken at once
// nevertheless: that a free was executed (it only adds), and release_idle (the device may be waiting for this
// pool on behalf of another one that waits for the device); a plan that this spoils is made anew.
//
// The search, with what may be given up for it (D11, D20):
//   reuse             same stream, event, opportunistic
//   grow              with what the pool may still take and the device has left: if it cannot be new memory
//                     alone, joined with idle memory that could be reused, which is also moved there
//   grow again        giving up idle memory whose frees the host has seen, here and in other pools
//   wait              reuse with an inserted wait
//   grow, wait        as "grow again", joined with idle memory that must be waited for
//   grow last         as "grow again", also giving up idle memory whose frees have been executed
//   grow last, wait   both
//   refuse
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <variant>

#include "actors/shell.hpp"
#include "actors/tracing.hpp"
#include "memory/backing.hpp"
#include "memory/ordered_heap.hpp"
#include "messages/all.hpp"

namespace soma::actors {

struct pool_settings {
  memory::pool_id id = memory::pool_id::none;
  memory::range window;
  std::uint64_t limit = 0;
  std::uint64_t minimum_block = 0;
  memory::switches reuse;
  std::uint64_t release_threshold = 0;
  bool guard = false;  // idle granules whose free has been executed are made inaccessible
};

class pool_state {
public:
  using handle_type = messages::pool_actor;
  static constexpr auto name = "pool";

  pool_state(self<handle_type> own, const pool_settings& settings, messages::device_actor device,
             std::shared_ptr<memory::backing> backing);
  ~pool_state();
  pool_state(const pool_state&) = delete;
  pool_state& operator=(const pool_state&) = delete;

  [[nodiscard]] std::uint64_t label() const noexcept { return memory::number(settings_.id); }

  /// Bytes: used, reserved.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> trace_figures() const noexcept {
    return {heap_.used(), heap_.reserved()};
  }

  // In order.
  void handle(messages::grant_block& message) { in_order(message); }
  void handle(messages::give_back& message) { in_order(message); }
  void handle(messages::give_back_now& message) { in_order(message); }
  void handle(messages::undo_grant& message) { in_order(message); }
  void handle(messages::host_saw& message) { in_order(message); }
  void handle(messages::trim_pool& message) { in_order(message); }
  void handle(messages::change_setting& message) { in_order(message); }
  void handle(messages::read_figures& message) { in_order(message); }
  void handle(messages::read_largest& message) { in_order(message); }
  void handle(messages::find_block& message) { in_order(message); }
  void handle(messages::explain_block& message) { in_order(message); }
  void handle(messages::retire_pool& message) { in_order(message); }

  // At once.
  void handle(messages::free_executed& message);
  void handle(messages::return_stock& message);
  void handle(messages::release_idle& message);
  void handle(messages::abandon_pool& message);
  void handle(messages::answered<messages::memory_reserved>& message);
  void handle(messages::answered<messages::tasks_seen>& message);
  void handle(messages::answered<messages::stock_returned>& message);

  // In place (in_place.hpp), by a stream. Each returns nothing, and has changed nothing, if it is for the
  // message.
  [[nodiscard]] std::optional<messages::block_granted> grant_here(messages::grant_block& message);
  [[nodiscard]] std::optional<messages::block_returned> take_back_here(messages::give_back& message);

private:
  using ordered_message =
      std::variant<messages::grant_block, messages::give_back, messages::give_back_now, messages::undo_grant,
                   messages::host_saw, messages::trim_pool, messages::change_setting, messages::read_figures,
                   messages::read_largest, messages::find_block, messages::explain_block,
                   messages::retire_pool>;

  enum class stage : std::uint8_t {
    reuse,
    grow,
    grow_again,
    wait,
    grow_and_wait,
    grow_last,
    grow_last_and_wait,
    refuse
  };
  enum class outcome : std::uint8_t { decided, asked_device, collecting, impossible };

  static constexpr auto any_amount = ~std::uint64_t{0};

  // What an explanation needs of the moment of a request.
  struct surroundings {
    std::unique_ptr<std::vector<messages::known_wait>> waits;  // of the taker
    memory::candidates idle;
  };

  // The grant that is being decided.
  struct undecided {
    undecided(memory::request wanted, messages::answer<messages::block_granted> asker)
        : wish(std::move(wanted)), reply(std::move(asker)) {}

    memory::request wish;
    messages::answer<messages::block_granted> reply;
    pool_state::stage stage = pool_state::stage::reuse;
    std::uint64_t credit = 0;                  // bytes of the device's budget that are had, but not used yet
    std::optional<std::uint64_t> device_left;  // as the device said last
    bool executed_meanwhile = false;           // a free was executed since the decision began
    bool waits_for_stocks = false;
    std::optional<memory::stocked_block> offer;  // until it is taken
    bool took_offer = false;
    memory::sequence_number executed = memory::sequence_number::none;  // of the stream that asks
    std::uint64_t device_most = any_amount;  // what there is sense in asking the device for at this stage
    std::uint64_t asked = 0;                 // of the device, last
    std::optional<messages::fault> failure;  // the system's, not the budget's
    std::unique_ptr<surroundings> around;    // only while messages are traced
  };

  template <class Message>
  void in_order(Message& message) {
    if (is_busy()) {
      queue_.emplace_back(std::move(message));
      return;
    }
    begin(message);
    end_if_empty();
  }

  /// Whether what comes in order has to wait.
  [[nodiscard]] bool is_busy() const noexcept { return undecided_ || collecting_ > 0; }

  template <class Message>
  void begin(Message& message) {
    ++moment_;
    start(message);
  }

  /// Processes a message, once what it depends on is collected.
  template <class Message>
  void start(Message& message) {
    if (!lenders_.empty() && (tracing::by_messages_only() ? end_all_leases() : collect_before(message)))
        [[unlikely]] {
      parked_.emplace(std::move(message));
    } else {
      process(message);
    }
  }
  void go_on();

  void process(messages::grant_block& message);
  void process(messages::give_back& message);
  void process(messages::give_back_now& message);
  void process(messages::undo_grant& message);
  void process(messages::host_saw& message);
  void process(messages::trim_pool& message);
  void process(messages::change_setting& message);
  void process(messages::read_figures& message);
  void process(messages::read_largest& message);
  void process(messages::find_block& message);
  void process(messages::explain_block& message);
  void process(messages::retire_pool& message);

  messages::result<messages::block_returned> take_back(messages::give_back& message);

  // Deciding a grant.
  void decide();
  outcome try_stage();
  outcome take(std::optional<memory::grant> found);
  outcome try_to_grow(messages::pressure allowed, memory::joining with);
  outcome hold(const memory::new_place& place, memory::joining with);
  [[nodiscard]] std::uint64_t room() const;
  outcome ask_device(std::uint64_t bytes, messages::pressure allowed);
  void grant(memory::grant granted);
  [[gnu::noinline, gnu::cold]] void look_around(messages::grant_block& message);
  [[gnu::noinline, gnu::cold]] void explain(const memory::grant& granted);
  void refuse();
  void decided(messages::result<messages::block_granted> how);

  // Lending (pool_lending.cpp).
  struct lender {
    messages::stream_actor stream;
    std::uint64_t lease = 0;
    std::uint64_t term = 0;         // of the lease: each collecting ends one
    memory::sequence_number first;  // of the frees that are in the stock or may come into it
    bool has_served = false;        // in this term
    std::uint64_t collected = 0;    // the moment at which it was asked last
    bool is_asked = false;          // for what it has
    std::uint64_t next_term = 0;    // once it has answered; 0: the lease ends then
    messages::address asked_block = messages::address::null;  // what it is asked about besides
    // Of the free whose block was lent last, in case the answer does not reach the stream.
    messages::address last_block = messages::address::null;
    memory::sequence_number last_free = memory::sequence_number::none;
    bool last_executed = false;
  };
  using lenders = std::map<messages::stream_id, lender>;
  // Of the lease of a stream from which something is collected.
  enum class leases : std::uint8_t { last, end };
  static constexpr std::uint64_t few_terms = 8;
  // What the device waits for, and since when.
  struct waiting_release {
    messages::release_idle message;
    std::uint64_t since;
  };

  [[nodiscard]] bool collect_before(const messages::grant_block& message);
  [[nodiscard]] bool collect_before(const messages::give_back& message);
  [[nodiscard]] bool collect_before(const messages::give_back_now& message);
  [[nodiscard]] bool collect_before(const messages::undo_grant& message);
  [[nodiscard]] bool collect_before(const messages::host_saw& message);
  [[nodiscard]] bool collect_before(const messages::find_block& message);
  [[nodiscard]] bool collect_before(const messages::explain_block& message);
  [[nodiscard]] bool collect_before(const messages::change_setting& /*message*/) { return end_all_leases(); }
  [[nodiscard]] bool collect_before(const messages::retire_pool& /*message*/) { return end_all_leases(); }
  template <class Message>
  [[nodiscard]] bool collect_before(const Message& /*figures, largest, trim*/) {
    return collect_all(moment_);
  }
  template <class Which>
  bool collect(Which is_wanted, std::uint64_t since, leases go_on);
  bool collect_all(std::uint64_t since);
  bool end_all_leases();
  bool collect_block(messages::address block);
  void ask(messages::stream_id id, lender& of, leases go_on, messages::address block);
  [[nodiscard]] bool collect_for_reuse();
  [[nodiscard]] bool collect_for_growth();
  [[nodiscard]] bool others_lend(messages::stream_id own) const noexcept;
  [[nodiscard]] lenders::const_iterator lender_of(messages::address block) const;
  void hear(messages::stream_id from, const memory::stock_report& report);
  [[nodiscard]] bool take_offer(std::optional<memory::size_key> known);
  [[nodiscard]] bool may_lend(const messages::give_back& message) noexcept;
  [[nodiscard]] bool decides_here(messages::stream_id asker) const noexcept;
  [[nodiscard]] messages::block_returned lend(messages::give_back& message, const memory::piece& block);
  [[nodiscard]] std::uint64_t lend_granted(messages::address block);
  void take_stock(messages::stream_id from, const messages::stock_returned& stock);
  void take_unsettled(messages::stream_id from, const lender& of);
  void end_lending(messages::address block, messages::position freed);
  void begin_term(lender& of, memory::sequence_number first) noexcept;
  void note_use(lender& of) noexcept;
  void end_lease(lenders::iterator of);
  void collected();
  void release_collected(waiting_release& waiting);

  // Memory.
  void forget_explanation(memory::address block) {
    if (!traced_.empty()) [[unlikely]] {
      traced_.erase(block);
    }
  }
  void free_was_executed(memory::position at);
  void guard_idle();
  void unguard(memory::range part);
  std::uint64_t release(std::uint64_t bytes, memory::ordered_heap::releasable which,
                        memory::range spared = {});
  void release_departures();
  void return_to_device(std::uint64_t bytes);
  void release_if_retired();
  void forget_settled_streams();
  void ask_what_is_seen(messages::order_clock tasks);
  void end_if_empty();

  self<handle_type> own_;
  pool_settings settings_;
  messages::device_actor device_;
  std::shared_ptr<memory::backing> backing_;
  memory::ordered_heap heap_;
  std::set<memory::address> guarded_;  // granules that are inaccessible although they have memory
  std::map<messages::stream_id, messages::stream_actor> streams_;  // with unsettled idle memory here
  std::size_t long_clock_ = memory::long_clock;  // from this length on, what can be forgotten is asked for
  // Streams that something is lent to: while one lends, it may have idle blocks that are busy here. "Lender"
  // is who can give blocks back.
  lenders lenders_;
  std::map<std::uint64_t, messages::stream_id> leases_;  // who has which
  std::uint64_t last_term_ = 0;                          // a lease has the number of its first one
  std::uint64_t useless_terms_ = 0;                      // in a row: nothing was served in them
  std::uint64_t not_lent_ = 0;                           // frees since, because of that
  std::uint64_t moment_ = 0;                             // when what is processed now, or decided, was begun
  std::size_t collecting_ = 0;                           // how many lenders have been asked
  std::optional<ordered_message> parked_;                // what is started again when they have answered
  std::vector<waiting_release> releases_;                // the same
  std::optional<undecided> undecided_;
  std::deque<ordered_message> queue_;
  std::map<memory::address, messages::traced_grant> traced_;  // live blocks that were granted while traced
  bool retired_ = false;
  bool ended_ = false;
};

}  // namespace soma::actors
