// A pool alone, with a probe for its device.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "actors/pool.hpp"
#include "fixture.hpp"

namespace actor_tests {

/// How a test wants its pool.
struct pool_setup {
  std::uint64_t limit = 16 * granule;
  std::uint64_t minimum_block = granule;
  memory::switches reuse = {};
  std::uint64_t release_threshold = ~std::uint64_t{0};
  bool guard = false;
};

class pool_fixture : public actor_fixture {
protected:
  static constexpr std::uint64_t window_bytes = 32 * granule;
  static constexpr memory::pool_id own{6};
  static constexpr auto seen = memory::ordered_heap::releasable::seen;
  static constexpr auto executed = memory::ordered_heap::releasable::executed;

  pool_fixture() {
    auto reserved = memory::backing::reserve(window_bytes, window_bytes);
    if (!reserved) {
      throw std::runtime_error(reserved.error().text);
    }
    backing_ = std::move(*reserved);
    make_pool({});
  }

  void make_pool(const pool_setup& setup) {
    pool_ = nullptr;
    run();
    device_.forgetter()();
    const memory::range window{backing_->addresses().begin, window_bytes};
    const actors::pool_settings settings{
        own, window, setup.limit, setup.minimum_block, setup.reuse, setup.release_threshold, setup.guard};
    pool_ = actors::spawn<actors::pool_state>(system(), settings, device_.handle(), backing_);
  }

  // -- blocks ---------------------------------------------------------------------------------------------
  auto want(std::uint64_t stream, std::uint64_t bytes, messages::order_clock ordered = {}) {
    auto answered =
        ask(pool_, messages::grant_block{messages::stream_id{stream}, std::move(ordered), bytes, {}});
    return answered;
  }
  /// A block that needs new memory, which the device has.
  messages::address block(std::uint64_t stream, std::uint64_t bytes) {
    const auto wanted = want(stream, bytes);
    if (!wanted.arrived()) {
      allow();
    }
    return taken(wanted);
  }
  /// What a stream does with a block that it was granted.
  messages::address taken(const reply<messages::block_granted>& wanted) {
    answer(wanted.value().queued, messages::done{});
    return wanted.value().block.begin;
  }
  auto give_back(messages::address freed, messages::position task) {
    return ask(pool_, messages::give_back{freed, task, stream(memory::number(task.stream)), {}});
  }
  auto give_back_now(messages::address freed) { return ask(pool_, messages::give_back_now{freed, {}}); }
  void execute(messages::position task) { tell(pool_, messages::free_executed{task}); }
  auto host_saw(messages::order_clock what, bool release = false) {
    return ask(pool_, messages::host_saw{std::move(what), release, {}});
  }
  /// Idle memory that everyone may have.
  void make_settled(std::uint64_t bytes) { give_back_now(block(9, bytes)); }

  /// What stands for a stream.
  messages::stream_actor stream(std::uint64_t number) {
    auto found = streams_.find(number);
    if (found == streams_.end()) {
      found = streams_.emplace(number, make_probe<messages::stream_actor>()).first;
    }
    return found->second.handle();
  }

  // -- the device -----------------------------------------------------------------------------------------
  /// The device has what the pool asked for.
  messages::reserve_memory allow() {
    auto asked = device_.take<messages::reserve_memory>();
    answer(asked.reply, messages::memory_reserved{asked.bytes, 0});
    return asked;
  }
  /// The device has not.
  messages::reserve_memory deny(std::uint64_t left = 0) {
    auto asked = device_.take<messages::reserve_memory>();
    answer(asked.reply, messages::memory_reserved{0, left});
    return asked;
  }
  /// The device says how much it has; the pool asks before it refuses something by its limit.
  void tell_left(std::uint64_t left = 0) {
    const auto asked = deny(left);
    EXPECT_EQ(asked.bytes, 0U);
    EXPECT_EQ(asked.allowed, messages::pressure::none);
  }
  std::uint64_t returned() { return device_.take<messages::return_memory>().bytes; }

  auto figures() { return ask(pool_, messages::read_figures{}); }
  memory::heap_figures heap() { return figures().value().heap; }
  auto release_idle(std::uint64_t bytes, memory::ordered_heap::releasable which) {
    return ask(pool_, messages::release_idle{bytes, which, {}});
  }
  auto set(messages::setting which, std::uint64_t value) {
    return ask(pool_, messages::change_setting{which, value, {}});
  }
  auto trim(std::uint64_t keep) { return ask(pool_, messages::trim_pool{keep, {}}); }
  void retire() { tell(pool_, messages::retire_pool{}); }
  [[nodiscard]] bool has_ended() {
    return ask(pool_, messages::read_figures{}).failed_with(fault_code::actor_gone);
  }

  probe<messages::device_actor> device_ = make_probe<messages::device_actor>();
  std::map<std::uint64_t, probe<messages::stream_actor>> streams_;
  std::shared_ptr<memory::backing> backing_;
  messages::pool_actor pool_;
};

}  // namespace actor_tests
