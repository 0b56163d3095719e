// How processes that use the C interface end.

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "programs/forking.hpp"
#include "support/gate.hpp"

namespace {

using scenarios::check;
using namespace support::literals;

constexpr std::size_t block_bytes = 4_M;

void ok(aclError code, const char* call) {
  check(code == ACL_SUCCESS, std::string(call) + " returned " + std::to_string(code));
}
#define OK(call) ok(call, #call)

std::atomic<bool> go_on{false};
std::atomic<int> started{0};

void wait_for_go(void* /*arguments*/) {
  ++started;
  go_on.wait(false);
}

void let_go() {
  go_on = true;
  go_on.notify_all();
}

/// One of everything: live blocks, plain memory, pending tasks, an event.
struct everything {
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  aclrtMemPool pool = nullptr;
  void* block = nullptr;
  void* plain = nullptr;
  void* host = nullptr;

  everything() {
    OK(aclInit(nullptr));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    aclrtMemPoolProps properties{};
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    properties.maxSize = std::size_t{1} << 30;  // the range of addresses is small under a sanitizer
    OK(aclrtMemPoolCreate(&pool, &properties));
    OK(aclrtMemPoolMallocAsync(&block, block_bytes, pool, stream));
    OK(aclrtMalloc(&plain, block_bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtMallocHost(&host, 100));
    work();
  }

  void work() const {
    OK(aclrtMemsetAsync(block, block_bytes, 1, block_bytes, stream));
    OK(aclrtRecordEvent(event, stream));
  }

  /// Keeps the stream from going on until let_go().
  void hold() const {
    OK(aclrtLaunchHostFunc(stream, wait_for_go, nullptr));
    check(support::eventually([] { return started > 0; }), "the host function has started");
    work();
  }

  /// Every call refuses.
  void refused(aclError with) const {
    void* got = nullptr;
    aclrtStream stream_got = nullptr;
    aclrtStreamStatus status{};
    std::uint64_t value = 0;
    std::size_t free = 0;
    std::size_t total = 0;
    char bytes[8] = {};
    aclrtMemPoolProps properties{};
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    const std::pair<const char*, aclError> codes[] = {
        {"aclInit", aclInit(nullptr)},
        {"aclrtSetDevice", aclrtSetDevice(0)},
        {"aclrtCreateStream", aclrtCreateStream(&stream_got)},
        {"aclrtStreamQuery", aclrtStreamQuery(stream, &status)},
        {"aclrtSynchronizeStream", aclrtSynchronizeStream(stream)},
        {"aclrtSynchronizeDevice", aclrtSynchronizeDevice()},
        {"aclrtRecordEvent", aclrtRecordEvent(event, stream)},
        {"aclrtStreamWaitEvent", aclrtStreamWaitEvent(stream, event)},
        {"aclrtSynchronizeEvent", aclrtSynchronizeEvent(event)},
        {"aclrtMemPoolCreate", aclrtMemPoolCreate(&got, &properties)},
        {"aclrtMemPoolMallocAsync", aclrtMemPoolMallocAsync(&got, block_bytes, pool, stream)},
        {"aclrtMemPoolFreeAsync", aclrtMemPoolFreeAsync(block, stream)},
        {"aclrtMemPoolGetAttr", aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &value)},
        {"aclrtMemPoolSetAttr", aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value)},
        {"aclrtMemPoolTrimTo", aclrtMemPoolTrimTo(pool, 0)},
        {"aclrtMemPoolDestroy", aclrtMemPoolDestroy(pool)},
        {"aclrtMalloc", aclrtMalloc(&got, block_bytes, ACL_MEM_MALLOC_HUGE_FIRST)},
        {"aclrtFree", aclrtFree(plain)},
        {"aclrtMallocHost", aclrtMallocHost(&got, 100)},
        {"aclrtFreeHost", aclrtFreeHost(host)},
        {"aclrtMemcpy", aclrtMemcpy(bytes, sizeof bytes, block, sizeof bytes, ACL_MEMCPY_DEVICE_TO_HOST)},
        {"aclrtMemsetAsync", aclrtMemsetAsync(block, block_bytes, 0, block_bytes, stream)},
        {"aclrtLaunchHostFunc", aclrtLaunchHostFunc(stream, wait_for_go, nullptr)},
        {"aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &free, &total)},
        {"aclrtDestroyEvent", aclrtDestroyEvent(event)},
        {"aclrtDestroyStream", aclrtDestroyStream(stream)},
        {"aclrtDestroyStreamForce", aclrtDestroyStreamForce(stream)},
        {"aclrtResetDevice", aclrtResetDevice(0)},
        {"aclFinalize", aclFinalize()},
    };
    for (const auto& [name, code] : codes) {
      check(code == with, std::string(name) + " returned " + std::to_string(code));
    }
    const char* text = aclGetRecentErrMsg();
    check(text != nullptr && *text != '\0', "there is a text");
  }
};

/// Blocks for ever, in a call.
void synchronize_held(const everything& all) { static_cast<void>(aclrtSynchronizeStream(all.stream)); }

SCENARIO(c_return_with_everything_live) {
  const everything all;
  return 0;
}

SCENARIO(c_return_with_a_held_stream) {
  const everything all;
  all.hold();
  return 0;
}

SCENARIO(c_finalize_twice) {
  { const everything all; }
  OK(aclFinalize());
  check(aclFinalize() == ACL_ERROR_REPEAT_FINALIZE, "the second finalize is refused");
  return 0;
}

SCENARIO(c_start_again_after_finalize) {
  for (int round = 0; round < 3; ++round) {
    const everything all;
    OK(aclFinalize());
  }
  return 0;
}

SCENARIO(c_finalize_while_another_thread_waits) {
  const everything all;
  all.hold();
  std::thread waiting([&all] { synchronize_held(all); });
  OK(aclFinalize());
  let_go();
  waiting.join();
  return 0;
}

SCENARIO(c_finalize_and_return_while_another_thread_waits) {
  const auto& all = *new everything;
  all.hold();
  std::thread([&all] { synchronize_held(all); }).detach();
  OK(aclFinalize());
  return 0;
}

SCENARIO(c_exit_from_another_thread) {
  const everything all;
  all.hold();
  std::thread([] { std::exit(7); }).detach();
  synchronize_held(all);
  return scenarios::wrong;
}

SCENARIO(c_exit_from_another_thread_when_idle) {
  const everything all;
  OK(aclrtSynchronizeDevice());
  std::thread([] { std::exit(7); }).detach();
  std::this_thread::sleep_for(std::chrono::hours(1));
  return scenarios::wrong;
}

SCENARIO(c_exit_from_a_host_function) {
  const everything all;
  OK(aclrtLaunchHostFunc(
      all.stream, [](void* /*arguments*/) { std::exit(8); }, nullptr));
  synchronize_held(all);
  return scenarios::wrong;
}

SCENARIO(c_exit_from_a_signal_handler) {
  const everything all;
  all.hold();
  std::signal(SIGTERM, [](int /*signal*/) { std::exit(9); });
  std::thread([main_thread = ::pthread_self()] { ::pthread_kill(main_thread, SIGTERM); }).detach();
  synchronize_held(all);
  return scenarios::wrong;
}

SCENARIO(c_end_at_once_from_a_signal_handler) {
  const everything all;
  all.hold();
  std::signal(SIGTERM, [](int /*signal*/) { ::_exit(10); });
  std::thread([main_thread = ::pthread_self()] { ::pthread_kill(main_thread, SIGTERM); }).detach();
  synchronize_held(all);
  return scenarios::wrong;
}

SCENARIO(c_quick_exit) {
  const everything all;
  all.hold();
  std::quick_exit(11);
}

SCENARIO(c_terminate) {
  const everything all;
  all.hold();
  std::terminate();
}

SCENARIO(c_return_while_threads_allocate) {
  const auto& all = *new everything;
  std::atomic<int>& pairs = *new std::atomic<int>(0);
  for (int i = 0; i < 4; ++i) {
    std::thread([&all, &pairs] {
      static_cast<void>(aclrtSetDevice(0));
      while (true) {
        void* block = nullptr;
        if (aclrtMemPoolMallocAsync(&block, block_bytes, all.pool, all.stream) == ACL_SUCCESS) {
          static_cast<void>(aclrtMemPoolFreeAsync(block, all.stream));
        }
        ++pairs;
      }
    }).detach();
  }
  check(support::eventually([&pairs] { return pairs > 100; }), "threads allocate");
  return 0;
}

/// Its destructor runs after the library's own end, as it was made before the library was used.
struct before_the_library {
  ~before_the_library() {
    if (all != nullptr) {
      all->refused(ACL_ERROR_RT_DEV_SETUP_ERROR);
    }
  }
  const everything* all = nullptr;
};

SCENARIO(c_calls_after_the_end) {
  static before_the_library global;
  global.all = new everything;
  return 0;
}

/// Its destructor runs before the library's own end.
struct after_the_library {
  ~after_the_library() {
    OK(aclrtMemPoolFreeAsync(all.block, all.stream));
    OK(aclrtFree(all.plain));
    OK(aclrtFreeHost(all.host));
    OK(aclrtSynchronizeStream(all.stream));
    OK(aclrtMemPoolDestroy(all.pool));
    OK(aclrtDestroyEvent(all.event));
    OK(aclrtDestroyStream(all.stream));
    OK(aclFinalize());
  }
  everything all;
};

SCENARIO(c_calls_of_a_global_before_the_end) {
  static const after_the_library global;
  return 0;
}

SCENARIO(c_fork_with_a_held_stream) {
  const everything all;
  all.hold();
  for (int i = 0; i < 3; ++i) {
    scenarios::in_child([&all] { all.refused(ACL_ERROR_RT_DEV_SETUP_ERROR); });
  }
  let_go();
  OK(aclrtSynchronizeStream(all.stream));
  all.work();
  OK(aclrtSynchronizeStream(all.stream));
  return 0;
}

SCENARIO(c_fork_in_a_host_function) {
  const everything all;
  OK(aclrtLaunchHostFunc(
      all.stream,
      [](void* of) {
        scenarios::in_child(
            [of] { static_cast<const everything*>(of)->refused(ACL_ERROR_RT_DEV_SETUP_ERROR); });
      },
      const_cast<everything*>(&all)));
  OK(aclrtSynchronizeStream(all.stream));
  return 0;
}

SCENARIO(c_fork_while_threads_allocate) {
  const everything all;
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      OK(aclrtSetDevice(0));
      while (!over) {
        void* block = nullptr;
        OK(aclrtMemPoolMallocAsync(&block, block_bytes, all.pool, all.stream));
        OK(aclrtMemPoolFreeAsync(block, all.stream));
        check(aclrtMemPoolTrimTo(nullptr, 0) != ACL_SUCCESS, "a call that fails");
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    scenarios::in_child([&all] { all.refused(ACL_ERROR_RT_DEV_SETUP_ERROR); });
  }
  over = true;
  for (auto& thread : threads) {
    thread.join();
  }
  return 0;
}

SCENARIO(c_exec_after_fork) {
  const everything all;
  all.hold();
  scenarios::in_child([] {
    ::execl("/proc/self/exe", "program", "c_return_with_everything_live", nullptr);
    std::_Exit(scenarios::wrong);
  });
  let_go();
  OK(aclrtSynchronizeStream(all.stream));
  return 0;
}

}  // namespace
