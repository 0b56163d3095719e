/* Launches on a stream and on the default stream; thousands of tasks. */
#include "check.h"
#include "kernels.h"

static uint32_t value_of(const void* x) {
  uint32_t value = 0;
  OK(aclrtMemcpy(&value, sizeof value, x, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
  return value;
}

int main(void) {
  aclrtContext context;
  aclrtStream stream;
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  void* x;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
  OK(aclrtMalloc(&x, sizeof(uint32_t), ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemset(x, sizeof(uint32_t), 0, sizeof(uint32_t)));
  easy_op(1, NULL, x);
  OK(aclrtSynchronizeStream(NULL));
  HOLDS(value_of(x) == 1);
  easy_op(1, stream, x);
  OK(aclrtSynchronizeStream(stream));
  HOLDS(value_of(x) == 2);
  for (int task = 0; task < 3000; ++task)
    easy_op(1, stream, x);
  OK(aclrtStreamQuery(stream, &status));
  HOLDS(status == ACL_STREAM_STATUS_COMPLETE || status == ACL_STREAM_STATUS_NOT_READY);
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtStreamQuery(stream, &status));
  HOLDS(status == ACL_STREAM_STATUS_COMPLETE);
  HOLDS(value_of(x) == 3002);
  OK(aclrtFree(x));
  OK(aclrtDestroyStreamForce(stream));
  OK(aclrtDestroyContext(context));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
