// Tasks that fail, what the texts of errors say, and the last error of a thread. The failing kernels are
// those of the library at TEST_KERNELS_PATH.

#include <cstdint>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>

#include <gmock/gmock.h>

#include "libraries/kernels.hpp"
#include "support/acl_fixture.hpp"

namespace {

using namespace support;
using testing::AllOf;
using testing::HasSubstr;

class Failures : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    ASSERT_EQ(aclrtBinaryLoadFromFile(TEST_KERNELS_PATH, nullptr, &library_), ACL_SUCCESS);
  }

  void TearDown() override {
    static_cast<void>(settle_device());
    EXPECT_EQ(aclrtBinaryUnLoad(library_), ACL_SUCCESS);
    acl_fixture::TearDown();
  }

  /// Queues a kernel that takes one number.
  void launch(const char* name, aclrtStream stream, std::uint64_t argument = 7) {
    aclrtFuncHandle function = nullptr;
    aclrtArgsHandle list = nullptr;
    aclrtParamHandle parameter = nullptr;
    ASSERT_EQ(aclrtBinaryGetFunction(library_, name, &function), ACL_SUCCESS);
    ASSERT_EQ(aclrtKernelArgsInit(function, &list), ACL_SUCCESS);
    ASSERT_EQ(aclrtKernelArgsAppend(list, &argument, sizeof(argument), &parameter), ACL_SUCCESS);
    ASSERT_EQ(aclrtKernelArgsFinalize(list), ACL_SUCCESS);
    ASSERT_EQ(aclrtLaunchKernelWithConfig(function, 1, stream, nullptr, list, nullptr), ACL_SUCCESS);
  }

  aclrtBinHandle library_ = nullptr;
};

class FailingKernel : public Failures, public testing::WithParamInterface<const char*> {};

// D18: the error is returned once; later tasks run, frees take effect, other streams go on.
TEST_P(FailingKernel, D18_TheStreamGoesOn) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 2_M);
  launch(GetParam(), s1_);
  const witness later;
  call(s1_, later);
  release(block, s1_);
  const witness other;
  call(s2_, other);
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_TRUE(other.ran());
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_TRUE(later.ran());
  EXPECT_EQ(used(pool), 0U);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS) << "the error was returned already";
  EXPECT_EQ(reserved(pool), 0U);
}

TEST_P(FailingKernel, D18_TheDeviceReturnsIt) {
  launch(GetParam(), s1_);
  EXPECT_EQ(settle_device(), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(settle_device(), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
}

TEST_P(FailingKernel, D18_AnEventReturnsIt) {
  launch(GetParam(), s1_);
  aclrtEvent event = make_event();
  record(event, s1_);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, patience_ms), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  static_cast<void>(settle_device());
}

INSTANTIATE_TEST_SUITE_P(Kernels, FailingKernel,
                         testing::Values("fail_with_code", "throw_exception", "raise_segv", "raise_fpe",
                                         "raise_ill"),
                         [](const auto& given) { return std::string(given.param); });

TEST_F(Failures, D18_AHostFunctionThatThrows) {
  EXPECT_EQ(call(s1_, [] { throw std::runtime_error("thrown by a host function"); }), ACL_SUCCESS);
  const witness later;
  call(s1_, later);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_TRUE(later.ran());
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
}

TEST_F(Failures, D18_ReuseBehindAFailedTask) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 2_M);
  launch("fail_with_code", s1_);
  release(block, s1_);
  EXPECT_EQ(allocate(pool, s1_, 2_M), block);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
}

TEST_F(Failures, StopOnFailureDropsTasksButNotFrees) {
  aclrtContext home = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&home), ACL_SUCCESS);
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, stream, 2_M);
  fill(stream, block, 2_M, 1);
  gate held;
  hold(stream, held);
  launch("fail_with_code", stream);
  fill(stream, block, 2_M, 2);
  held.open();
  EXPECT_EQ(settle(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_TRUE(holds(block, 2_M, 1));
  EXPECT_NE(aclrtMemsetAsync(block, 2_M, 3, 2_M, stream), ACL_SUCCESS) << "it takes no new work";
  release(block, stream);
  EXPECT_EQ(used(pool), 0U);
  static_cast<void>(aclrtDestroyStream(stream));
  ASSERT_EQ(aclrtSetCurrentContext(home), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
}

// What comes later to a context that has stopped is stopped, too, but for streams that are only for the
// device.
TEST_F(Failures, StreamsOfAStoppedContext) {
  aclrtContext home = nullptr;
  aclrtContext context = nullptr;
  aclrtStream stream = nullptr;
  aclrtStream later = nullptr;
  aclrtStream apart = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&home), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
  launch("fail_with_code", stream);
  EXPECT_EQ(settle(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  ASSERT_EQ(aclrtCreateStream(&later), ACL_SUCCESS);
  EXPECT_EQ(call(later, [] {}), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(aclrtStreamAbort(later), ACL_SUCCESS);
  EXPECT_EQ(settle(later), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  ASSERT_EQ(aclrtCreateStreamWithConfig(&apart, 0, ACL_STREAM_DEVICE_USE_ONLY), ACL_SUCCESS);
  const witness ran;
  EXPECT_EQ(call(apart, ran.task()), ACL_SUCCESS);
  EXPECT_EQ(settle(apart), ACL_SUCCESS);
  EXPECT_TRUE(ran.ran());
  ASSERT_EQ(aclrtSetCurrentContext(home), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  const witness other;
  call(s1_, other);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS) << "another context";
  EXPECT_TRUE(other.ran());
}

// D20: the text tells what was wanted, what there is, and whose frees are pending; B49: it comes at once.
TEST_F(Failures, D20_B49_TheTextOfARefusal) {
  aclrtMemPool pool = make_pool({.max_bytes = 64_M, .threshold = keep_all});
  void* block = allocate(pool, s1_, 64_M);
  gate held;
  hold(s1_, held);
  release(block, s1_);
  void* refused = block;
  EXPECT_EQ(aclrtMemPoolMallocAsync(&refused, 64_M, pool, s2_), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(refused, nullptr);
  EXPECT_EQ(used(pool), 0U);
  EXPECT_EQ(reserved(pool), 64_M);
  const char* recent = aclGetRecentErrMsg();
  ASSERT_NE(recent, nullptr);
  const std::string text = recent;
  EXPECT_THAT(text, AllOf(HasSubstr("wanted"), HasSubstr("used"), HasSubstr("idle"), HasSubstr("limit"),
                          HasSubstr("largest")));
  std::int32_t id = 0;
  ASSERT_EQ(aclrtStreamGetId(s1_, &id), ACL_SUCCESS);
  EXPECT_TRUE(std::regex_search(text, std::regex("streams?[ #:][^.;]*\\b" + std::to_string(id) + "\\b")))
      << text;
  EXPECT_THAT(text, HasSubstr("task 3")) << "behind the malloc and the held one";
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(allocate(pool, s2_, 64_M), block);
}

TEST_F(Failures, RecentTextIsTheThreadsOwnAndIsTakenByReading) {
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclrtMemPoolTrimTo(library_, 0), ACL_ERROR_RT_INTERNAL_ERROR);
  std::thread([] { EXPECT_EQ(aclGetRecentErrMsg(), nullptr); }).join();
  const char* recent = aclGetRecentErrMsg();
  ASSERT_NE(recent, nullptr);
  EXPECT_THAT(std::string(recent), HasSubstr("aclrtMemPoolTrimTo"));
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(Failures, RecentTextsComeNewestFirst) {
  EXPECT_EQ(aclrtMemPoolTrimTo(library_, 0), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(aclrtDestroyStream(library_), ACL_ERROR_RT_INVALID_HANDLE);
  const char* recent = aclGetRecentErrMsg();
  ASSERT_NE(recent, nullptr);
  const std::string text = recent;
  const auto newer = text.find("aclrtDestroyStream");
  const auto older = text.find("aclrtMemPoolTrimTo");
  ASSERT_NE(newer, std::string::npos);
  ASSERT_NE(older, std::string::npos);
  EXPECT_LT(newer, older);
}

TEST_F(Failures, LastError) {
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  // The checks that give 100000 leave it alone.
  EXPECT_EQ(aclrtMemPoolTrimTo(nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(library_), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_HANDLE);
  std::thread([] { EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS); }).join();
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  const auto no_level = static_cast<aclrtLastErrLevel>(1);
  EXPECT_EQ(aclrtGetLastError(no_level), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtPeekAtLastError(no_level), ACL_ERROR_INVALID_PARAM);
}

TEST_F(Failures, LastErrorOfAFailedTask) {
  launch("fail_with_code", s1_);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
}

// B94: a task that fails while its stream is being destroyed.
TEST_F(Failures, B94_FailureOnADestroyedStream) {
  aclrtMemPool pool = make_pool({});
  aclrtStream stream = make_stream();
  void* block = allocate(pool, stream, 2_M);
  gate held;
  hold(stream, held);
  launch("raise_segv", stream);
  release(block, stream);
  EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
  held.open();
  EXPECT_EQ(settle_device(), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(used(pool), 0U);
  const witness task;
  call(s2_, task);
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_TRUE(task.ran());
}

}  // namespace
