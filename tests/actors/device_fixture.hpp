// A device with real streams and pools, in a system in which nothing runs by itself.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "actors/device.hpp"
#include "fixture.hpp"
#include "memory/window_list.hpp"
#include "wire_tap.hpp"

namespace actor_tests {

inline constexpr std::uint64_t pool_slots = 4;  // as many windows as there are for pools

/// Addresses for one device, and how it divides them.
class device_addresses {
public:
  device_addresses() {
    constexpr auto bytes = (1 + pool_slots) * memory::slot_bytes;
    auto reserved = memory::backing::reserve(bytes, bytes);
    if (!reserved) {
      throw std::runtime_error(reserved.error().text);
    }
    backing_ = std::move(*reserved);
  }

  [[nodiscard]] const std::shared_ptr<memory::backing>& backing() const { return backing_; }

  [[nodiscard]] actors::device_settings settings(std::uint64_t memory_bytes) const {
    actors::device_settings made;
    made.memory = memory_bytes;
    const auto begin = backing_->addresses().begin;
    made.layout.plain = {begin, memory::slot_bytes / 2};
    made.layout.host = {made.layout.plain.end(), memory::slot_bytes / 2};
    made.layout.pools = {made.layout.host.end(), pool_slots * memory::slot_bytes};
    made.only_one = true;
    return made;
  }

private:
  std::shared_ptr<memory::backing> backing_;
};

class device_fixture : public actor_fixture {
protected:
  static constexpr std::uint64_t device_memory = 8 * granule;
  static constexpr std::uint64_t keep_all = ~std::uint64_t{0};

  device_fixture()
      : device_(actors::spawn<actors::device_state>(system(), addresses_.settings(device_memory),
                                                    addresses_.backing(),
                                                    std::make_shared<actors::number_source>())) {}

  /// Every test ends with an orderly end of its device.
  void TearDown() override {
    for (const auto& stream : streams_) {
      tell(stream, messages::retire_stream{});
    }
    event_.forgetter()();
    run();
    EXPECT_TRUE(ask(device_, messages::shut_down{}).arrived());
  }

  // -- making ---------------------------------------------------------------------------------------------
  auto want_pool(std::uint64_t limit = 0, std::uint64_t minimum_block = granule,
                 std::uint64_t threshold = keep_all) {
    return ask(device_, messages::create_pool{limit, minimum_block, {}, threshold, {}});
  }
  messages::created_pool make_pool() { return want_pool().value(); }
  messages::created_stream make_stream(messages::on_failure mode = messages::on_failure::proceed,
                                       std::uint64_t group = 0) {
    const auto made = ask(device_, messages::create_stream{mode, group, {}});
    streams_.push_back(made.value().stream);
    return made.value();
  }

  // -- memory ---------------------------------------------------------------------------------------------
  auto reserve(std::uint64_t bytes, messages::pressure allowed, memory::pool_id asking) {
    return ask(device_, messages::reserve_memory{asking, bytes, allowed, {}});
  }
  auto reserve(std::uint64_t bytes, messages::pressure allowed) { return reserve(bytes, allowed, asker()); }
  /// A pool that is there to be asked for, and holds nothing.
  memory::pool_id asker() {
    if (!asker_) {
      asker_ = make_pool().id;
    }
    return *asker_;
  }
  auto malloc(std::uint64_t bytes, messages::plain_kind kind = messages::plain_kind::device) {
    return ask(device_, messages::malloc_plain{kind, bytes, {}});
  }
  auto free(messages::address block, messages::plain_kind kind = messages::plain_kind::device) {
    return ask(device_, messages::free_plain{kind, block, {}});
  }
  std::uint64_t left() { return ask(device_, messages::read_memory{}).value().free; }

  auto want_block(const messages::created_pool& of, std::uint64_t bytes, std::uint64_t stream = 901) {
    const auto wanted = ask(of.pool, messages::grant_block{messages::stream_id{stream}, {}, bytes, {}});
    if (wanted.succeeded()) {
      answer(wanted.value().queued, messages::done{});
    }
    return wanted;
  }
  messages::address block(const messages::created_pool& of, std::uint64_t bytes) {
    return want_block(of, bytes).value().block.begin;
  }
  void make_idle(const messages::created_pool& of, std::uint64_t bytes) {
    ask(of.pool, messages::give_back_now{block(of, bytes), {}});
  }
  /// Idle memory whose free was executed, but not seen by the host.
  void make_executed(const messages::created_pool& of, std::uint64_t bytes) {
    ask(of.pool, messages::give_back{block(of, bytes), at(901, 2), {}, {}});
    tell(of.pool, messages::free_executed{at(901, 2)});
  }
  std::uint64_t reserved(const messages::created_pool& of) {
    return ask(of.pool, messages::read_figures{}).value().heap.reserved;
  }

  // -- streams --------------------------------------------------------------------------------------------
  /// Keeps the stream from settling anything until release() is called.
  void block(const messages::created_stream& stream) {
    request(stream.stream, messages::wait_event{event_.handle(), messages::record_number{1}, {}});
    run();
  }
  void unblock() { answer(event_.take<messages::order_query>().reply, messages::record_order{{}, {}, true}); }
  /// Makes a task of the stream fail: it is lost on the way to the device.
  void fail(const messages::created_stream& stream) {
    const wire_tap tap(all_but<messages::run_tasks>, wire_tap::fate::lose);
    ask(stream.stream, messages::submit_work{messages::host_call{[] {}}, {}});
  }
  auto synchronize() { return ask(device_, messages::synchronize_device{}); }

  device_addresses addresses_;
  messages::device_actor device_;
  std::vector<messages::stream_actor> streams_;
  std::optional<memory::pool_id> asker_;
  probe<messages::event_actor> event_ = make_probe<messages::event_actor>();
};

}  // namespace actor_tests
