// The base of tests of the C interface: the library is started, device 0 is set, and there are three streams.
// At the end all is given back, and the device's memory has to be as free as before.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "support/gate.hpp"

namespace support {

inline constexpr auto patience_ms =
    static_cast<std::int32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(patience).count());
inline constexpr auto short_wait_ms = static_cast<std::int32_t>(short_wait.count());

/// Functions that are queued in streams. Those that an abort drops stay here.
struct queued_functions {
  std::mutex guard;
  std::map<void*, std::unique_ptr<std::function<void()>>> all;
};

inline queued_functions& queued() {
  static queued_functions functions;
  return functions;
}

inline std::unique_ptr<std::function<void()>> take_queued(void* function) {
  const std::lock_guard lock(queued().guard);
  auto taken = queued().all.extract(function);
  return std::move(taken.mapped());
}

inline void run_host_function(void* arguments) { (*take_queued(arguments))(); }

/// Queues a function of the host.
inline aclError call(aclrtStream stream, std::function<void()> function) {
  auto owned = std::make_unique<std::function<void()>>(std::move(function));
  auto* const number = owned.get();
  {
    const std::lock_guard lock(queued().guard);
    queued().all.emplace(number, std::move(owned));
  }
  const auto code = aclrtLaunchHostFunc(stream, run_host_function, number);
  if (code != ACL_SUCCESS) {
    take_queued(number);
  }
  return code;
}

inline void call(aclrtStream stream, const witness& seen_by) {
  EXPECT_EQ(call(stream, seen_by.task()), ACL_SUCCESS);
}

inline void hold(aclrtStream stream, const gate& held_by) {
  EXPECT_EQ(call(stream, held_by.task()), ACL_SUCCESS);
}

/// Waits for the stream, but not for ever.
inline aclError settle(aclrtStream stream) { return aclrtSynchronizeStreamWithTimeout(stream, patience_ms); }

inline aclError settle_device() { return aclrtSynchronizeDeviceWithTimeout(patience_ms); }

inline std::uint64_t attribute(aclrtMemPool pool, aclrtMemPoolAttr which) {
  std::uint64_t value = 0;
  EXPECT_EQ(aclrtMemPoolGetAttr(pool, which, &value), ACL_SUCCESS);
  return value;
}

inline std::uint64_t used(aclrtMemPool pool) {
  return attribute(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT);
}

inline std::uint64_t used_high(aclrtMemPool pool) {
  return attribute(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH);
}

inline std::uint64_t reserved(aclrtMemPool pool) {
  return attribute(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT);
}

inline std::uint64_t reserved_high(aclrtMemPool pool) {
  return attribute(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH);
}

inline std::uint64_t threshold(aclrtMemPool pool) {
  return attribute(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD);
}

inline std::uint32_t get_switch(aclrtMemPool pool, aclrtMemPoolAttr which) {
  std::uint32_t value = 77;
  EXPECT_EQ(aclrtMemPoolGetAttr(pool, which, &value), ACL_SUCCESS);
  return value;
}

inline void set_switch(aclrtMemPool pool, aclrtMemPoolAttr which, std::uint32_t value) {
  EXPECT_EQ(aclrtMemPoolSetAttr(pool, which, &value), ACL_SUCCESS);
}

inline void set_threshold(aclrtMemPool pool, std::uint64_t bytes) {
  EXPECT_EQ(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &bytes), ACL_SUCCESS);
}

/// Properties that aclrtMemPoolCreate accepts.
inline aclrtMemPoolProps good_properties(std::size_t max_bytes = 0) {
  aclrtMemPoolProps properties{};
  properties.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  properties.handleType = ACL_MEM_HANDLE_TYPE_NONE;
  properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 0;
  properties.maxSize = max_bytes;
  return properties;
}

/// How a test wants its pool. The switches are off and the threshold is 0, as in a new pool.
struct pool_setup {
  bool event = false;
  bool opportunistic = false;
  bool internal = false;
  std::size_t max_bytes = 0;
  std::uint64_t threshold = 0;
};

/// Host memory that copies can use while the host goes on.
class host_buffer {
public:
  explicit host_buffer(std::size_t bytes) : bytes_(bytes) {
    EXPECT_EQ(aclrtMallocHost(&data_, bytes), ACL_SUCCESS);
  }

  ~host_buffer() { EXPECT_EQ(aclrtFreeHost(data_), ACL_SUCCESS); }

  host_buffer(const host_buffer&) = delete;
  host_buffer& operator=(const host_buffer&) = delete;
  host_buffer(host_buffer&&) = delete;
  host_buffer& operator=(host_buffer&&) = delete;

  /// Queues a copy of device memory to this buffer.
  void copy_from(const void* device, aclrtStream stream) {
    EXPECT_EQ(aclrtMemcpyAsync(data_, bytes_, device, bytes_, ACL_MEMCPY_DEVICE_TO_HOST, stream),
              ACL_SUCCESS);
  }

  [[nodiscard]] void* data() const { return data_; }

  [[nodiscard]] bool holds(std::uint8_t value) const { return all_bytes_are(data_, bytes_, value); }

private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

class acl_fixture : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    static_cast<void>(aclGetRecentErrMsg());
    static_cast<void>(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
    free_at_start_ = device_free();
    s1_ = make_stream();
    s2_ = make_stream();
    s3_ = make_stream();
  }

  void TearDown() override {
    EXPECT_EQ(settle_device(), ACL_SUCCESS);
    for (void* block : live_) {
      EXPECT_EQ(aclrtMemPoolFreeAsync(block, s1_), ACL_SUCCESS);
    }
    for (aclrtMemPool pool : pools_) {
      static_cast<void>(aclrtMemPoolDestroy(pool));  // the test may have destroyed it
    }
    for (aclrtEvent event : events_) {
      static_cast<void>(aclrtDestroyEvent(event));
    }
    EXPECT_EQ(settle_device(), ACL_SUCCESS);
    for (aclrtStream stream : streams_) {
      static_cast<void>(aclrtDestroyStream(stream));
    }
    EXPECT_TRUE(eventually([this] { return device_free() == free_at_start_; })) << "device memory is in use";
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  }

  static std::size_t device_free() {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
    return free;
  }

  static std::size_t device_total() {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_SUCCESS);
    return total;
  }

  aclrtStream make_stream() {
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    streams_.push_back(stream);
    return stream;
  }

  /// An event of the new kind.
  aclrtEvent make_event() {
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE), ACL_SUCCESS);
    events_.push_back(event);
    return event;
  }

  aclrtEvent make_old_event() {
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
    events_.push_back(event);
    return event;
  }

  aclrtMemPool make_pool(const pool_setup& setup) {
    const auto properties = good_properties(setup.max_bytes);
    aclrtMemPool pool = nullptr;
    EXPECT_EQ(aclrtMemPoolCreate(&pool, &properties), ACL_SUCCESS);
    set_switch(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, setup.event ? 1 : 0);
    set_switch(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, setup.opportunistic ? 1 : 0);
    set_switch(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, setup.internal ? 1 : 0);
    set_threshold(pool, setup.threshold);
    pools_.push_back(pool);
    return pool;
  }

  /// A block that is freed at the end of the test, if release() has not been called for it.
  void* allocate(aclrtMemPool pool, aclrtStream stream, std::size_t bytes) {
    void* block = nullptr;
    EXPECT_EQ(aclrtMemPoolMallocAsync(&block, bytes, pool, stream), ACL_SUCCESS);
    EXPECT_NE(block, nullptr);
    if (block != nullptr) {
      EXPECT_TRUE(live_.insert(block).second) << "the block is live already";
    }
    return block;
  }

  void release(void* block, aclrtStream stream) {
    live_.erase(block);
    EXPECT_EQ(aclrtMemPoolFreeAsync(block, stream), ACL_SUCCESS);
  }

  /// The test has freed the block, or frees it itself.
  void forget(void* block) { live_.erase(block); }

  static void fill(aclrtStream stream, void* block, std::size_t bytes, std::uint8_t value) {
    EXPECT_EQ(aclrtMemsetAsync(block, bytes, value, bytes, stream), ACL_SUCCESS);
  }

  /// True if the memory holds this value everywhere. The caller has synchronised with whoever writes it.
  static bool holds(const void* block, std::size_t bytes, std::uint8_t value) {
    std::vector<std::uint8_t> copy(bytes);
    EXPECT_EQ(aclrtMemcpy(copy.data(), bytes, block, bytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    return all_bytes_are(copy.data(), bytes, value);
  }

  static void record(aclrtEvent event, aclrtStream stream) {
    EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  }

  static void wait(aclrtStream stream, aclrtEvent event) {
    EXPECT_EQ(aclrtStreamWaitEvent(stream, event), ACL_SUCCESS);
  }

  /// Makes what comes next on `after` wait for all that is on `before` by now.
  void order(aclrtStream before, aclrtStream after) {
    aclrtEvent event = make_event();
    record(event, before);
    wait(after, event);
  }

  static bool is_complete(aclrtStream stream) {
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
    return status == ACL_STREAM_STATUS_COMPLETE;
  }

  static bool is_reached(aclrtEvent event) {
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
  }

  aclrtStream s1_ = nullptr;
  aclrtStream s2_ = nullptr;
  aclrtStream s3_ = nullptr;

private:
  std::size_t free_at_start_ = 0;
  std::vector<aclrtStream> streams_;
  std::vector<aclrtEvent> events_;
  std::vector<aclrtMemPool> pools_;
  std::set<void*> live_;
};

}  // namespace support
