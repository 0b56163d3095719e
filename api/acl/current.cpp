#include "api/acl/current.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "api/acl/call.hpp"
#include "api/acl/process.hpp"
#include "api/acl/state_callbacks.hpp"

namespace soma::acl {
namespace {

constexpr std::int64_t no_device = -1;

/// The thread's choice. Plain data, so that it can be used to the very end of the thread.
struct thread_choice {
  void* context = nullptr;
  /// The device that aclrtSetDevice named; no_device if the context was set otherwise.
  std::int64_t device = no_device;
};

constinit thread_local thread_choice chosen;
constinit std::atomic<std::int64_t> default_device = no_device;

struct primary_context {
  std::uint64_t count = 0;
  void* context = nullptr;
};

struct primary_contexts {
  std::mutex lock;  // nothing is waited for under it
  std::map<std::uint32_t, primary_context> of_device;
};

primary_contexts& primaries() {
  static auto& only = *new primary_contexts;
  return only;
}

void* primary_of(std::uint32_t device) {
  const std::lock_guard guard{primaries().lock};
  return primaries().of_device[device].context;
}

/// Adds one to the count if the primary context exists; null if it does not.
void* count_primary(std::uint32_t device) {
  const std::lock_guard guard{primaries().lock};
  primary_context& of = primaries().of_device[device];
  if (of.context != nullptr)
    ++of.count;
  return of.context;
}

/// Makes `made` the device's primary context with the count 1, unless another thread was first. Gives the one
/// that is it now.
void* install_primary(std::uint32_t device, void* made) {
  const std::lock_guard guard{primaries().lock};
  primary_context& of = primaries().of_device[device];
  if (of.context == nullptr)
    of.context = made;
  ++of.count;
  return of.context;
}

/// For a thread whose context is gone or that never had one.
void* find_other_context() {
  if (chosen.device != no_device)
    chosen.context = primary_of(static_cast<std::uint32_t>(chosen.device));
  else if (chosen.context == nullptr && default_device.load() != no_device)
    set_device(static_cast<std::uint32_t>(default_device.load()));
  else
    return nullptr;
  return contexts().find(chosen.context) ? chosen.context : nullptr;
}

[[noreturn]] void refuse_no_context() {
  refuse(ACL_ERROR_RT_CONTEXT_NULL, "the calling thread has no current context: call aclrtSetDevice or "
                                    "aclrtSetCurrentContext in this thread "
                                    "first");
}

[[noreturn]] void refuse_other_context(const void* stream) {
  refuse(ACL_ERROR_RT_STREAM_CONTEXT,
         "stream " + to_text(stream) +
             " belongs to a context that is not the calling thread's current one: make "
             "the stream's context current first");
}

stream_table::pinned live_stream(void* stream) {
  auto found = streams().find(stream);
  if (!found)
    refuse(ACL_ERROR_RT_INVALID_HANDLE,
           "stream " + to_text(stream) +
               " is not a live stream: it was destroyed, its context was, or it never "
               "was a stream; pass a stream from aclrtCreateStream");
  return found;
}

bool is_current(const void* context) {
  return chosen.context == context || current_context_handle() == context;
}

}  // namespace

void* current_context_handle() {
  return chosen.context != nullptr && contexts().find(chosen.context) ? chosen.context : find_other_context();
}

context_table::pinned current_context() {
  if (auto found = contexts().find(chosen.context))
    return found;
  auto other = contexts().find(find_other_context());
  if (!other)
    refuse_no_context();
  return other;
}

void bind_thread(void* context) noexcept { chosen = {context, no_device}; }

// The threads of devices are not the program's, so there is nothing to go back to.
context_scope::context_scope(void* context) noexcept { bind_thread(context); }

context_scope::~context_scope() { bind_thread(nullptr); }

void set_default_device(std::optional<std::uint32_t> device) noexcept {
  default_device.store(device ? std::int64_t{*device} : no_device);
}

stream_table::pinned stream_argument(void* stream) {
  if (stream == nullptr)
    return live_stream(current_context()->default_stream);
  auto found = live_stream(stream);
  if (!is_current(found->context)) [[unlikely]] {
    if (current_context_handle() == nullptr)
      refuse_no_context();
    refuse_other_context(stream);
  }
  return found;
}

stream_table::pinned stream_of_any_context(void* stream) {
  return live_stream(stream != nullptr ? stream : current_context()->default_stream);
}

stream_table::pinned pool_stream_argument(void* stream) {
  auto found = live_stream(stream);
  if (!is_current(found->context)) [[unlikely]]
    refuse_other_context(stream);
  return found;
}

bool saturates(const soma::device& device) {
  const auto mode = value_of(device.note(device_note::saturation_mode));
  return mode.value_or(ACL_RT_OVERFLOW_MODE_INFNAN) == ACL_RT_OVERFLOW_MODE_SATURATION;
}

event_table::pinned event_argument(void* event) {
  auto found = events().find(event);
  if (!found)
    refuse(ACL_ERROR_RT_INVALID_HANDLE,
           "event " + to_text(event) +
               " is not a live event: it was destroyed, its context was, or it never was "
               "an event; pass an event from aclrtCreateEvent");
  return found;
}

void* make_context(std::uint32_t device, bool primary) {
  static constinit std::atomic<std::uint64_t> next_group = 1;
  auto made = std::make_shared<context>();
  made->on = get_machine();
  made->device_index = device;
  made->primary = primary;
  made->failure_group = next_group.fetch_add(1);
  auto queue =
      value_of(made->device().create_stream({false, failure_mode::proceed, made->failure_group, 0, 0}));
  void* const handle = contexts().insert(made);
  made->default_stream =
      streams().insert(std::make_shared<stream>(stream{made->on, std::move(queue), handle, true, 0}));
  return handle;
}

bool end_context(void* handle) {
  const auto ended = contexts().take(handle);
  if (ended == nullptr)
    return false;
  std::unordered_set<void*> its_streams;
  std::unordered_set<void*> its_events;
  {
    const std::lock_guard guard{ended->lock};
    ended->closed = true;
    its_streams.swap(ended->streams);
    its_events.swap(ended->events);
  }
  its_streams.insert(ended->default_stream);
  for (void* const one : its_events)
    events().take(one);
  for (void* const one : its_streams) {
    if (one != ended->default_stream)
      tell_stream_state(one, ACL_RT_STREAM_STATE_DESTROY_PRE);
    streams().take(one);
  }
  return true;
}

bool is_in_stop_mode(context& of) {
  const std::lock_guard guard{of.lock};
  return of.stops_on_failure;
}

bool has_primary(std::uint32_t device) { return primary_of(device) != nullptr; }

void set_device(std::uint32_t device) {
  void* there = count_primary(device);
  if (there == nullptr) {
    tell_device_state(device, ACL_RT_DEVICE_STATE_SET_PRE);
    // Made outside of the lock, as the runtime may take its time; a second one is thrown away.
    void* const made = make_context(device, true);
    there = install_primary(device, made);
    if (there != made)
      end_context(made);
    chosen = {there, device};
    tell_device_state(device, ACL_RT_DEVICE_STATE_SET_POST);
  }
  chosen = {there, device};
}

void* release_device(std::uint32_t device, bool all) {
  const std::lock_guard guard{primaries().lock};
  primary_context& of = primaries().of_device[device];
  if (of.count == 0 && !all)
    refuse(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
           "device " + std::to_string(device) +
               " is not set: it was reset as often as aclrtSetDevice was called for it; drop this reset");
  of.count = all || of.count == 0 ? 0 : of.count - 1;
  return of.count == 0 ? std::exchange(of.context, nullptr) : nullptr;
}

}  // namespace soma::acl
