// The objects behind the handles, and their tables.
//
// Objects know each other by handle only, so nothing keeps anything else alive and there are no cycles. Each
// holds its share of the runtime: the runtime ends after the last of them.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/acl/handle_table.hpp"
#include "api/acl/shared_word.hpp"
#include "soma/soma.hpp"

namespace soma::acl {

/// Whether a task of a device has calculated a number that was too large. Set by tasks, on any thread.
using overflow_flag = std::atomic<bool>;

/// The process's runtime with its devices, by index.
struct machine {
  soma::runtime runtime;
  std::vector<soma::device> devices;
  std::vector<std::shared_ptr<overflow_flag>> overflow_status;
  /// How long calls wait at most for a kernel that is taken to be short.
  std::chrono::milliseconds short_kernel_limit{0};
};

struct context {
  std::shared_ptr<machine> on;
  std::uint32_t device_index = 0;
  bool primary = false;
  /// The group in which the context's streams stop together.
  std::uint64_t failure_group = 0;
  void* default_stream = nullptr;

  std::mutex lock;  // guards what follows; nothing is waited for under it
  bool closed = false;
  bool stops_on_failure = false;
  std::array<std::optional<std::int64_t>, 4> options;  // by aclSysParamOpt
  std::unordered_set<void*> streams;
  std::unordered_set<void*> events;

  [[nodiscard]] soma::device& device() const noexcept { return on->devices[device_index]; }
};

class callback_thread;

/// Who calls the callbacks and the host functions of a stream.
struct stream_callbacks {
  std::mutex lock;  // guards what follows; nothing is waited for under it
  std::shared_ptr<callback_thread> reports;
  std::shared_ptr<callback_thread> host_functions;
  bool device_runs_host_functions = false;
};

struct stream {
  std::shared_ptr<machine> on;
  soma::stream queue;
  void* context;
  bool is_default;
  std::uint32_t flags;
  std::shared_ptr<stream_callbacks> callbacks = std::make_shared<stream_callbacks>();

  [[nodiscard]] soma::device& device() const noexcept { return on->devices[queue.device_index()]; }
  [[nodiscard]] const std::shared_ptr<overflow_flag>& overflow_status() const noexcept {
    return on->overflow_status[queue.device_index()];
  }
};

struct event {
  event(std::shared_ptr<machine> machine_of, soma::event made, void* owner, bool new_kind,
        std::uint32_t can_do)
      : on(std::move(machine_of)), mark(std::move(made)), context(owner), is_new_kind(new_kind),
        flags(can_do) {}

  std::shared_ptr<machine> on;
  soma::event mark;
  void* context;
  /// True for the newer kind of event, whose waits are not told about.
  bool is_new_kind;
  std::uint32_t flags;

  /// Of an event that other processes see; null for others.
  std::shared_ptr<shared_word> shared;

  std::mutex lock;  // guards what follows; nothing is waited for under it
  std::optional<std::uint32_t> record_flag;
  std::uint64_t own_record = 0;  // of a shared event: its latest record that this process made
  /// By the waiting stream's id: a mark behind the stream's last wait for this event.
  std::map<std::uint64_t, std::shared_ptr<soma::event>> waits;
};

struct notify {
  std::shared_ptr<machine> on;
  std::uint32_t device_index;
  std::uint32_t id;
  std::shared_ptr<shared_word> word;
};

struct label {
  void* context;
};

struct label_list {
  void* context;
  std::size_t labels;
};

struct pool {
  std::shared_ptr<machine> on;
  soma::pool memory;
  bool exportable;
};

struct function {
  soma::kernel kernel;
};

struct binary {
  explicit binary(soma::kernel_library loaded) : library(std::move(loaded)) {}

  soma::kernel_library library;
  std::mutex lock;  // guards what follows
  bool unloaded = false;
  std::map<std::string, void*> functions;
};

using context_table = handle_table<context, 0xC1>;
using stream_table = handle_table<stream, 0xC2>;
using event_table = handle_table<event, 0xC3>;
using pool_table = handle_table<pool, 0xC4>;
using binary_table = handle_table<binary, 0xC5>;
using function_table = handle_table<function, 0xC6>;
using notify_table = handle_table<notify, 0xC7>;
using label_table = handle_table<label, 0xC8>;
using label_list_table = handle_table<label_list, 0xC9>;

/// The tables are never destroyed, for calls that come late in the life of the process.
context_table& contexts();
stream_table& streams();
event_table& events();
pool_table& pools();
binary_table& binaries();
function_table& functions();
notify_table& notifies();
label_table& labels();
label_list_table& label_lists();

}  // namespace soma::acl
