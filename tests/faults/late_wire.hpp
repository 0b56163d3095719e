// A hook on the wire that delivers late. It holds back what actors of one kind send to actors of another (a
// route) until nothing else happens any more, and then delivers one message after the other. What one sender
// sends to one receiver keeps its order, since all of a route that goes to one receiver does.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/local_actor.hpp>

#include "actors/wire.hpp"
#include "messages/all.hpp"

namespace fault_tests {

namespace messages = soma::messages;

enum class route : std::uint8_t {
  stream_to_event,
  event_to_stream,
  stream_to_pool,
  pool_to_stream,
  stream_to_device,
  device_to_stream,
  pool_to_device,
  device_to_pool,
  engine_to_device,
  device_to_engine,
  engine_to_stream,
};

inline constexpr std::array all_routes{
    route::stream_to_event,  route::event_to_stream,  route::stream_to_pool,   route::pool_to_stream,
    route::stream_to_device, route::device_to_stream, route::pool_to_device,   route::device_to_pool,
    route::engine_to_device, route::device_to_engine, route::engine_to_stream,
};

inline std::string to_string(route which) {
  constexpr std::array names{"StreamToEvent",  "EventToStream",  "StreamToPool",  "PoolToStream",
                             "StreamToDevice", "DeviceToStream", "PoolToDevice",  "DeviceToPool",
                             "EngineToDevice", "DeviceToEngine", "EngineToStream"};
  return names.at(static_cast<std::size_t>(which));
}

template <class... Messages>
bool carries_any(caf::mailbox_element& element) {
  return ((messages::carried<Messages>(element) != nullptr) || ...);
}

/// The route of a message between actors; none if it comes from a caller.
inline std::optional<route> route_of(std::string_view receiver, caf::mailbox_element& element) {
  using namespace soma::messages;
  if (receiver == "event") {
    const bool from_stream = carries_any<event_recorded, event_reached, order_query>(element);
    return from_stream ? std::optional(route::stream_to_event) : std::nullopt;
  }
  if (receiver == "engine") {
    return route::device_to_engine;
  }
  if (receiver == "pool") {
    if (carries_any<grant_block, give_back, undo_grant, free_executed, read_largest>(element)) {
      return route::stream_to_pool;
    }
    const bool from_device =
        carries_any<host_saw, release_idle, abandon_pool, answered<memory_reserved>>(element);
    return from_device ? std::optional(route::device_to_pool) : std::nullopt;
  }
  if (receiver == "stream") {
    if (carries_any<answered<block_granted>, answered<block_returned>>(element)) {
      return route::pool_to_stream;
    }
    if (carries_any<answered<record_order>, answered<record_reached>>(element)) {
      return route::event_to_stream;
    }
    if (carries_any<answered<tasks_run>>(element)) {
      return route::engine_to_stream;
    }
    const bool from_device = carries_any<stop_stream, answered<done>>(element);
    return from_device ? std::optional(route::device_to_stream) : std::nullopt;
  }
  if (carries_any<begin_plain_free, end_plain_free, stream_ended, group_failed, run_tasks,
                  answered<stream_seen>>(element)) {
    return route::stream_to_device;
  }
  if (carries_any<reserve_memory, return_memory, pool_ended, answered<memory_released>, answered<done>>(
          element)) {
    return route::pool_to_device;
  }
  const bool from_engine = carries_any<engine_idle, engine_ended>(element);
  return from_engine ? std::optional(route::engine_to_device) : std::nullopt;
}

/// On the wire as long as it exists.
class late_wire final : public soma::actors::wire_hook {
public:
  /// Holds back one route.
  explicit late_wire(route late) : late_(late), random_(1) { start(); }

  /// Holds back what chance says, of all links.
  explicit late_wire(std::uint32_t seed) : random_(seed) { start(); }

  ~late_wire() override {
    over_ = true;
    thread_.join();
    soma::actors::wire::install(nullptr);
  }

  late_wire(const late_wire&) = delete;
  late_wire& operator=(const late_wire&) = delete;
  late_wire(late_wire&&) = delete;
  late_wire& operator=(late_wire&&) = delete;

  [[nodiscard]] int held() const { return held_count_; }

  bool pass(caf::abstract_actor& to, caf::mailbox_element_ptr& element) override {
    ++passed_;
    const auto* local = dynamic_cast<const caf::local_actor*>(&to);
    const auto of = local == nullptr ? std::nullopt : route_of(local->name(), *element);
    if (delivering || !of) {
      return true;
    }
    const std::lock_guard guard(lock_);
    if (!is_late(*of) && !is_behind(*of, to)) {
      return true;
    }
    ++held_count_;
    held_.push_back({*of, caf::actor_cast<caf::strong_actor_ptr>(&to), std::move(element)});
    return false;
  }

private:
  struct held_message {
    route of;
    caf::strong_actor_ptr to;
    caf::mailbox_element_ptr element;
  };

  void start() {
    soma::actors::wire::install(this);
    thread_ = std::thread([this] { deliver(); });
  }

  // The lock is held.
  bool is_late(route of) { return late_ ? of == *late_ : random_() % 3 == 0; }

  bool is_behind(route of, const caf::abstract_actor& to) const {
    return std::any_of(held_.begin(), held_.end(),
                       [&](const held_message& held) { return held.of == of && held.to->id() == to.id(); });
  }

  // It looks at the wire from time to time: how late a message comes depends on the machine, but no test
  // does.
  void deliver() {
    int before = -1;
    while (!over_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const int now = passed_;
      if (std::exchange(before, now) == now) {
        deliver_one();
      }
    }
  }

  void deliver_one() {
    std::optional<held_message> next;
    {
      const std::lock_guard guard(lock_);
      if (held_.empty()) {
        return;
      }
      // Any that has none of its route to its receiver before it.
      const auto& chosen = held_[late_ ? 0 : random_() % held_.size()];
      const auto first = std::find_if(held_.begin(), held_.end(), [&](const held_message& held) {
        return held.of == chosen.of && held.to == chosen.to;
      });
      next = std::move(*first);
      held_.erase(first);
    }
    delivering = true;
    auto* to = caf::actor_cast<caf::abstract_actor*>(next->to);
    to->enqueue(std::move(next->element), nullptr);
    delivering = false;
  }

  static inline thread_local bool delivering = false;

  std::optional<route> late_;
  std::thread thread_;
  std::atomic<bool> over_{false};
  std::atomic<int> passed_{0};
  std::atomic<int> held_count_{0};
  std::mutex lock_;  // guards what follows
  std::mt19937 random_;
  std::deque<held_message> held_;
};

}  // namespace fault_tests
