// Callbacks by threads of the program, what is told of failed tasks, and limits of time that are only noted.

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "acl/bad_enums.h"
#include "acl/soma_kernel.h"
#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

class Callbacks : public acl_fixture {
protected:
  static std::uint64_t here() { return static_cast<std::uint64_t>(::pthread_self()); }

  void subscribe(aclrtStream stream) { EXPECT_EQ(aclrtSubscribeReport(here(), stream), ACL_SUCCESS); }

  void unsubscribe(aclrtStream stream) { EXPECT_EQ(aclrtUnSubscribeReport(here(), stream), ACL_SUCCESS); }
};

void count(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

void ignore(void* /*data*/) {}

TEST_F(Callbacks, TheThreadCallsInOrder) {
  static std::vector<int> order;
  order.clear();
  subscribe(s1_);
  const auto note = [](void* number) { order.push_back(*static_cast<int*>(number)); };
  std::vector<int> numbers{1, 2, 3};
  for (int& number : numbers) {
    EXPECT_EQ(aclrtLaunchCallback(note, &number, ACL_CALLBACK_NO_BLOCK, s1_), ACL_SUCCESS);
  }
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(order.empty());
  EXPECT_EQ(aclrtProcessReport(-1), ACL_SUCCESS);
  EXPECT_EQ(order, numbers);
  unsubscribe(s1_);
}

TEST_F(Callbacks, ABlockingOneHoldsTheStream) {
  std::atomic<int> calls{0};
  subscribe(s1_);
  EXPECT_EQ(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_BLOCK, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(s1_, short_wait_ms), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(aclrtProcessReport(patience_ms), ACL_SUCCESS);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  unsubscribe(s1_);
}

// Whether it waits for the call already, or gets there later.
TEST_F(Callbacks, UnsubscribingLetsTheStreamGoOn) {
  std::atomic<int> calls{0};
  subscribe(s1_);
  EXPECT_EQ(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_BLOCK, s1_), ACL_SUCCESS);
  unsubscribe(s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  subscribe(s1_);
  EXPECT_EQ(aclrtProcessReport(short_wait_ms), ACL_ERROR_RT_REPORT_TIMEOUT);
  unsubscribe(s1_);
  EXPECT_EQ(calls, 0);
}

TEST_F(Callbacks, AbortEndsABlockingOne) {
  std::atomic<int> calls{0};
  subscribe(s1_);
  EXPECT_EQ(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_BLOCK, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamAbort(s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  unsubscribe(s1_);
}

int fail(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
         std::uint32_t /*blocks*/) {
  return 3;
}

aclrtFuncHandle failing_kernel() {
  aclrtFuncHandle function = nullptr;
  EXPECT_EQ(somaKernelRegister("callbacks_test_fail", fail, &function), ACL_SUCCESS);
  return function;
}

// A failed stream changes nothing for the thread.
TEST_F(Callbacks, AFailedStream) {
  std::atomic<int> calls{0};
  subscribe(s1_);
  subscribe(s2_);
  EXPECT_EQ(aclrtLaunchKernel(failing_kernel(), 1, &calls, sizeof calls, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_NO_BLOCK, s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_NO_BLOCK, s2_), ACL_SUCCESS);
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_EQ(aclrtProcessReport(patience_ms), ACL_SUCCESS);
  EXPECT_EQ(calls, 2);
  unsubscribe(s1_);
  unsubscribe(s2_);
}

TEST_F(Callbacks, HostFunctionsByAThread) {
  std::atomic<int> calls{0};
  EXPECT_EQ(aclrtSubscribeHostFunc(here(), s1_), ACL_SUCCESS);
  subscribe(s1_);
  EXPECT_EQ(aclrtLaunchHostFunc(s1_, count, &calls), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(s1_, short_wait_ms), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(aclrtProcessHostFunc(patience_ms), ACL_SUCCESS);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  unsubscribe(s1_);
  EXPECT_EQ(aclrtUnSubscribeHostFunc(here(), s1_), ACL_SUCCESS);
}

TEST_F(Callbacks, Errors) {
  check_failures({
      {"aclrtProcessReport", 100000, "timeout is 0", [] { return aclrtProcessReport(0); }},
      {"aclrtProcessReport", 100000, "timeout is -2", [] { return aclrtProcessReport(-2); }},
      {"aclrtProcessReport", 107012, "subscribed", [] { return aclrtProcessReport(1); }},
      {"aclrtProcessHostFunc", 107000, "timeout is 0", [] { return aclrtProcessHostFunc(0); }},
      {"aclrtProcessHostFunc", 107012, "subscribed", [] { return aclrtProcessHostFunc(1); }},
      {"aclrtLaunchCallback", 107015, "no thread",
       [&] { return aclrtLaunchCallback(ignore, nullptr, ACL_CALLBACK_BLOCK, s1_); }},
      {"aclrtUnSubscribeReport", 107011, "no thread", [&] { return aclrtUnSubscribeReport(here(), s1_); }},
      {"aclrtLaunchHostFunc", 107000, "fn", [&] { return aclrtLaunchHostFunc(s1_, nullptr, nullptr); }},
  });
  subscribe(s1_);
  aclrtContext own = nullptr;
  aclrtContext other = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&own), ACL_SUCCESS);
  check_failures({
      {"aclrtSubscribeReport", 107011, "has a thread", [&] { return aclrtSubscribeReport(here(), s1_); }},
      {"aclrtUnSubscribeReport", 107012, "thread 7", [&] { return aclrtUnSubscribeReport(7, s1_); }},
      {"aclrtProcessReport", 507012, "1 milliseconds", [] { return aclrtProcessReport(1); }},
      {"aclrtLaunchCallback", 100000, "blockType is 2", [&] { return launch_callback_of(2, s1_); }},
      {"aclrtLaunchCallback", 107000, "fn",
       [&] { return aclrtLaunchCallback(nullptr, nullptr, ACL_CALLBACK_BLOCK, s1_); }},
      {"aclrtLaunchHostFunc", 107011, "aclrtSubscribeReport",
       [&] { return aclrtLaunchHostFunc(s1_, ignore, nullptr); }},
  });
  unsubscribe(s1_);
  EXPECT_EQ(aclrtLaunchHostFunc(s2_, ignore, nullptr), ACL_SUCCESS);
  check_failures({
      {"aclrtSubscribeReport", 107011, "aclrtLaunchHostFunc",
       [&] { return aclrtSubscribeReport(here(), s2_); }},
      {"aclrtLaunchCallback", 107011, "aclrtLaunchHostFunc",
       [&] { return aclrtLaunchCallback(ignore, nullptr, ACL_CALLBACK_BLOCK, s2_); }},
  });
  ASSERT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
  check_failures({
      {"aclrtSubscribeReport", 107003, "stream", [&] { return aclrtSubscribeReport(here(), s3_); }},
      {"aclrtLaunchCallback", 107003, "stream",
       [&] { return aclrtLaunchCallback(ignore, nullptr, ACL_CALLBACK_BLOCK, s3_); }},
  });
  ASSERT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetCurrentContext(own), ACL_SUCCESS);
}

// -- what is told of failed tasks --

struct told {
  std::uint32_t task;
  std::uint32_t stream;
  std::uint32_t code;
  std::uint32_t bytes;
  aclrtFuncHandle function;
};

std::vector<told> all_told;
std::atomic<int> others_told{0};

void note_exception(aclrtExceptionInfo* info) {
  told what{aclrtGetTaskIdFromExceptionInfo(info), aclrtGetStreamIdFromExceptionInfo(info),
            aclrtGetErrorCodeFromExceptionInfo(info), 0, nullptr};
  void* arguments = nullptr;
  EXPECT_EQ(aclrtGetArgsFromExceptionInfo(info, &arguments, &what.bytes), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetFuncHandleFromExceptionInfo(info, &what.function), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDeviceIdFromExceptionInfo(info), 0U);
  all_told.push_back(what);
}

void count_exception(aclrtExceptionInfo* /*info*/) { ++others_told; }

class Exceptions : public Callbacks {};

TEST_F(Exceptions, AFailedKernel) {
  all_told.clear();
  std::uint64_t argument = 7;
  std::uint32_t task = 0;
  std::int32_t stream = 0;
  EXPECT_EQ(aclrtSetExceptionInfoCallback(note_exception), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernel(failing_kernel(), 1, &argument, 8, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetThreadLastTaskId(&task), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetId(s1_, &stream), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  ASSERT_EQ(all_told.size(), 1U);
  EXPECT_EQ(all_told[0].task, task);
  EXPECT_EQ(all_told[0].stream, static_cast<std::uint32_t>(stream));
  EXPECT_EQ(all_told[0].code, static_cast<std::uint32_t>(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION));
  EXPECT_EQ(all_told[0].bytes, 8U);
  EXPECT_EQ(all_told[0].function, failing_kernel());
  EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernel(failing_kernel(), 1, &argument, 8, s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(all_told.size(), 1U);
}

TEST_F(Exceptions, AFailedHostFunction) {
  all_told.clear();
  EXPECT_EQ(aclrtSetExceptionInfoCallback(note_exception), ACL_SUCCESS);
  EXPECT_EQ(call(s1_, [] { throw std::runtime_error("on purpose"); }), ACL_SUCCESS);
  std::uint32_t task = 0;
  EXPECT_EQ(aclrtGetThreadLastTaskId(&task), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  ASSERT_EQ(all_told.size(), 1U);
  EXPECT_EQ(all_told[0].task, task);
  EXPECT_EQ(all_told[0].function, nullptr);
  EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), ACL_SUCCESS);
}

TEST_F(Exceptions, ManyFunctionsEachOnce) {
  others_told = 0;
  std::uint64_t argument = 7;
  EXPECT_EQ(aclrtExceptionInfoCallbackRegister(count_exception), ACL_SUCCESS);
  EXPECT_EQ(aclrtExceptionInfoCallbackRegister(count_exception), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernel(failing_kernel(), 1, &argument, 8, s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(others_told, 1);
  EXPECT_EQ(aclrtExceptionInfoCallbackUnregister(count_exception), ACL_SUCCESS);
  EXPECT_EQ(aclrtExceptionInfoCallbackUnregister(count_exception), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernel(failing_kernel(), 1, &argument, 8, s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(others_told, 1);
}

TEST_F(Exceptions, FaultsAndLimits) {
  aclrtErrorInfo info;
  std::memset(&info, 0xFF, sizeof info);
  EXPECT_EQ(aclrtGetErrorVerbose(0, &info), ACL_SUCCESS);
  EXPECT_EQ(info.errorType, ACL_RT_NO_ERROR);
  EXPECT_EQ(info.tryRepair, 0);
  EXPECT_EQ(info.hasDetail, 0);
  EXPECT_EQ(aclrtRepairError(0, &info), ACL_SUCCESS);
  aclrtMemUceInfo broken[2];
  std::size_t count = 7;
  EXPECT_EQ(aclrtGetMemUceInfo(0, broken, 2, &count), ACL_SUCCESS);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(aclrtMemUceRepair(0, broken, 2), ACL_SUCCESS);
  std::uint32_t limit = 0;
  std::uint64_t actual = 0;
  EXPECT_EQ(aclrtSetOpExecuteTimeOut(3), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetOpExecuteTimeout(&limit), ACL_SUCCESS);
  EXPECT_EQ(limit, 3000U);
  EXPECT_EQ(aclrtSetOpExecuteTimeOutV2(1500, &actual), ACL_SUCCESS);
  EXPECT_EQ(actual, 2000U);
  EXPECT_EQ(aclrtSetOpExecuteTimeOutWithMs(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetOpExecuteTimeout(&limit), ACL_SUCCESS);
  EXPECT_EQ(limit, 1868000U);
}

TEST_F(Exceptions, Errors) {
  std::uint32_t value = 0;
  void* pointer = nullptr;
  std::size_t count = 0;
  aclrtErrorInfo info{};
  aclrtErrorInfo broken{};
  broken.errorType = ACL_RT_ERROR_MEMORY;
  aclrtMemUceInfo memory{};
  check_failures({
      {"aclrtExceptionInfoCallbackRegister", 100000, "callback",
       [] { return aclrtExceptionInfoCallbackRegister(nullptr); }},
      {"aclrtExceptionInfoCallbackUnregister", 100000, "callback",
       [] { return aclrtExceptionInfoCallbackUnregister(nullptr); }},
      {"aclrtGetArgsFromExceptionInfo", 100000, "info",
       [&] { return aclrtGetArgsFromExceptionInfo(nullptr, &pointer, &value); }},
      {"aclrtGetFuncHandleFromExceptionInfo", 100000, "info",
       [&] { return aclrtGetFuncHandleFromExceptionInfo(nullptr, &pointer); }},
      {"aclrtGetThreadLastTaskId", 100000, "taskId", [] { return aclrtGetThreadLastTaskId(nullptr); }},
      {"aclrtGetErrorVerbose", 100000, "errorInfo", [] { return aclrtGetErrorVerbose(0, nullptr); }},
      {"aclrtGetErrorVerbose", 107001, "deviceId is 9", [&] { return aclrtGetErrorVerbose(9, &info); }},
      {"aclrtRepairError", 100000, "errorInfo", [] { return aclrtRepairError(0, nullptr); }},
      {"aclrtRepairError", 207000, "errorType is 1", [&] { return aclrtRepairError(0, &broken); }},
      {"aclrtGetMemUceInfo", 100000, "arraySize is 0",
       [&] { return aclrtGetMemUceInfo(0, &memory, 0, &count); }},
      {"aclrtGetMemUceInfo", 100000, "arraySize is 129",
       [&] { return aclrtGetMemUceInfo(0, &memory, 129, &count); }},
      {"aclrtGetMemUceInfo", 100000, "retSize", [&] { return aclrtGetMemUceInfo(0, &memory, 1, nullptr); }},
      {"aclrtMemUceRepair", 107001, "deviceId is 9", [&] { return aclrtMemUceRepair(9, &memory, 1); }},
      {"aclrtSetOpExecuteTimeOutV2", 100000, "actualTimeout",
       [] { return aclrtSetOpExecuteTimeOutV2(1, nullptr); }},
      {"aclrtGetOpExecuteTimeout", 100000, "timeoutMs", [] { return aclrtGetOpExecuteTimeout(nullptr); }},
  });
  EXPECT_EQ(aclrtGetTaskIdFromExceptionInfo(nullptr), 0xFFFFFFFFU);
  EXPECT_EQ(aclrtGetStreamIdFromExceptionInfo(nullptr), 0xFFFFFFFFU);
  EXPECT_EQ(aclrtGetThreadIdFromExceptionInfo(nullptr), 0xFFFFFFFFU);
  EXPECT_EQ(aclrtGetDeviceIdFromExceptionInfo(nullptr), 0xFFFFFFFFU);
  EXPECT_EQ(aclrtGetErrorCodeFromExceptionInfo(nullptr), 0xFFFFFFFFU);
}

}  // namespace
