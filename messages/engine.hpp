// What the ENGINE takes, and the work of a task: what runs on a thread of the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "memory/identifiers.hpp"
#include "messages/actors.hpp"

namespace soma::messages {

using kernel_function = int (*)(const void* arguments, std::size_t argument_bytes, std::uint32_t block,
                                std::uint32_t blocks);

struct kernel_launch {
  kernel_function function = nullptr;
  std::shared_ptr<void> library;  // stays loaded while the task exists
  std::shared_ptr<const std::byte[]> owned_arguments;
  const void* arguments = nullptr;
  std::size_t argument_bytes = 0;
  std::uint32_t blocks = 0;
  std::string name;  // for messages
  /// What the arguments point to is known only when the kernel runs; the checker is to be told then.
  bool tell_arguments = false;
};

struct copy_bytes {
  void* destination = nullptr;
  const void* source = nullptr;
  std::size_t bytes = 0;
};

struct fill_bytes {
  void* destination = nullptr;
  std::uint8_t value = 0;
  std::size_t bytes = 0;
};

struct host_call {
  std::function<void()> function;
  const char* name = "host function";  // for messages: a built-in task has one of its own
};

using work = std::variant<kernel_launch, copy_bytes, fill_bytes, host_call>;

/// How a run of tasks went.
struct tasks_run {
  std::size_t executed = 0;      // tasks that were started
  std::optional<fault> failure;  // of the first that failed
  std::size_t failed = 0;        // which one that was
};

/// From a stream, through the device: run these in order.
struct run_tasks {
  std::vector<work> tasks;
  bool stop_on_failure = false;
  answer<tasks_run> reply;
  checker_actor checker = {};   // to be told of arguments that are read in place; null if there is none
  memory::position first = {};  // of the first task, for the checker
};

/// From the device: end.
struct stop_engine {};

}  // namespace soma::messages
