// The DEVICE: owns the memory budget, the address range and the plain heaps, and the list of its streams,
// pools and engines.
//
// Never does: decide about blocks of pools, or wait. What takes several answers (a synchronize, telling all
// pools) is an operation in its own right, known by a number, while other messages are taken.
//
// Requests for memory are served one at a time, in order; under pressure the pools are asked, one after the
// other and lowest number first, to give up idle memory. A pool answers that at once, so no pool that waits
// for the device can hold another one up.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "actors/shell.hpp"
#include "memory/backing.hpp"
#include "memory/layout.hpp"
#include "memory/plain_heap.hpp"
#include "memory/window_list.hpp"
#include "messages/all.hpp"

namespace soma::actors {

/// Counts what is given unique numbers in a runtime. Shared by its devices; each number is given once.
class number_source {
public:
  std::uint64_t next() noexcept { return last_.fetch_add(1, std::memory_order_relaxed) + 1; }

private:
  std::atomic<std::uint64_t> last_{0};
};

struct device_settings {
  std::uint64_t memory = 0;  // bytes, whole granules
  memory::device_layout layout;
  std::uint32_t engine_limit = 0;        // 0: none
  std::uint32_t kept_engines = 2;        // idle ones beyond this end
  messages::checker_actor checker = {};  // null if the runtime is not checked
  bool guard = false;                    // pools make what is free inaccessible
  bool only_one = false;                 // all streams are this device's
  std::uint32_t index = 0;               // among the devices of the runtime
  std::shared_ptr<const messages::failure_listener> on_failed_task = {};  // null if nobody listens
  bool plain_pool = false;  // small plain memory comes out of chunks
};

/// The usual size of pages, as programs are told.
inline constexpr std::uint64_t small_page_bytes = 4096;

class device_state {
public:
  using handle_type = messages::device_actor;
  static constexpr auto name = "device";

  device_state(self<handle_type> own, const device_settings& settings,
               std::shared_ptr<memory::backing> backing, std::shared_ptr<number_source> numbers);

  [[nodiscard]] std::uint64_t label() const noexcept { return settings_.index; }

  // Making and ending (device.cpp).
  void handle(messages::create_stream& message);
  void handle(messages::create_event& message);
  void handle(messages::create_pool& message);
  void handle(messages::stream_ended& message);
  void handle(messages::await_stream_end& message);
  void handle(messages::pool_ended& message);
  void handle(messages::group_failed& message);
  void handle(messages::shut_down& message);

  // Memory (device_memory.cpp).
  void handle(messages::malloc_plain& message);
  void handle(messages::free_plain& message);
  void handle(messages::begin_plain_free& message);
  void handle(messages::end_plain_free& message);
  void handle(messages::read_memory& message);
  void handle(messages::read_device& message);
  void handle(messages::reserve_memory& message);
  void handle(messages::return_memory& message);
  void handle(messages::answered<messages::memory_released>& message);

  // Notes, load and abort (device_control.cpp).
  void handle(messages::abort_device& message);
  void handle(messages::write_device_note& message);
  void handle(messages::read_device_note& message);
  void handle(messages::read_load& message);
  // What others keep of the memory (device_plain.cpp).
  void handle(messages::take_budget& message);
  void handle(messages::return_budget& message);
  void handle(messages::find_plain& message);
  void handle(messages::read_plain_pool& message);

  // Which tasks the host has seen (device_order.cpp).
  void handle(messages::find_seen& message);

  // What the host waits for and sees (device_host.cpp).
  void handle(messages::synchronize_device& message);
  void handle(messages::host_saw_tasks& message);
  void handle(messages::answered<messages::stream_seen>& message);
  void handle(messages::answered<messages::done>& message);

  // Engines (device_engines.cpp).
  void handle(messages::run_tasks& message);
  void handle(messages::engine_idle& message);
  void handle(messages::engine_ended& message);

private:
  struct stream_entry {
    messages::stream_actor stream;
    std::uint64_t failure_group = 0;
    std::uint64_t failures_told = 0;  // to the host, by a synchronize of the device
  };
  struct pool_entry {
    messages::pool_actor pool;
    memory::range window;
    memory::kind_wish kind = {};
    std::uint64_t reserved = 0;  // of the budget
  };

  // A request for memory that is being served, or waits for its turn.
  struct memory_request {
    std::variant<messages::reserve_memory, messages::malloc_plain, messages::take_budget> wanted;
    messages::pressure allowed = messages::pressure::none;
    std::optional<memory::pool_id> asked;  // the pool that was asked last to give memory up
    bool waiting = false;                  // for that pool
  };

  // Telling all pools what the host has seen; complete when all have answered.
  struct host_operation {
    std::size_t open = 0;  // answers to come
    bool release = false;
    messages::order_clock seen;
    messages::answer<messages::done> reply;
  };

  // Waiting for all streams.
  struct synchronize_operation {
    std::size_t open = 0;  // answers to come
    messages::answer<messages::stream_seen> reply;
    messages::stream_seen told;
  };

  // Memory.
  [[nodiscard]] std::uint64_t left() const noexcept { return settings_.memory - reserved_; }
  void pool_reserved(memory::pool_id pool, std::uint64_t bytes);
  void pool_returned(memory::pool_id pool, std::uint64_t bytes);
  void serve();
  bool serve_front();
  bool serve(messages::reserve_memory& wanted, bool last_chance);
  bool serve(messages::malloc_plain& wanted, bool last_chance);
  bool serve(messages::take_budget& wanted, bool last_chance);
  bool ask_next_pool(memory_request& front, std::uint64_t missing);
  messages::result<memory::address> malloc_host(std::uint64_t bytes, std::uint64_t page_bytes);
  void release_unused(memory::plain_heap& heap, bool of_budget);
  void end_plain_frees_of(memory::stream_id stream);
  memory::plain_heap& heap_of(messages::plain_kind kind) noexcept {
    return kind == messages::plain_kind::host ? host_ : plain_;
  }
  [[nodiscard]] bool is_for_plain_pool(messages::plain_kind kind, memory::address block) const;
  void given_out(const messages::malloc_plain& wanted, memory::address block);
  void given_back(memory::address block);

  // Order.
  [[nodiscard]] bool is_seen(memory::position task) const;
  [[nodiscard]] memory::order_clock unseen_of(const memory::order_clock& tasks) const;
  void remember_seen(const memory::order_clock& seen);
  void remember_end(memory::stream_id stream, memory::sequence_number last);

  // Host operations.
  void tell_pools(std::uint64_t number);
  void one_answered(std::uint64_t number);
  void finish(std::uint64_t number);
  void synchronized(std::uint64_t number);

  void end_if_drained();
  void engine_wanted();
  void start_engine(messages::run_tasks run);
  void stop_longest_idle_engine();

  self<handle_type> own_;
  device_settings settings_;
  std::shared_ptr<memory::backing> backing_;
  std::shared_ptr<number_source> numbers_;

  std::map<memory::stream_id, stream_entry> streams_;
  std::map<std::uint64_t, messages::fault> failed_groups_;  // of streams that have stopped together
  std::multimap<memory::stream_id, messages::answer<messages::done>>
      awaiting_end_;  // of streams that are dead
  std::map<memory::pool_id, pool_entry> pools_;

  memory::window_list windows_;
  memory::plain_heap plain_;
  memory::plain_heap host_;
  std::map<memory::address, std::uint64_t> large_pages_;  // of blocks that asked for larger pages than usual
  messages::plain_pool_actor plain_pool_;                 // null if there is none
  std::set<memory::address> chunks_;                      // that it has
  std::map<memory::address, memory::stream_id> small_frees_;  // of its parts: begun by streams, not executed
  std::map<memory::address, memory::stream_id> plain_frees_;  // begun by streams, and not executed
  std::uint64_t reserved_ = 0;                                // of the budget, by pools and plain memory
  std::deque<memory_request> requests_;

  std::map<std::uint64_t, host_operation> operations_;
  std::map<std::uint64_t, synchronize_operation> synchronizing_;
  std::uint64_t last_operation_ = 0;
  messages::stream_seen untold_;  // what ended streams have told, and no synchronize has returned yet

  memory::order_clock seen_;  // of streams that live, or ended unseen: what all pools know to be seen
  std::map<memory::stream_id, memory::sequence_number> ended_unseen_;  // with their last tasks

  std::map<std::pair<messages::device_note, std::uint32_t>, std::uint64_t> notes_;

  std::deque<messages::run_tasks> runs_;  // that wait for an engine
  std::set<std::uint64_t> engines_;       // by number; those that were told to end are left out
  std::uint64_t last_engine_ = 0;
  std::vector<messages::engine_idle> idle_engines_;  // of them; the one that was busy last is at the end

  std::optional<messages::answer<messages::done>> shutting_down_;
  bool abandoned_pools_ = false;
};

}  // namespace soma::actors
