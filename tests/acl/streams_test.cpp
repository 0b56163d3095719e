// Streams and events together with pools: their end, waits, host functions, and threads.

#include <array>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "acl/soma_kernel.h"
#include "support/acl_fixture.hpp"

namespace {

using namespace support;

class StreamLife : public acl_fixture {};

class HostFunctions : public acl_fixture {};

class Threads : public acl_fixture {};

// CANN's aclrtDestroyStream waits, so the one that returns at once is meant.
TEST_F(StreamLife, S68_DestroyWithAFreePending) {
  aclrtMemPool pool = make_pool({});
  aclrtStream stream = make_stream();
  void* block = allocate(pool, stream, 4_M);
  gate held;
  hold(stream, held);
  release(block, stream);
  EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
  EXPECT_EQ(used(pool), 0U);
  held.open();
  EXPECT_EQ(settle_device(), ACL_SUCCESS);
  EXPECT_EQ(reserved(pool), 0U);
}

// D14: a stream that comes later gets nothing from the order of one that is gone.
TEST_F(StreamLife, D14_G2_ANewStreamIsNotTheOldOne) {
  aclrtMemPool pool = make_pool({.event = true, .threshold = keep_all});
  aclrtStream stream = make_stream();
  void* block = allocate(pool, stream, 4_M);
  gate held;
  hold(stream, held);
  release(block, stream);
  ASSERT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
  EXPECT_NE(allocate(pool, make_stream(), 4_M), block);
}

TEST_F(StreamLife, DestroyWaitsForTheTasks) {
  aclrtStream stream = make_stream();
  gate held;
  hold(stream, held);
  const witness last(held);
  call(stream, last);
  ASSERT_TRUE(held.wait_until_started());
  std::thread opener([&] { held.open(); });
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  opener.join();
  EXPECT_TRUE(last.ran_behind_the_gate());
}

TEST_F(StreamLife, S69_DestroyAnEventThatIsWaitedFor) {
  gate held;
  hold(s1_, held);
  aclrtEvent event = make_event();
  record(event, s1_);
  wait(s2_, event);
  const witness task(held);
  call(s2_, task);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_FALSE(task.ran());
  held.open();
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_TRUE(task.ran_behind_the_gate());
}

TEST_F(StreamLife, S70_AnEventWithoutARecord) {
  aclrtEvent event = make_event();
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_TRUE(is_reached(event));
  wait(s1_, event);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
}

TEST_F(StreamLife, S73_SynchroniseOneOfTwo) {
  gate held;
  hold(s2_, held);
  const witness task;
  call(s1_, task);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(task.ran());
  EXPECT_FALSE(is_complete(s2_));
}

TEST_F(StreamLife, S74_WaitForTheOwnRecord) {
  for (aclrtEvent event : {make_event(), make_old_event()}) {
    record(event, s1_);
    wait(s1_, event);
    EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  }
}

TEST_F(StreamLife, S75_DestroyTwice) {
  aclrtStream stream = make_stream();
  aclrtEvent event = make_event();
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtDestroyStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyStreamForce(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyEvent(nullptr), ACL_ERROR_INVALID_PARAM);
}

// S76, D15: what a host function may not do is refused; attributes can be read, and the stream goes on.
TEST_F(HostFunctions, S76_CallsFromAHostFunction) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 4_M);
  std::array<aclError, 4> codes{-1, -1, -1, -1};
  void* wanted = nullptr;
  std::uint64_t seen = 0;
  EXPECT_EQ(call(s1_,
                 [&] {
                   codes[0] = aclrtMemPoolMallocAsync(&wanted, 2_M, pool, s1_);
                   codes[1] = aclrtMemPoolFreeAsync(block, s1_);
                   codes[2] = aclrtSynchronizeStream(s1_);
                   codes[3] = aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &seen);
                 }),
            ACL_SUCCESS);
  const witness after;
  call(s1_, after);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(codes[0], ACL_ERROR_RT_NO_PERMISSION);
  EXPECT_EQ(codes[1], ACL_ERROR_RT_NO_PERMISSION);
  EXPECT_EQ(codes[2], ACL_ERROR_RT_NO_PERMISSION);
  EXPECT_EQ(codes[3], ACL_SUCCESS);
  EXPECT_EQ(seen, 4_M);
  EXPECT_EQ(wanted, nullptr);
  EXPECT_TRUE(after.ran());
  EXPECT_EQ(used(pool), 4_M);
}

TEST_F(HostFunctions, D15_EveryCallThatAllocatesFreesLaunchesOrWaits) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 2_M);
  aclrtEvent event = make_event();
  const witness task;
  void* memory = nullptr;
  const std::vector<std::function<aclError()>> calls{
      [&] { return aclrtMalloc(&memory, 2_M, ACL_MEM_MALLOC_HUGE_FIRST); },
      [&] { return aclrtMallocHost(&memory, 64); },
      [&] { return aclrtFree(block); },
      [&] { return aclrtMemset(block, 2_M, 0, 2_M); },
      [&] { return aclrtMemsetAsync(block, 2_M, 0, 2_M, s2_); },
      [&] { return aclrtMemcpyAsync(block, 8, block, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, s2_); },
      [&] { return aclrtRecordEvent(event, s2_); },
      [&] { return aclrtStreamWaitEvent(s2_, event); },
      [&] { return aclrtSynchronizeStreamWithTimeout(s2_, 1); },
      [&] { return aclrtSynchronizeEvent(event); },
      [&] { return aclrtSynchronizeEventWithTimeout(event, 1); },
      [&] { return aclrtSynchronizeDevice(); },
      [&] { return aclrtSynchronizeDeviceWithTimeout(1); },
      [&] { return aclrtDestroyStream(s3_); },
      [&] { return call(s2_, task.task()); },
      [&] { return aclrtResetDevice(0); },
      [&] { return aclrtResetDeviceForce(0); },
      [&] { return aclFinalize(); },
  };
  std::vector<aclError> codes;
  EXPECT_EQ(call(s1_,
                 [&] {
                   for (const auto& make_call : calls) {
                     codes.push_back(make_call());
                   }
                 }),
            ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(codes, std::vector<aclError>(calls.size(), ACL_ERROR_RT_NO_PERMISSION));
  EXPECT_FALSE(task.ran());
}

struct add_arguments {
  const std::uint32_t* one;
  const std::uint32_t* other;
  std::uint32_t* sum;
  std::uint64_t count;
};

int add_numbers(const void* arguments, size_t bytes, std::uint32_t block, std::uint32_t blocks) {
  if (bytes < sizeof(add_arguments)) {
    return 1;
  }
  const auto& add = *static_cast<const add_arguments*>(arguments);
  for (std::uint64_t i = block; i < add.count; i += blocks) {
    add.sum[i] = add.one[i] + add.other[i];
  }
  return 0;
}

/// Ten rounds of three buffers and a sum.
void sum_in_rounds(aclrtContext context, aclrtMemPool pool, aclrtStream stream, std::uint8_t seed) {
  constexpr std::size_t bytes = std::size_t{64} * 1024;
  ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
  aclrtFuncHandle add = nullptr;
  ASSERT_EQ(somaKernelRegister("add_numbers", add_numbers, &add), ACL_SUCCESS);
  for (std::uint8_t round = 0; round < 10; ++round) {
    std::array<void*, 3> blocks{};
    for (auto& block : blocks) {
      ASSERT_EQ(aclrtMemPoolMallocAsync(&block, bytes, pool, stream), ACL_SUCCESS);
    }
    EXPECT_EQ(aclrtMemsetAsync(blocks[0], bytes, seed, bytes, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemsetAsync(blocks[1], bytes, round, bytes, stream), ACL_SUCCESS);
    add_arguments arguments{static_cast<std::uint32_t*>(blocks[0]), static_cast<std::uint32_t*>(blocks[1]),
                            static_cast<std::uint32_t*>(blocks[2]), bytes / sizeof(std::uint32_t)};
    aclrtArgsHandle list = nullptr;
    aclrtParamHandle parameter = nullptr;
    ASSERT_EQ(aclrtKernelArgsInit(add, &list), ACL_SUCCESS);
    ASSERT_EQ(aclrtKernelArgsAppend(list, &arguments, sizeof(arguments), &parameter), ACL_SUCCESS);
    ASSERT_EQ(aclrtKernelArgsFinalize(list), ACL_SUCCESS);
    ASSERT_EQ(aclrtLaunchKernelWithConfig(add, 4, stream, nullptr, list, nullptr), ACL_SUCCESS);
    host_buffer sum(bytes);
    sum.copy_from(blocks[2], stream);
    for (void* block : blocks) {
      EXPECT_EQ(aclrtMemPoolFreeAsync(block, stream), ACL_SUCCESS);
    }
    EXPECT_EQ(settle(stream), ACL_SUCCESS);
    EXPECT_TRUE(sum.holds(static_cast<std::uint8_t>(seed + round)));
  }
}

TEST_F(Threads, S78_OwnStreamsOnePool) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  aclrtMemPool pool = make_pool({});
  std::vector<std::thread> threads;
  for (std::uint8_t seed = 1; seed <= 8; ++seed) {
    threads.emplace_back(sum_in_rounds, context, pool, make_stream(), seed);
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(used(pool), 0U);
}

TEST_F(Threads, S79_OneStreamForAll) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  aclrtMemPool pool = make_pool({});
  std::vector<std::thread> threads;
  for (std::uint8_t seed = 1; seed <= 8; ++seed) {
    threads.emplace_back(sum_in_rounds, context, pool, s1_, seed);
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(used(pool), 0U);
}

TEST_F(Threads, S80_AllocateUseAndFreeInThreeThreads) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  aclrtMemPool pool = make_pool({});
  void* block = nullptr;
  host_buffer copy(2_M);
  const auto in_a_thread = [context](const std::function<void()>& part) {
    std::thread([&] {
      ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      part();
    }).join();
  };
  in_a_thread([&] { EXPECT_EQ(aclrtMemPoolMallocAsync(&block, 2_M, pool, s1_), ACL_SUCCESS); });
  in_a_thread([&] {
    fill(s1_, block, 2_M, 0x66);
    copy.copy_from(block, s1_);
  });
  in_a_thread([&] { EXPECT_EQ(aclrtMemPoolFreeAsync(block, s1_), ACL_SUCCESS); });
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(copy.holds(0x66));
  EXPECT_EQ(used(pool), 0U);
}

}  // namespace
