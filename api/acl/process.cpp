#include "api/acl/process.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

#include <pthread.h>

#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/environment.hpp"
#include "api/acl/exception.hpp"
#include "api/acl/pool_sharing.hpp"
#include "api/cpp/metrics_file.hpp"
#include "api/cpp/recorder.hpp"
#include "api/cpp/trace_at_end.hpp"

namespace soma::acl {
namespace {

struct process_state {
  std::mutex lock;  // guards the pointer; the runtime is not waited for under it
  std::shared_ptr<machine> current;
  std::mutex making;  // held while a runtime is being made, so that there is only one
  std::atomic<std::ptrdiff_t> host_blocks = 0;
};

process_state& state() {
  static auto& only = *new process_state;
  return only;
}

/// True if every task of every device has run. Waits only for work that is about to end.
bool is_idle(machine& of) {
  const soma::detail::unrecorded_synchronizes own;
  return std::all_of(of.devices.begin(), of.devices.end(), [](soma::device& device) {
    const auto waited = device.synchronize_for(std::chrono::milliseconds(20));
    return waited || waited.error().code == errc::task_failed;
  });
}

/// True if no memory of the device is allocated, and no pool holds any.
bool is_empty(const soma::device& device) {
  const auto memory = device.memory();
  const auto chunks = device.plain_pool();
  return memory && chunks && chunks->live_blocks == 0 && memory->free + chunks->reserved == memory->total;
}

bool is_unused(machine& of) {
  return contexts().size() == 0 && streams().size() == 0 && events().size() == 0 && pools().size() == 0 &&
         notifies().size() == 0 && state().host_blocks.load(std::memory_order_relaxed) == 0 && is_idle(of) &&
         of.runtime.addresses().empty().value_or(false) &&
         std::all_of(of.devices.begin(), of.devices.end(), is_empty);
}

/// Gives up what the handles hold. The order does not matter: each part keeps what it needs.
void drop_all_objects() {
  events().take_all();
  notifies().take_all();
  streams().take_all();
  pools().take_all();
  imported_pools().take_all();
  contexts().take_all();
}

std::shared_ptr<machine> give_up_machine() noexcept {
  const std::lock_guard guard{state().lock};
  return std::exchange(state().current, nullptr);
}

/// Must neither hang nor throw, whatever the program has left behind.
void end_at_exit() noexcept {
  if (phase.load() != process_phase::running)
    return;
  phase.store(process_phase::exiting);
  // exit() may have been called by a kernel or host function, whose task never ends then.
  if (soma::runtime::on_engine())
    return;
  try {
    const auto last = existing_machine();
    if (last == nullptr)
      return;
    const bool idle = is_idle(*last);
    static_cast<void>(last->runtime.end_check());
    if (!idle) {
      soma::detail::write_metrics_file(*last->runtime.end());
      return;
    }
    drop_all_objects();
    give_up_machine();
  } catch (...) {
    // What is left goes with the process.
  }
}

/// Runs when the process exits.
void at_exit() noexcept {
  end_at_exit();
  soma::detail::write_environment_trace();
}

void in_forked_child() noexcept { phase.store(process_phase::forked); }

void watch_end_of_process() {
  static const bool registered = [] {
    if (std::atexit(at_exit) != 0 || pthread_atfork(nullptr, nullptr, in_forked_child) != 0)
      refuse(ACL_ERROR_RT_MEMORY_ALLOCATION,
             "the exit handlers cannot be registered: the host has no memory left");
    return true;
  }();
  static_cast<void>(registered);
}

std::shared_ptr<machine> make_machine() {
  soma::runtime_options options = read_environment();
  options.on_failed_task = tell_exception;
  watch_end_of_process();
  auto made = std::make_shared<machine>(
      machine{value_of(soma::runtime::create(options), {{errc::invalid_argument, ACL_ERROR_INVALID_PARAM}}),
              {},
              {},
              read_short_kernel_limit()});
  for (std::uint32_t index = 0; index != made->runtime.device_count(); ++index) {
    made->overflow_status.push_back(std::make_shared<overflow_flag>(false));
    made->devices.push_back(value_of(made->runtime.get_device(index)));
  }
  return made;
}

}  // namespace

std::shared_ptr<machine> existing_machine() noexcept {
  const std::lock_guard guard{state().lock};
  return state().current;
}

std::shared_ptr<machine> get_machine() {
  if (auto there = existing_machine(); there != nullptr)
    return there;
  const std::lock_guard making{state().making};
  if (auto there = existing_machine(); there != nullptr)
    return there;
  auto made = make_machine();
  const std::lock_guard guard{state().lock};
  state().current = made;
  return made;
}

std::uint32_t device_count() {
  const auto there = existing_machine();
  return there != nullptr ? there->runtime.device_count() : read_environment().devices;
}

std::uint64_t planned_memory() { return read_environment().device_memory; }

std::uint32_t device_argument(const char* argument, std::int64_t device) {
  const std::uint32_t count = device_count();
  if (device < 0 || device >= count)
    refuse(ACL_ERROR_RT_INVALID_DEVICEID,
           std::string(argument) + " is " + std::to_string(device) + ": no such device exists; there " +
               (count == 1 ? "is 1 device" : "are " + std::to_string(count) + " devices") +
               ", numbered from 0");
  return static_cast<std::uint32_t>(device);
}

void count_host_blocks(std::ptrdiff_t change) noexcept {
  state().host_blocks.fetch_add(change, std::memory_order_relaxed);
}

void end_machine_if_unused() {
  soma::detail::recorder::flush_all();  // whatever becomes of the machine, the program is done with it
  const auto last = existing_machine();
  if (last != nullptr && is_unused(*last))
    give_up_machine();
}

}  // namespace soma::acl
