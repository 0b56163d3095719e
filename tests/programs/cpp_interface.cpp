// How processes that use the C++ interface end.

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "programs/forking.hpp"
#include "soma/soma.hpp"
#include "support/gate.hpp"

namespace {

using scenarios::check;
using soma::errc;
using support::gate;
using support::witness;
using namespace support::literals;

constexpr std::size_t block_bytes = 4_M;

template <class T>
T must(soma::expected<T> result) {
  check(result.has_value(), result ? "" : result.error().message);
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

/// One of everything, with a live block and a pending task. Members can be let go in any order.
struct everything {
  std::optional<soma::runtime> runtime = must(soma::runtime::create({.device_memory = 64_M}));
  std::optional<soma::device> device = must(runtime->get_device());
  std::optional<soma::stream> stream = must(device->create_stream());
  std::optional<soma::pool> pool = must(device->create_pool());
  std::optional<soma::event> event = must(device->create_event());
  void* block = must(pool->malloc_async(block_bytes, *stream));

  everything() { work(); }

  void work() {
    must(stream->fill(block, 1, block_bytes));
    must(stream->record(*event));
  }

  void hold(const gate& until) {
    must(stream->call(until.task()));
    check(until.wait_until_started(), "the host function has started");
    work();
  }

  /// Every call refuses.
  void refused(errc with) {
    const auto is_refused = [with](const char* call, const auto& result) {
      check(!result && result.error().code == with && !result.error().message.empty(),
            std::string(call) + " is refused with " + std::string(to_string(with)));
    };
    is_refused("create_stream", device->create_stream());
    is_refused("create_event", device->create_event());
    is_refused("create_pool", device->create_pool());
    is_refused("malloc", device->malloc(1));
    is_refused("malloc_host", device->malloc_host(1));
    is_refused("free", device->free(block));
    is_refused("free_async", device->free_async(block, *stream));
    is_refused("memory", device->memory());
    is_refused("device::synchronize", device->synchronize());
    is_refused("malloc_async", pool->malloc_async(1, *stream));
    is_refused("pool::free_async", pool->free_async(block, *stream));
    is_refused("statistics", pool->statistics());
    is_refused("trim_to", pool->trim_to(0));
    is_refused("set", pool->set(soma::pool_attribute::release_threshold, 0));
    is_refused("fill", stream->fill(block, 1, 1));
    is_refused("call", stream->call([] {}));
    is_refused("record", stream->record(*event));
    is_refused("wait", stream->wait(*event));
    is_refused("query", stream->query());
    is_refused("stream::synchronize", stream->synchronize());
    is_refused("event::query", event->query());
    is_refused("event::synchronize", event->synchronize());
    is_refused("pool::destroy", pool->destroy());
    is_refused("stream::destroy", stream->destroy());
  }
};

SCENARIO(cpp_return_with_everything_live) {
  everything all;
  all.work();
  return 0;
}

SCENARIO(cpp_every_order_of_destruction) {
  std::array order{0, 1, 2, 3, 4};
  do {
    everything all;
    const gate held;
    all.hold(held);
    if (order[0] % 2 == 0) {
      held.open();
    }
    for (const int part : order) {
      switch (part) {
      case 0:
        all.runtime.reset();
        break;
      case 1:
        all.device.reset();
        break;
      case 2:
        all.stream.reset();
        break;
      case 3:
        all.pool.reset();
        break;
      default:
        held.open();  // the last object to go waits for the tasks
        all.event.reset();
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return 0;
}

SCENARIO(cpp_global_objects) {
  static everything all;
  all.work();
  return 0;
}

// The parts are destroyed after the runtime object, since they were there before it.
SCENARIO(cpp_global_parts_outlive_the_runtime) {
  static std::optional<soma::stream> stream;
  static std::optional<soma::pool> pool;
  static auto runtime = must(soma::runtime::create());
  auto device = must(runtime.get_device());
  stream = must(device.create_stream());
  pool = must(device.create_pool());
  void* block = must(pool->malloc_async(block_bytes, *stream));
  must(stream->fill(block, 1, block_bytes));
  return 0;
}

SCENARIO(cpp_objects_that_are_never_destroyed) {
  auto& all = *new everything;
  all.work();
  return 0;
}

SCENARIO(cpp_objects_that_are_never_destroyed_with_a_held_stream) {
  auto& all = *new everything;
  all.hold(*new gate);
  return 0;
}

SCENARIO(cpp_exit_past_a_held_stream) {
  everything all;
  const gate held;
  all.hold(held);
  std::exit(6);
}

SCENARIO(cpp_exit_from_another_thread) {
  everything all;
  const gate held;
  all.hold(held);
  std::thread([] { std::exit(7); }).detach();
  static_cast<void>(all.stream->synchronize());
  return scenarios::wrong;
}

SCENARIO(cpp_exit_from_a_host_function) {
  everything all;
  must(all.stream->call([] { std::exit(8); }));
  static_cast<void>(all.stream->synchronize());
  return scenarios::wrong;
}

SCENARIO(cpp_exit_from_a_host_function_with_global_objects) {
  static everything all;
  must(all.stream->call([] { std::exit(8); }));
  static_cast<void>(all.stream->synchronize());
  return scenarios::wrong;
}

SCENARIO(cpp_quick_exit) {
  static everything all;
  all.hold(*new gate);
  std::quick_exit(11);
}

SCENARIO(cpp_terminate) {
  static everything all;
  all.hold(*new gate);
  std::terminate();
}

SCENARIO(cpp_exception_leaves_main) {
  everything all;
  all.hold(*new gate);
  throw std::runtime_error("leaves main");
}

SCENARIO(cpp_fork_with_a_held_stream) {
  everything all;
  const gate held;
  all.hold(held);
  scenarios::in_child([&all] { all.refused(errc::forked_child); });
  // Its destructors have nothing to do.
  scenarios::in_child([&all] { const everything gone(std::move(all)); });
  held.open();
  must(all.stream->synchronize());
  return 0;
}

SCENARIO(cpp_fork_with_global_objects) {
  static everything all;
  scenarios::in_child([] { all.refused(errc::forked_child); });
  return 0;
}

SCENARIO(cpp_fork_and_a_runtime_in_the_child) {
  everything all;
  scenarios::in_child([] {
    everything own;
    must(own.stream->synchronize());
  });
  must(all.stream->synchronize());
  return 0;
}

SCENARIO(cpp_fork_while_threads_allocate) {
  everything all;
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!over) {
        must(all.pool->free_async(must(all.pool->malloc_async(block_bytes, *all.stream)), *all.stream));
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    scenarios::in_child([&all] { all.refused(errc::forked_child); });
  }
  over = true;
  for (auto& thread : threads) {
    thread.join();
  }
  return 0;
}

// B69: gates that another thread opens while the runtime ends; nothing is waited for that is over.
SCENARIO(cpp_end_while_gates_open) {
  const auto threads_now = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                         std::filesystem::directory_iterator());
  };
  std::thread([] {}).join();  // a sanitizer starts a thread of its own with the first one
  const auto threads_before = threads_now();
  for (int round = 0; round < 50; ++round) {
    const gate held;
    std::thread opener;
    {
      const auto runtime = must(soma::runtime::create({.device_memory = 64_M}));
      auto device = must(runtime.get_device());
      std::vector<soma::stream> streams;
      for (int i = 0; i < 4; ++i) {
        streams.push_back(must(device.create_stream()));
        must(streams.back().call(held.task()));
      }
      check(held.wait_until_started(4), "four host functions have started");
      opener = std::thread([&held] { held.open(); });
    }
    opener.join();
  }
  check(support::eventually([&] { return threads_now() == threads_before; }), "all threads have ended");
  return 0;
}

}  // namespace
