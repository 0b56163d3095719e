/* A function of the host as a task: it runs behind the kernel, on a thread of the device. */
#include "check.h"
#include "kernels.h"

struct seen {
  const uint32_t* x;
  uint32_t value;
};

static void look(void* argument) {
  struct seen* const what = argument;
  what->value = *what->x;
}

int main(void) {
  aclrtContext context;
  aclrtStream stream;
  void* x;
  struct seen what = {NULL, 0};
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
  OK(aclrtMalloc(&x, sizeof(uint32_t), ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemset(x, sizeof(uint32_t), 0, sizeof(uint32_t)));
  what.x = x;
  easy_op(1, stream, x);
  OK(aclrtLaunchHostFunc(stream, look, &what));
  easy_op(1, stream, x);
  OK(aclrtSynchronizeStream(stream));
  HOLDS(what.value == 1);
  OK(aclrtFree(x));
  OK(aclrtDestroyStreamForce(stream));
  OK(aclrtDestroyContext(context));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
