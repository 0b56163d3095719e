#include "soma/runtime.hpp"

#include <pthread.h>

#include <atomic>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "actors/address_space.hpp"
#include "actors/checker.hpp"
#include "actors/device.hpp"
#include "api/cpp/checks.hpp"
#include "api/cpp/metrics_file.hpp"
#include "api/cpp/recorder.hpp"
#include "api/cpp/trace_at_end.hpp"
#include "memory/sizes.hpp"

namespace soma {

namespace detail {

namespace {

// CAF's workers are needed only for what callers leave over.
constexpr std::size_t workers = 1;

constexpr std::string_view creating = "runtime::create";

void watch_forks() {
  static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
}

struct system_with_configuration {
  caf::actor_system_config config;
  std::optional<caf::actor_system> system;
};

std::shared_ptr<caf::actor_system> start_system() {
  auto both = std::make_shared<system_with_configuration>();
  messages::configure(both->config, workers);
  both->system.emplace(both->config);
  messages::forget_logger();
  auto* system = &*both->system;
  return {std::move(both), system};
}

// CAF does not survive that one of its threads cannot be started, so as many are started here first. Throws
// std::system_error.
void check_threads() {
  constexpr std::size_t needed = workers + 3;
  std::atomic<bool> go_on{false};
  std::vector<std::thread> tried;
  const auto join_all = [&] {
    go_on.store(true);
    go_on.notify_all();
    for (auto& one : tried) {
      one.join();
    }
  };
  try {
    tried.reserve(needed);
    while (tried.size() < needed) {
      tried.emplace_back([&go_on] { go_on.wait(false); });
    }
  } catch (...) {
    join_all();
    throw;
  }
  join_all();
}

// What the program is told of a failed task.
std::shared_ptr<const messages::failure_listener> listener_for(std::uint32_t device,
                                                               const runtime_options& options) {
  if (options.on_failed_task == nullptr) {
    return nullptr;
  }
  return std::make_shared<const messages::failure_listener>([device, tell = options.on_failed_task](
                                                                const messages::failed_task& failed) {
    const auto why = translate("task", failed.why);
    failed_task told{device, memory::number(failed.at.stream), memory::number(failed.at.sequence), 0, why};
    if (const auto* kernel = std::get_if<messages::kernel_launch>(&failed.task)) {
      told.tag = kernel->tag;
      told.function = kernel->function;
      told.arguments = kernel->arguments;
      told.argument_bytes = kernel->argument_bytes;
    }
    tell(told);
  });
}

// A runtime may be let go by a task that held the last object of it, on a thread that the runtime must wait
// for; then another thread ends it.
void end_runtime(runtime_end* ending) {
  if (actors::in_foreign_code() || actors::current_unit() != nullptr) {
    try {
      std::thread([ending] { delete ending; }).detach();
    } catch (const std::system_error&) {
      // The system has no thread for it. Here it would wait for itself, so it goes with the process.
    }
  } else {
    delete ending;
  }
}

}  // namespace

expected<std::shared_ptr<runtime_end>> runtime_end::create(const runtime_options& options) {
  const auto memory = memory::round_up_checked(options.device_memory, memory::granule_bytes);
  if (options.devices == 0 || options.devices > 1024) {
    return fail(creating, errc::invalid_argument,
                std::to_string(options.devices) + " devices were asked for; it can be 1 to 1024");
  }
  constexpr auto most_memory = std::uint64_t{1} << 42;
  if (!memory || *memory == 0 || *memory > most_memory) {
    return fail(creating, errc::invalid_argument,
                "devices with " + std::to_string(options.device_memory) +
                    " bytes of memory were asked for; it can be 1 byte to 4 TiB");
  }
  watch_forks();
  recorder::start_from_environment();
  trace_as_environment_says();
  const auto least = options.devices * memory::least_device_range();
  auto backing = memory::backing::reserve(std::max(memory::backing::sensible_range(), least), least);
  if (!backing) {
    return tl::unexpected(translate(creating, std::move(backing.error())));
  }
  auto exact = options;
  exact.device_memory = *memory;
  if (!exact.check) {
    exact.check = check_from_environment();
  }
  try {
    check_threads();
    auto system = start_system();
    auto caller = std::make_unique<actors::inline_caller>(*system);
    return create(exact, {std::move(*backing), std::move(system), std::move(caller)});
  } catch (const std::system_error& refused) {
    return fail(creating, errc::system_failure,
                std::string("the threads of a runtime cannot be started: ") + refused.what());
  }
}

expected<std::shared_ptr<runtime_end>> runtime_end::create(const runtime_options& options, environment on) {
  const std::shared_ptr<runtime_end> made(new runtime_end(options, std::move(on)), end_runtime);
  if (auto started = made->start_devices(options); !started) {
    return tl::unexpected(std::move(started.error()));
  }
  return made;
}

runtime_end::runtime_end(const runtime_options& options, environment on)
    : forks_at_start_(forks.load(std::memory_order_relaxed)), backing_(std::move(on.backing)),
      system_(std::move(on.system)), caller_(std::move(on.caller)), routes_(backing_->addresses()) {
  if (options.check) {
    start_checker(*options.check);
  }
}

expected<void> runtime_end::start_devices(const runtime_options& options) {
  const auto numbers = std::make_shared<actors::number_source>();
  for (std::uint32_t index = 0; index < options.devices; ++index) {
    actors::device_settings settings;
    settings.memory = options.device_memory;
    settings.layout =
        memory::plan_device(backing_->addresses(), index, options.devices, options.device_memory);
    settings.engine_limit = options.engine_limit;
    settings.kept_engines = std::max(2U, std::thread::hardware_concurrency());
    settings.only_one = options.devices == 1;
    settings.index = index;
    settings.checker = checker_;
    settings.on_failed_task = listener_for(index, options);
    settings.guard = options.check && options.check->guard;
    settings.plain_pool = options.plain_pool;
    auto actor = actors::spawn<actors::device_state>(*system_, settings, backing_, numbers);
    devices_.push_back(std::make_unique<device_end>(*this, index, settings.layout, actor));
    auto stream = actors::ask<messages::created_stream>(*caller_, actor, messages::create_stream{});
    if (!stream) {
      return tl::unexpected(translate(creating, std::move(stream.error())));
    }
    devices_.back()->default_stream =
        std::make_shared<stream_end>(nullptr, *devices_.back(), std::move(*stream), false);
  }
  return {};
}

void runtime_end::start_checker(const check_options& options) {
  auto reporter = actors::spawn_detached<actors::reporter_state>(*system_, sink_for(options));
  checker_ = actors::spawn<actors::checker_state>(*system_, backing_->addresses(), std::move(reporter));
}

runtime_end::~runtime_end() {
  if (in_child()) {
    // The threads stayed in the parent: nothing here can be ended, and nothing must be waited for.
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): without memory a child cannot go on anyway
    static_cast<void>(new std::shared_ptr<caf::actor_system>(system_));
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): as above
    static_cast<void>(new messages::checker_actor(std::move(checker_)));
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): as above
    static_cast<void>(new messages::address_space_actor(std::move(address_space_)));
    for (auto& device : devices_) {
      static_cast<void>(device.release());
    }
    routes_.leak();
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): without memory a child cannot go on anyway
    static_cast<void>(new std::shared_ptr<memory::backing>(backing_));
    return;
  }
  write_metrics_file(*this);
  for (const auto& device : devices_) {
    if (device->default_stream != nullptr) {
      actors::tell(*caller_, device->default_stream->actor, messages::retire_stream{});
    }
  }
  for (const auto& device : devices_) {
    static_cast<void>(actors::ask<messages::done>(*caller_, device->actor, messages::shut_down{}));
  }
  if (address_space_) {
    actors::tell(*caller_, address_space_, messages::stop_address_space{});
    address_space_ = nullptr;
  }
  if (checker_) {
    static_cast<void>(actors::ask<messages::done>(*caller_, checker_, messages::end_check{}));
    actors::tell(*caller_, checker_, messages::stop_checker{});
    checker_ = nullptr;
  }
  recorder::flush_all();
  routes_.clear();
  devices_.clear();
  // Waits for the last actors and their threads. On a thread of its own: CAF's end writes a thread-local
  // pointer, and at the exit of a process those of its main thread are destroyed already.
  if (system_.use_count() > 1) {
    return;
  }
  try {
    std::thread([this] { system_.reset(); }).join();
  } catch (const std::system_error&) {
    system_.reset();
  }
}

const messages::address_space_actor& runtime_end::address_space() {
  std::call_once(making_address_space_, [this] {
    address_space_ = actors::spawn<actors::address_space_state>(*system_);
    has_address_space_.store(true, std::memory_order_release);
  });
  return address_space_;
}

device_end* runtime_end::owner(memory::address place) noexcept {
  for (const auto& device : devices_) {
    if (device->layout.whole().contains(place)) {
      return device.get();
    }
  }
  return nullptr;
}

expected<void> runtime_end::may_read(std::string_view call) const {
  if (in_child()) {
    return fail(call, errc::forked_child,
                "this process is a child by fork; the devices stay with the parent. Start a program of its "
                "own (exec), or create a new runtime in the child");
  }
  return {};
}

expected<void> runtime_end::may_submit(std::string_view call) const {
  if (actors::in_foreign_code()) {
    return fail(call, errc::not_permitted,
                "a kernel or host function that runs on the device may not allocate, free, launch or wait");
  }
  return may_read(call);
}

namespace {

// What is in no device's range the address space may know.
memory_location locate_span(const runtime& in, const void* address) noexcept {
  if (!in.end()->has_address_space()) {
    return memory_location::unknown;
  }
  const auto found = in.addresses().find(address);
  if (!found) {
    return memory_location::unknown;
  }
  switch (found->kind) {
  case span_kind::mapped:
  case span_kind::imported:
    return memory_location::mapped;
  case span_kind::managed:
    return memory_location::managed;
  case span_kind::registered:
    return memory_location::registered;
  default:
    return memory_location::unknown;
  }
}

}  // namespace

memory::result<messages::done> host_saw(device_end& device, messages::order_clock seen, bool release) {
  tell_host_saw(device.runtime, seen);
  return actors::ask<messages::done>(device.runtime.caller(), device.actor,
                                     messages::host_saw_tasks{std::move(seen), release, {}});
}

}  // namespace detail

expected<runtime> runtime::create(const runtime_options& options) {
  auto end = detail::runtime_end::create(options);
  if (!end) {
    return tl::unexpected(std::move(end.error()));
  }
  return runtime(std::move(*end));
}

runtime::runtime(std::shared_ptr<detail::runtime_end> end) noexcept : end_(std::move(end)) {}
runtime::runtime(runtime&&) noexcept = default;
runtime& runtime::operator=(runtime&&) noexcept = default;
runtime::~runtime() = default;

std::uint32_t runtime::device_count() const noexcept {
  return end_ == nullptr ? 0 : static_cast<std::uint32_t>(end_->device_count());
}

expected<device> runtime::get_device(std::uint32_t index) const {
  constexpr auto call = "runtime::get_device";
  const actors::tracing::calling traced(call);
  if (end_ == nullptr) {
    return detail::fail(call, errc::invalid_handle, "the runtime object was moved from");
  }
  if (index >= end_->device_count()) {
    return detail::fail(call, errc::no_such_device,
                        "device " + std::to_string(index) + " was asked for; there are " +
                            std::to_string(end_->device_count()) + ", counted from 0");
  }
  return device(std::shared_ptr<detail::device_end>(end_, &end_->device(index)));
}

address_space runtime::addresses() const { return address_space(end_); }

memory_location runtime::locate(const void* address) const noexcept {
  const auto place = detail::to_address(address);
  const auto* owner = end_ == nullptr ? nullptr : end_->owner(place);
  if (owner == nullptr) {
    return end_ == nullptr ? memory_location::unknown : detail::locate_span(*this, address);
  }
  if (owner->layout.plain.contains(place)) {
    return memory_location::device;
  }
  return owner->layout.host.contains(place) ? memory_location::host : memory_location::device_pool;
}

bool runtime::stop_requested() noexcept { return actors::stop_is_wished(); }

bool runtime::on_engine() noexcept { return actors::in_foreign_code(); }

}  // namespace soma
