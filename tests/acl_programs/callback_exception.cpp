// A task fails: a function is told which, and the thread for callbacks goes on.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "check.h"
#include "kernels.h"

namespace {

aclrtContext context = nullptr;
std::atomic<bool> go_on{true};
std::atomic<int> calls{0};
std::uint32_t failed_task = 0;
std::uint32_t failed_stream = 0;

void on_exception(aclrtExceptionInfo* info) {
  void* arguments = nullptr;
  std::uint32_t bytes = 0;
  aclrtFuncHandle function = nullptr;
  failed_task = aclrtGetTaskIdFromExceptionInfo(info);
  failed_stream = aclrtGetStreamIdFromExceptionInfo(info);
  HOLDS(aclrtGetThreadIdFromExceptionInfo(info) ==
        static_cast<std::uint32_t>(::getpid()));  // the main thread
  HOLDS(aclrtGetDeviceIdFromExceptionInfo(info) == 0);
  HOLDS(aclrtGetErrorCodeFromExceptionInfo(info) == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  OK(aclrtGetArgsFromExceptionInfo(info, &arguments, &bytes));
  HOLDS(arguments != nullptr && bytes == sizeof(void*));
  OK(aclrtGetFuncHandleFromExceptionInfo(info, &function));
  HOLDS(function != nullptr);
  ++calls;
}

void on_report(void* /*data*/) {}

}  // namespace

int main() {
  int data = 520;
  std::uint32_t value = 0;
  std::uint32_t last_task = 0;
  std::int32_t stream_id = 0;
  aclrtStream stream = nullptr;
  aclrtErrorInfo info;
  void* x = nullptr;
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
  OK(aclrtMalloc(&x, sizeof value, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemcpy(x, sizeof value, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE));
  std::thread reporting([] {
    OK(aclrtSetCurrentContext(context));
    while (go_on) {
      static_cast<void>(aclrtProcessReport(20));
    }
  });
  const auto number = static_cast<std::uint64_t>(reporting.native_handle());
  OK(aclrtSubscribeReport(number, stream));
  OK(aclrtSetExceptionInfoCallback(on_exception));
  easy_op(1, stream, static_cast<std::uint32_t*>(x));
  error_op(1, stream);
  OK(aclrtGetThreadLastTaskId(&last_task));
  static_cast<void>(aclrtLaunchCallback(on_report, &data, ACL_CALLBACK_BLOCK, stream));  // may be too late
  EXPECT(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, aclrtSynchronizeStream(stream));
  OK(aclrtStreamGetId(stream, &stream_id));
  HOLDS(calls == 1 && failed_task == last_task && failed_stream == static_cast<std::uint32_t>(stream_id));
  OK(aclrtGetErrorVerbose(0, &info));
  EXPECT(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  EXPECT(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  HOLDS(aclGetRecentErrMsg() != nullptr);
  OK(aclrtMemcpy(&value, sizeof value, x, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
  HOLDS(value == 1);
  go_on = false;
  reporting.join();
  OK(aclrtUnSubscribeReport(number, stream));
  OK(aclrtSetExceptionInfoCallback(nullptr));
  OK(aclrtFree(x));
  OK(aclrtDestroyStreamForce(stream));
  OK(aclrtDestroyContext(context));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
