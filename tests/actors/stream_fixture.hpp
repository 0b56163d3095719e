// A stream alone, between a device, a pool and an event that are probes.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "actors/stream.hpp"
#include "fixture.hpp"

namespace actor_tests {

class stream_fixture : public actor_fixture {
protected:
  static constexpr std::uint64_t own = 5;    // the number of the stream
  static constexpr std::uint64_t group = 3;  // its failure group

  explicit stream_fixture(messages::on_failure mode = messages::on_failure::proceed)
      : stream_(actors::spawn<actors::stream_state>(system(), messages::stream_id{own}, device_.handle(),
                                                    mode, group)) {}

  // -- what callers send ----------------------------------------------------------------------------------
  auto malloc(std::uint64_t bytes = granule) {
    return ask(stream_, messages::malloc_async{pool_.handle(), bytes, {}});
  }
  auto free(messages::address block = a_block) {
    return ask(stream_, messages::free_async{pool_.handle(), block, {}});
  }
  auto free_plain(messages::address block = a_block) {
    return ask(stream_, messages::free_plain_async{block, {}});
  }
  auto submit() {
    return ask(stream_, messages::submit_work{messages::host_call{[] {}}, {}});
  }
  auto record(std::uint64_t number = 1) {
    return ask(stream_, messages::record_event{event_.handle(), messages::record_number{number}, {}});
  }
  auto wait(std::uint64_t number = 1) {
    return ask(stream_, messages::wait_event{event_.handle(), messages::record_number{number}, {}});
  }
  auto synchronize() { return ask(stream_, messages::synchronize_stream{}); }
  auto query() { return ask(stream_, messages::query_stream{}); }
  auto set_mode(messages::on_failure mode) { return ask(stream_, messages::set_failure_mode{mode, {}}); }
  void retire() { tell(stream_, messages::retire_stream{}); }
  auto await_task(std::uint64_t sequence) {
    return ask(stream_, messages::await_task{messages::sequence_number{sequence}, {}});
  }

  // -- what the counterparts do ---------------------------------------------------------------------------
  messages::block_granted granted(std::vector<messages::awaited_task> wait_for = {}) const {
    messages::block_granted granted;
    granted.block = {a_block, granule};
    granted.wait_for = std::move(wait_for);
    granted.queued = queued_.token();
    return granted;
  }
  messages::grant_block grant(std::vector<messages::awaited_task> wait_for = {}) {
    auto wanted = pool_.take<messages::grant_block>();
    answer(wanted.reply, granted(std::move(wait_for)));
    return wanted;
  }
  messages::give_back take_back() {
    auto freed = pool_.take<messages::give_back>();
    answer(freed.reply, messages::block_returned{granule});
    return freed;
  }
  /// Tells the stream what it asked the event: the order of a record that was not executed yet.
  void tell_order(messages::position record, messages::order_clock ordered = {}, bool reached = false) {
    answer(event_.take<messages::order_query>().reply,
           messages::record_order{record, std::move(ordered), reached});
  }
  void tell_reached(messages::position record = at(2, 2)) {
    answer(event_.take<messages::await_record>().reply, messages::record_reached{record, {}, {}, {}});
  }
  /// Lets an engine run what the stream gave to the device; returns how many tasks that was.
  std::size_t run_tasks(std::optional<messages::fault> failure = {}) {
    const auto run = device_.take<messages::run_tasks>();
    answer(run.reply, messages::tasks_run{run.tasks.size(), std::move(failure)});
    return run.tasks.size();
  }
  [[nodiscard]] bool is_running() const { return device_.count<messages::run_tasks>() > 0; }

  static constexpr messages::address a_block{0x1000'0000};
  static constexpr messages::address another_block{0x2000'0000};

  probe<messages::device_actor> device_ = make_probe<messages::device_actor>();
  probe<messages::pool_actor> pool_ = make_probe<messages::pool_actor>();
  probe<messages::event_actor> event_ = make_probe<messages::event_actor>();
  probe<messages::stream_actor> other_ = make_probe<messages::stream_actor>();
  messages::stream_actor stream_;
  reply<messages::done> queued_;  // what the stream tells about the blocks that it was granted
};

}  // namespace actor_tests
