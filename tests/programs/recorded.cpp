// A program whose scenarios are recorded by tests/tools/record_check.py: `recorded SCENARIO`.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "soma/soma.hpp"

namespace {

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "recorded: %s failed\n", what);
    std::exit(3);
  }
}

template <class T>
T must(soma::expected<T> result) {
  if (!result) {
    std::fprintf(stderr, "recorded: %s\n", result.error().message.c_str());
    std::exit(3);
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

aclrtMemPool c_pool() {
  aclrtMemPoolProps props{};
  props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  aclrtMemPool pool = nullptr;
  require(aclrtMemPoolCreate(&pool, &props) == ACL_SUCCESS, "aclrtMemPoolCreate");
  return pool;
}

/// Frees on another stream, at once and twice; ends without aclFinalize.
void c_interface() {
  require(aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS, "aclInit");
  aclrtStream first = nullptr;
  aclrtStream second = nullptr;
  aclrtCreateStream(&first);
  aclrtCreateStream(&second);
  aclrtMemPool pool = c_pool();
  void* one = nullptr;
  void* two = nullptr;
  require(aclrtMemPoolMallocAsync(&one, 1000, pool, first) == ACL_SUCCESS, "malloc");
  require(aclrtMemPoolMallocAsync(&two, 2000, pool, second) == ACL_SUCCESS, "malloc");
  require(aclrtMemPoolFreeAsync(one, second) == ACL_SUCCESS, "free");
  require(aclrtMemPoolFreeAsync(one, second) != ACL_SUCCESS, "the second free");
  require(aclrtFree(two) == ACL_SUCCESS, "free at once");
  require(aclrtFree(two) != ACL_SUCCESS, "the second free at once");
  void* plain = nullptr;
  require(aclrtMalloc(&plain, 512, ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_SUCCESS, "plain memory");
  require(aclrtFree(plain) == ACL_SUCCESS, "free of plain memory");
  require(aclrtSynchronizeDevice() == ACL_SUCCESS, "synchronise");
}

/// Only when the host has seen all streams is that a synchronise of the whole device.
void synchronizes() {
  auto runtime = must(soma::runtime::create());
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool());
  auto first = must(device.create_stream());
  auto second = must(device.create_stream());
  void* const one = must(pool.malloc_async(1, first));
  void* const two = must(pool.malloc_async(2, second));
  must(first.synchronize());
  must(pool.free_async(one, first));
  must(second.synchronize());
  must(first.synchronize());
  must(first.synchronize());
  must(pool.free_async(two, second));
}

/// A pool on each of two devices, and a second one on the first.
void pools() {
  auto runtime = must(soma::runtime::create({.devices = 2}));
  auto near = must(runtime.get_device(0));
  auto far = must(runtime.get_device(1));
  auto far_stream = must(far.create_stream());
  auto near_stream = must(near.create_stream());
  auto far_pool = must(far.create_pool());
  auto near_pool = must(near.create_pool());
  auto other_pool = must(near.create_pool());
  must(far_pool.malloc_async(1, far_stream));
  must(near_pool.malloc_async(2, near_stream));
  must(other_pool.malloc_async(3, near_stream));
  must(far.synchronize());
  must(near.synchronize());
}

void refused() {
  auto runtime = must(soma::runtime::create());
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool({.limit = soma::granule_bytes}));
  auto stream = must(device.create_stream());
  void* const block = must(pool.malloc_async(100, stream));
  require(!pool.malloc_async(soma::granule_bytes * 2, stream), "the refusal");
  must(stream.destroy());
  require(!pool.free_async(block, stream), "the free on a stream that is gone");
  auto later = must(device.create_stream());
  must(pool.free_async(block, later));
}

/// Threads that give blocks to each other by the pool: an address comes back on another thread at once.
void threads() {
  auto runtime = must(soma::runtime::create());
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool({.minimum_block = 512}));
  auto stream = must(device.create_stream());
  constexpr int count = 4;
  std::vector<std::thread> all;
  all.reserve(count);
  for (int number = 0; number < count; ++number) {
    all.emplace_back([&] {
      for (int round = 0; round < 3000; ++round) {
        must(pool.free_async(must(pool.malloc_async(512, stream)), stream));
      }
    });
  }
  for (auto& each : all) {
    each.join();
  }
}

/// The child ends in the usual way, with its parent's rows in its memory.
void forks() {
  auto runtime = must(soma::runtime::create());
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool());
  auto stream = must(device.create_stream());
  void* const block = must(pool.malloc_async(1, stream));
  if (const ::pid_t child = ::fork(); child == 0) {
    require(!pool.malloc_async(7, stream), "the malloc of a child");
    std::exit(0);
  } else {
    int status = 0;
    require(::waitpid(child, &status, 0) == child && status == 0, "the child");
  }
  must(pool.free_async(block, stream));
}

void aborts() {
  auto runtime = must(soma::runtime::create());
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool());
  auto stream = must(device.create_stream());
  for (int round = 0; round < 3000; ++round) {
    must(pool.free_async(must(pool.malloc_async(9, stream)), stream));
  }
  std::abort();
}

}  // namespace

int main(int count, char** words) {
  const std::map<std::string, void (*)()> scenarios = {{"c_interface", c_interface},
                                                       {"synchronizes", synchronizes},
                                                       {"pools", pools},
                                                       {"refused", refused},
                                                       {"threads", threads},
                                                       {"forks", forks},
                                                       {"aborts", aborts}};
  const auto found = count == 2 ? scenarios.find(words[1]) : scenarios.end();
  require(found != scenarios.end(), "finding the scenario");
  found->second();
  return 7;  // so that it can be seen that the status comes through
}
