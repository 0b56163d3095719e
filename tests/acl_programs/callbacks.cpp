// Callbacks and host functions of one stream, each called by a thread of the program.
#include <atomic>
#include <thread>

#include "check.h"
#include "kernels.h"

namespace {

aclrtContext context = nullptr;
std::atomic<bool> go_on{true};
std::atomic<int> reports{0};
std::atomic<int> host_functions{0};
std::thread::id report_thread;
std::thread::id host_thread;

void on_report(void* data) {
  HOLDS(*static_cast<int*>(data) == 520 && std::this_thread::get_id() == report_thread);
  ++reports;
}

void on_host_function(void* data) {
  HOLDS(*static_cast<int*>(data) == 520 && std::this_thread::get_id() == host_thread);
  HOLDS(reports == 1);  // the first callback is before, the others are behind
  ++host_functions;
}

template <class Process>
std::thread processing(Process process) {
  return std::thread([process] {
    OK(aclrtSetCurrentContext(context));
    while (go_on) {
      static_cast<void>(process(20));  // nothing may be ready, or the thread not be subscribed yet
    }
  });
}

std::uint64_t number_of(std::thread& thread) { return static_cast<std::uint64_t>(thread.native_handle()); }

}  // namespace

int main() {
  int data = 520;
  std::uint32_t value = 0;
  aclrtStream stream = nullptr;
  void* x = nullptr;
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
  OK(aclrtMalloc(&x, sizeof value, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemcpy(x, sizeof value, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE));
  let_long_ops_end();
  auto reporting = processing(aclrtProcessReport);
  auto hosting = processing(aclrtProcessHostFunc);
  report_thread = reporting.get_id();
  host_thread = hosting.get_id();
  OK(aclrtSubscribeReport(number_of(reporting), stream));
  OK(aclrtSubscribeHostFunc(number_of(hosting), stream));
  OK(aclrtLaunchCallback(on_report, &data, ACL_CALLBACK_BLOCK, stream));
  long_op(1, stream, static_cast<std::uint32_t*>(x));
  OK(aclrtLaunchHostFunc(stream, on_host_function, &data));
  for (int call = 0; call != 5; ++call) {
    OK(aclrtLaunchCallback(on_report, &data, ACL_CALLBACK_BLOCK, stream));
  }
  OK(aclrtSynchronizeStream(stream));
  HOLDS(reports == 6 && host_functions == 1);
  OK(aclrtMemcpy(&value, sizeof value, x, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
  HOLDS(value == 1);
  const auto report_number = number_of(reporting);
  const auto host_number = number_of(hosting);
  go_on = false;
  reporting.join();
  hosting.join();
  OK(aclrtUnSubscribeReport(report_number, stream));
  OK(aclrtUnSubscribeHostFunc(host_number, stream));
  OK(aclrtFree(x));
  OK(aclrtDestroyStreamForce(stream));
  OK(aclrtDestroyContext(context));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
