// The ends of the runtime that the objects of the C++ interface hold. Each end keeps the runtime alive; the
// last one to go ends it.
//
// These are the caller's side of the actors: immutable after creation apart from what is marked, so that any
// thread may use them at any time.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "actors/caller.hpp"
#include "actors/foreign_code.hpp"
#include "actors/tracing.hpp"
#include "api/cpp/metrics_keeper.hpp"
#include "api/cpp/route_table.hpp"
#include "api/cpp/translate.hpp"
#include "memory/backing.hpp"
#include "memory/layout.hpp"
#include "messages/all.hpp"
#include "soma/soma.hpp"

namespace soma::detail {

class device_end;
class pool_end;

/// How many forks this process is away from the one that the library was loaded in.
inline std::atomic<std::uint64_t> forks{0};

/// What a runtime stands on. The explorer brings one of its own.
struct environment {
  std::shared_ptr<memory::backing> backing;
  std::shared_ptr<caf::actor_system> system;  // with the configuration that it needs
  std::unique_ptr<actors::caller> caller;
};

/// The actor system, the address range and the devices.
class runtime_end : public std::enable_shared_from_this<runtime_end> {
public:
  static expected<std::shared_ptr<runtime_end>> create(const runtime_options& options);

  /// On what is given. Preconditions: 1 to 1024 devices; their memory is whole granules, and not 0.
  static expected<std::shared_ptr<runtime_end>> create(const runtime_options& options, environment on);

  /// Without devices.
  runtime_end(const runtime_options& options, environment on);
  ~runtime_end();
  runtime_end(const runtime_end&) = delete;
  runtime_end& operator=(const runtime_end&) = delete;

  [[nodiscard]] actors::caller& caller() noexcept { return *caller_; }
  [[nodiscard]] caf::actor_system& system() noexcept { return *system_; }
  [[nodiscard]] std::size_t device_count() const noexcept { return devices_.size(); }
  [[nodiscard]] device_end& device(std::size_t index) noexcept { return *devices_[index]; }
  [[nodiscard]] route_table& routes() noexcept { return routes_; }
  [[nodiscard]] metrics_keeper& kept_metrics() noexcept { return metrics_; }
  [[nodiscard]] const memory::backing& backing() const noexcept { return *backing_; }

  /// The race detector; null if the runtime is not checked.
  [[nodiscard]] const messages::checker_actor& checker() const noexcept { return checker_; }

  /// The address space, which is made when it is first needed.
  [[nodiscard]] const messages::address_space_actor& address_space();
  [[nodiscard]] bool has_address_space() const noexcept {
    return has_address_space_.load(std::memory_order_acquire);
  }

  /// The device whose range this address is in, or null.
  [[nodiscard]] device_end* owner(memory::address place) noexcept;

  /// Whether the calling thread may submit, allocate, free or wait.
  [[nodiscard]] expected<void> may_submit(std::string_view call) const;
  /// The same in short, for calls that are made in place where nothing is wrong.
  [[nodiscard]] bool may_submit_now() const noexcept { return !actors::in_foreign_code() && !in_child(); }
  /// Whether the calling thread may ask for figures.
  [[nodiscard]] expected<void> may_read(std::string_view call) const;

private:
  expected<void> start_devices(const runtime_options& options);
  void start_checker(const check_options& options);
  [[nodiscard]] bool in_child() const noexcept {
    return forks.load(std::memory_order_relaxed) != forks_at_start_;
  }

  std::uint64_t forks_at_start_;
  actors::signal_guard signals_;
  std::shared_ptr<memory::backing> backing_;
  std::shared_ptr<caf::actor_system> system_;
  std::unique_ptr<actors::caller> caller_;
  messages::checker_actor checker_;
  std::vector<std::unique_ptr<device_end>> devices_;
  route_table routes_;
  metrics_keeper metrics_;
  std::once_flag making_address_space_;
  messages::address_space_actor address_space_;
  std::atomic<bool> has_address_space_{false};
};

class event_end {
public:
  static constexpr std::string_view noun = "event";

  event_end(std::shared_ptr<runtime_end> of, device_end& on, messages::created_event created)
      : runtime(std::move(of)), device(on), id(created.id), actor(std::move(created.event)) {}

  std::shared_ptr<runtime_end> runtime;
  device_end& device;
  memory::event_id id;
  messages::event_actor actor;
  std::atomic<bool> destroyed{false};

  /// The number of the next record, and the number of the latest one that others may ask about (0: none).
  /// A record is published only after the event knows it.
  memory::record_number next_record() noexcept {
    return memory::record_number{issued_.fetch_add(1, std::memory_order_relaxed) + 1};
  }
  void publish(memory::record_number recorded) noexcept;
  void forget_records() noexcept { latest_.store(0, std::memory_order_release); }
  [[nodiscard]] memory::record_number latest() const noexcept {
    return memory::record_number{latest_.load(std::memory_order_acquire)};
  }

private:
  std::atomic<std::uint64_t> issued_{0};
  std::atomic<std::uint64_t> latest_{0};
};

class stream_end {
public:
  static constexpr std::string_view noun = "stream";

  stream_end(std::shared_ptr<runtime_end> of, device_end& on, messages::created_stream created,
             bool is_blocking)
      : runtime(std::move(of)), device(on), id(created.id), actor(std::move(created.stream)),
        blocking(is_blocking) {}

  std::shared_ptr<runtime_end> runtime;  // null for the default stream, which belongs to the device
  device_end& device;
  memory::stream_id id;
  messages::stream_actor actor;
  const bool blocking;
  std::atomic<bool> destroyed{false};
  /// Whether the stream may refuse work because it has stopped. Set before the stream knows.
  std::atomic<bool> may_stop{false};
};

// The runtime's routes hold it, so it cannot hold the runtime; a soma::pool holds both.
class pool_end {
public:
  static constexpr std::string_view noun = "pool";

  pool_end(device_end& on, messages::created_pool created, const memory_kind& wanted)
      : device(on), id(created.id), actor(std::move(created.pool)), window(created.window), kind(wanted),
        kind_answer(std::move(created.kind)) {}

  device_end& device;
  memory::pool_id id;
  messages::pool_actor actor;
  memory::range window;
  memory_kind kind;
  memory::kind_answer kind_answer;
  std::atomic<bool> destroyed{false};
};

class device_end {
public:
  device_end(runtime_end& of, std::uint32_t number, const memory::device_layout& parts,
             messages::device_actor acting)
      : runtime(of), index(number), layout(parts), actor(std::move(acting)) {}

  runtime_end& runtime;
  std::uint32_t index;
  memory::device_layout layout;
  messages::device_actor actor;
  std::shared_ptr<stream_end> default_stream;

  /// Orders a task that is about to be submitted to `target` behind the streams that it must wait for by the
  /// rule of blocking streams. Costs one load while a device has no blocking stream.
  expected<void> join(std::string_view call, stream_end& target);

  /// Whether there is nothing to join.
  [[nodiscard]] bool joins_nothing() const noexcept { return !has_blocking_.load(std::memory_order_acquire); }

  void add_blocking(const std::shared_ptr<stream_end>& stream);

private:
  expected<void> wait_for(std::string_view call, stream_end& target, stream_end& awaited);

  std::atomic<bool> has_blocking_{false};
  std::mutex joining_;  // guards what follows; held while a join is submitted, so that joins do not mix
  std::vector<std::weak_ptr<stream_end>> blocking_;
  std::shared_ptr<event_end> join_event_;
};

/// Whether the object is there.
template <class End>
bool usable(const std::shared_ptr<End>& end) noexcept {
  return end != nullptr && !end->destroyed.load(std::memory_order_acquire);
}

/// Whether a call may submit to the stream, and has to see to nothing else before.
inline bool may_submit_now(const std::shared_ptr<stream_end>& end) noexcept {
  return usable(end) && end->device.runtime.may_submit_now() && end->device.joins_nothing();
}

/// Frees a block of the pool by a task of the stream; both are checked here.
expected<void> free_block(std::string_view call, const std::shared_ptr<pool_end>& pool, void* address,
                          const std::shared_ptr<stream_end>& on, const memory::place& where);

/// invalid_handle if the object is not there any more.
template <class End>
expected<void> check(std::string_view call, const std::shared_ptr<End>& end) {
  if (end == nullptr || end->destroyed.load(std::memory_order_acquire)) {
    return fail(call, errc::invalid_handle,
                "the " + std::string(End::noun) + " was destroyed, or the object was moved from");
  }
  return {};
}

/// Tells the device, and through it all pools, what the host has seen complete.
memory::result<messages::done> host_saw(device_end& device, messages::order_clock seen, bool release);

inline memory::address to_address(const void* pointer) noexcept {
  return memory::address{reinterpret_cast<std::uint64_t>(pointer)};
}

inline void* to_pointer(memory::address place) noexcept {
  return reinterpret_cast<void*>(memory::number(place));  // NOLINT(performance-no-int-to-ptr): device memory
}

/// A time that is too far away to be written down is no limit.
inline actors::deadline deadline_in(std::chrono::milliseconds limit) {
  constexpr std::chrono::hours for_ever{24 * 365 * 100};
  if (limit > for_ever) {
    return {};
  }
  return std::chrono::steady_clock::now() + std::max(limit, std::chrono::milliseconds::zero());
}

}  // namespace soma::detail
