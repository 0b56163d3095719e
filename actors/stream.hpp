// The STREAM: takes tasks in order (submission) and executes them in order (execution).
//
// Owns: the sequence numbers, the tasks that have not been executed, what its next task is ordered after, its
// failure. Never does: run foreign code, or wait.
//
// Submission. Messages from callers are accepted one at a time. A malloc or free is settled when the pool has
// decided, a wait when the event has told its order; until then what comes behind stays in the backlog, so
// that nothing overtakes (letting frees pass an undecided malloc builds cycles of inserted waits). Settling
// never waits for a task to run: a malloc on a stream that is blocked for hours is granted at once.
//
// Execution. Frees, records and waits are executed here; kernels, copies, fills and host functions go to an
// engine in runs of consecutive tasks. A run ends at anything else, so that a free takes effect in its place,
// and where somebody waits.
#pragma once

#include <array>
#include <atomic>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "actors/shell.hpp"
#include "memory/mutation.hpp"
#include "memory/stock.hpp"
#include "messages/all.hpp"
#include "messages/task_feed.hpp"

namespace soma::actors {

class stream_state {
public:
  using handle_type = messages::stream_actor;
  static constexpr auto name = "stream";

  stream_state(self<handle_type> own, messages::stream_id id, messages::device_actor device,
               messages::on_failure mode, std::uint64_t failure_group, messages::checker_actor checker = {},
               std::uint32_t priority = 0, std::uint32_t flags = 0);
  ~stream_state();
  stream_state(const stream_state&) = delete;
  stream_state& operator=(const stream_state&) = delete;

  [[nodiscard]] std::uint64_t label() const noexcept { return memory::number(id_); }

  /// The last task that was accepted, and the last that was executed.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> trace_figures() const noexcept {
    return {memory::number(last_), memory::number(executed_)};
  }

  // From callers: accepted in order.
  void handle(messages::malloc_async& message) { submit(message); }
  void handle(messages::free_async& message) { submit(message); }
  void handle(messages::free_plain_async& message) { submit(message); }
  void handle(messages::submit_work& message) { submit(message); }
  void handle(messages::record_event& message) { submit(message); }
  void handle(messages::wait_event& message) { submit(message); }
  void handle(messages::synchronize_stream& message) { submit(message); }
  void handle(messages::query_stream& message) { submit(message); }
  void handle(messages::set_failure_mode& message) { submit(message); }
  void handle(messages::stop_task& message) { submit(message); }
  void handle(messages::abort_stream& message) { submit(message); }
  void handle(messages::ask_largest& message) { submit(message); }
  void handle(messages::retire_stream& message) { submit(message); }

  // Notes (stream_control.cpp).
  void handle(messages::write_stream_note& message);
  void handle(messages::read_stream_note& message);

  // Answers that settle what was accepted last.
  void handle(messages::answered<messages::block_granted>& message);
  void handle(messages::answered<messages::block_returned>& message);
  void handle(messages::answered<messages::record_order>& message);

  // At once, whatever is being settled.
  void handle(messages::collect_stock& message);

  // Execution.
  void handle(messages::answered<messages::record_reached>& message);
  void handle(messages::answered<messages::done>& message);
  void handle(messages::answered<messages::tasks_run>& message);
  void handle(messages::answered<messages::tasks_seen>& message);
  void handle(messages::await_task& message);
  void handle(messages::forget_failure& message);
  void handle(messages::stop_stream& message);

  // In place (in_place.hpp; stream_in_place.cpp): what the message does, if nothing has to be sent for it.
  // Each returns false, and has changed nothing, if it is for the message.
  bool submit_here(messages::submit_work& message);
  messages::address malloc_here(const messages::pool_actor& pool, std::uint64_t bytes);  // null: refused
  bool free_here(const messages::pool_actor& pool, messages::address block);
  bool synchronize_here(messages::stream_seen& told);
  bool query_here(messages::stream_status& told);

  // The same with another actor, which is called in place as well.
  bool record_here(messages::record_event& message);
  bool wait_here(const messages::wait_event& message);
  messages::address malloc_of_pool_here(const messages::pool_actor& pool, std::uint64_t bytes);
  bool free_to_pool_here(const messages::pool_actor& pool, messages::address block);

private:
  using sequence = messages::sequence_number;

  // Tasks. Every task has the next sequence number; they are executed from the front. Lists here and below,
  // since most streams have nothing to do most of the time: a list costs nothing then.
  struct plain_task {};  // nothing to do: malloc without waits
  struct waiting_task {
    std::set<std::uint64_t> for_;
    std::chrono::nanoseconds limit{0};  // a longer wait is a failure; 0: none
    std::chrono::steady_clock::time_point since = {};
  };  // until none of these tickets is open
  struct free_task {
    messages::answer<messages::done> executed;
  };
  struct plain_free_task {
    messages::address block;
  };
  struct record_task {
    messages::answer<messages::done> executed;
  };
  struct work_task {
    messages::work work;
    memory::place where;
  };
  using task = std::variant<plain_task, waiting_task, free_task, plain_free_task, record_task, work_task>;

  using submission = std::variant<messages::malloc_async, messages::free_async, messages::free_plain_async,
                                  messages::submit_work, messages::record_event, messages::wait_event,
                                  messages::synchronize_stream, messages::query_stream,
                                  messages::set_failure_mode, messages::stop_task, messages::abort_stream,
                                  messages::ask_largest, messages::retire_stream>;

  struct host_waiter {
    sequence until;
    messages::order_clock seen;
    messages::answer<messages::stream_seen> reply;
    bool keep_failure;
  };
  struct awaiting {
    sequence until;
    messages::answer<messages::done> reply;
  };

  // Blocks of a pool that are lent to the stream.
  struct lease {
    messages::pool_actor pool;
    memory::stock stock;
    std::uint64_t term = 0;  // as the pool said last

    [[nodiscard]] memory::stock_report report() const noexcept {
      auto told = stock.report();
      told.term = term;
      return told;
    }
  };
  // To tell a pool that a free was executed, which was not yet when it got the block back.
  struct promise {
    sequence freed;
    messages::pool_actor pool;
  };

  /// What a stream that is lost leaves behind; it takes effect when this goes. An engine that has tasks of
  /// the stream keeps it until they are done, since they may touch what the frees behind them give back.
  struct remains {
    remains() = default;
    ~remains();
    remains(const remains&) = delete;
    remains& operator=(const remains&) = delete;

    // Of the run that an engine has.
    messages::task_feed feed;
    std::atomic<messages::stop_wish> wish{messages::stop_wish::none};

    std::list<task> tasks;
    std::vector<awaiting> awaited;
    std::vector<promise> promises;
    messages::pool_actor pool;  // of a free that is not settled: it may have taken the block
    messages::position unsettled_free;
    messages::device_actor device;
    messages::stream_ended ended;
  };

  template <class Message>
  void submit(Message& message) {
    if (settling_) {
      if constexpr (std::is_same_v<Message, messages::free_async>) {
        if (memory::mutated(memory::mutation::free_ahead_of_malloc)) {
          pass_ahead(message);
        }
      }
      backlog_.emplace_back(std::move(message));
      return;
    }
    end_feed();
    accept(message);
    advance();
  }

  void accept(messages::malloc_async& message);
  void accept(messages::free_async& message);
  void accept(messages::free_plain_async& message);
  void accept(messages::submit_work& message);
  void accept(messages::record_event& message);
  void accept(messages::wait_event& message);
  void accept(messages::synchronize_stream& message);
  void accept(messages::query_stream& message);
  void accept(messages::set_failure_mode& message);
  void accept(messages::stop_task& message);
  void accept(messages::abort_stream& message);
  void accept(messages::ask_largest& message);
  void accept(messages::retire_stream& message);
  void pass_ahead(messages::free_async& message);
  void add_free(const messages::pool_actor& pool, bool told);
  [[nodiscard]] messages::event_recorded next_record(messages::record_number number) const;
  void add_record(messages::record_event& message, bool executed);
  void add_wait(const messages::wait_event& wait, const messages::record_order& record, std::uint64_t ticket);
  [[nodiscard]] messages::await_record await_of(const messages::wait_event& wait, std::uint64_t ticket) const;
  void remember_wait(const messages::wait_event& wait, const messages::record_order& record);
  [[nodiscard]] std::unique_ptr<std::vector<messages::known_wait>> remembered_waits() const;
  void settled();

  // What pools have lent (stream_stock.cpp).
  [[nodiscard]] lease* lease_of(const messages::pool_actor& pool);
  lease* end_lease(lease& ended);
  [[nodiscard]] messages::address take_lent(const messages::pool_actor& pool, std::uint64_t bytes);
  template <class T>
  void told_pool(const messages::pool_actor& pool, const messages::result<T>& answered, bool took_offer);
  void reported(const messages::pool_actor& pool, bool took_offer);
  [[nodiscard]] messages::grant_block wish_of(const messages::malloc_async& message);
  [[nodiscard]] messages::give_back return_of(const messages::free_async& message);
  [[nodiscard]] bool free_lent(messages::free_async& message);
  void add_lease(const messages::pool_actor& pool, messages::grant_block& wish);
  void add_lease(const messages::pool_actor& pool, messages::give_back& returned);
  void keep_granted(const messages::pool_actor& pool, std::uint64_t bytes,
                    const messages::block_granted& granted);
  [[nodiscard]] bool keep_lent(const messages::pool_actor& pool, messages::address block,
                               const messages::block_returned& returned);
  [[nodiscard]] bool tell_about_block(const messages::collect_stock& message);
  void promise_to_tell(sequence freed, const messages::pool_actor& pool);
  void tell_executed();
  [[nodiscard]] messages::stock_returned emptied(lease& of);
  void return_oldest(lease& of);
  void return_everything();
  [[nodiscard]] tl::unexpected<messages::fault> stopped() const;

  // For the checker, if there is one (stream_checks.cpp).
  [[nodiscard]] messages::position next_position() const { return {id_, memory::next(last_)}; }
  void tell_malloc(const messages::malloc_async& message, memory::range block);
  void tell_free(messages::address block, const memory::place& where);
  void tell_work(const messages::submit_work& message);
  void tell_signal(const messages::tasks_run& run);
  void remember_run();

  void add(task added);
  // As add(plain_task{}).
  void add_plain() {
    if (idle()) [[likely]] {
      executed_ = memory::next(executed_);
    } else {
      add_plain_behind();
    }
    last_ = memory::next(last_);
  }
  void add_plain_behind();
  [[nodiscard]] bool idle() const noexcept { return executed_ == last_; }
  std::uint64_t open_ticket();
  void be_ordered_after(const messages::record_order& record);
  [[nodiscard]] messages::answer<messages::done> reached_or_ended(messages::stream_id awaited,
                                                                  std::uint64_t ticket) const;
  [[nodiscard]] messages::order_clock seen_now() const;

  void advance();
  bool execute_front();
  bool execute(task& front);
  bool start_run();
  void begin_feed();
  [[nodiscard]] bool feed(messages::work& work);
  void end_feed() noexcept;
  void take_back_fed();
  [[nodiscard]] std::size_t length_of_run() const;
  void executed_front();
  [[nodiscard]] bool is_waited_for(sequence executed) const;
  void answer_waiters();
  void fail(messages::fault failure);
  void keep(messages::fault failure);
  void reached(std::uint64_t ticket);
  void end_if_drained();

  // Cutting work short (stream_control.cpp).
  [[nodiscard]] bool drops_front() const noexcept { return stopped_ || executed_ < aborted_; }
  bool wait_is_over(waiting_task& front);
  void answer_aborting();

  self<handle_type> own_;
  messages::stream_id id_;
  messages::device_actor device_;
  messages::on_failure mode_;
  std::uint64_t failure_group_;
  messages::checker_actor checker_;  // null if the runtime is not checked

  // Submission.
  sequence last_ = sequence::none;               // of the task accepted last
  messages::order_clock ordered_;                // what the next task is ordered after, this stream left out
  std::size_t long_clock_ = memory::long_clock;  // from this length on, what can be forgotten is asked for
  std::size_t waits_with_long_clock_ = 0;
  std::list<submission> backlog_;
  bool settling_ = false;
  std::unique_ptr<std::vector<messages::known_wait>> waits_;  // the latest; only while messages are traced
  submission unsettled_ = messages::retire_stream{};          // what is being settled
  bool executed_with_it_ = false;  // of a free: the pool was told that it is executed when it is accepted
  bool retired_ = false;
  bool ended_ = false;  // the device was told
  std::array<std::uint64_t, messages::stream_notes> notes_{};

  // What is lent.
  static constexpr std::size_t most_leases = 4;
  std::vector<lease> leases_;
  std::vector<promise> promises_;
  std::uint64_t collected_term_ =
      0;  // of the pool whose answer to a free is due: the term that ended meanwhile, or 0

  // Execution.
  sequence executed_ = sequence::none;
  std::size_t running_ = 0;                            // tasks that an engine has, behind executed_
  bool in_burst_ = false;                              // nobody has waited or asked since the last run
  bool feeds_ = false;                                 // the tasks behind those are in the feed, up to last_
  std::list<task> tasks_;                              // what comes then, up to last_
  std::shared_ptr<remains> remains_;                   // empty while the stream lives; with each such run
  std::vector<memory::operation> running_operations_;  // the same, for the checker
  std::set<std::uint64_t> open_;                       // tickets of what other actors were asked to tell
  std::uint64_t last_ticket_ = 0;
  std::optional<messages::fault> failure_;                // the first since the last synchronize
  std::uint64_t failures_ = 0;                            // how often there was a first one
  std::optional<messages::fault> stopped_;                // why, if the stream takes no new work
  sequence aborted_ = sequence::none;                     // work up to here is dropped
  std::list<messages::answer<messages::done>> aborting_;  // who waits for the engine to have none of it
  std::list<host_waiter> waiters_;                        // by rising position
  std::vector<awaiting> awaiting_;
};

}  // namespace soma::actors
