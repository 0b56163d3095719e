// What the ENGINE takes, and the work of a task: what runs on a thread of the device.
#pragma once

#include <atomic>
#include <chrono>
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
  std::uint64_t tag = 0;  // the program's own number for the launch
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

/// Stores a word. Whoever waits for it sees what was written before, too.
struct write_value {
  std::uint64_t* at = nullptr;
  std::uint64_t value = 0;
  std::shared_ptr<void> owner = {};  // keeps the word's memory, if that is not the program's
};

/// How a word is compared with a value.
enum class value_test : std::uint8_t {
  at_least,  // the difference, as a signed number, is not below 0
  equal,
  any_bit,     // a bit of the value is set in the word
  missing_bit  // some bit is set in neither
};

/// Waits until a word passes its test, and then clears it, if that is asked for. The word may be written by
/// any code, also of another process, so it is looked at again and again.
struct await_value {
  std::uint64_t* at = nullptr;
  std::uint64_t value = 0;
  value_test test = value_test::equal;
  bool clear = false;
  std::chrono::nanoseconds limit{0};  // then the task fails; 0: none
  std::shared_ptr<void> owner = {};
};

using work = std::variant<kernel_launch, copy_bytes, fill_bytes, host_call, write_value, await_value>;

/// What a stream wishes of the run that an engine has. The engine looks between the blocks of a kernel,
/// between tasks, and while it waits for a value.
enum class stop_wish : std::uint8_t {
  none,
  task,  // end the task that is running, and fail it; then go on
  run,   // the same, and start no other
};

/// A task that has failed, as the program is told of it.
struct failed_task {
  memory::position at;
  const work& task;
  const fault& why;
};

/// Told on the engine's thread, before the stream knows.
using failure_listener = std::function<void(const failed_task&)>;

/// How a run of tasks went.
struct tasks_run {
  std::size_t executed = 0;      // tasks that were started, those of the feed among them
  std::optional<fault> failure;  // of the first that failed
  std::size_t failed = 0;        // which one that was
};

class task_feed;

/// From a stream, through the device: run these in order, and then what the feed has.
struct run_tasks {
  std::vector<work> tasks;
  bool stop_on_failure = false;
  answer<tasks_run> reply;
  checker_actor checker = {};   // to be told of arguments that are read in place; null if there is none
  memory::position first = {};  // of the first task
  /// The stream's wish. It lives as long as the reply.
  std::atomic<stop_wish>* wish = nullptr;
  /// More tasks of the run, which the stream adds while an engine has it; lives as long as the reply. Null if
  /// the engine is not to take any: the stream finds them where it put them.
  task_feed* feed = nullptr;
  /// Nobody has waited for the stream, or asked it, since its last run: more may be on its way.
  bool in_burst = false;
};

/// From the device: end.
struct stop_engine {};

}  // namespace soma::messages
