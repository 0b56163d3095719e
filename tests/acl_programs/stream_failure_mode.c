/* A failed task with and without the mode to stop, calls when streams come and go, and ending tasks. */
#include "check.h"
#include "kernels.h"

static int made = 0;
static int destroyed = 0;

static void count(aclrtStream stream, aclrtStreamState state, void* tag) {
  HOLDS(stream != NULL && tag != NULL);
  made += state == ACL_RT_STREAM_STATE_CREATE_POST;
  destroyed += state == ACL_RT_STREAM_STATE_DESTROY_PRE;
}

static uint32_t after_add_fail_add(aclrtStream stream, void* x) {
  uint32_t value = 0;
  OK(aclrtMemcpy(x, sizeof value, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE));
  easy_op(1, stream, x);
  error_op(1, stream);
  easy_op(1, stream, x);
  EXPECT(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, aclrtSynchronizeStream(stream));
  OK(aclrtMemcpy(&value, sizeof value, x, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
  return value;
}

static void stop_a_task(void) {
  aclrtStream stream;
  void* x;
  OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_DEVICE_USE_ONLY));
  OK(aclrtMalloc(&x, sizeof(uint32_t), ACL_MEM_MALLOC_HUGE_FIRST));
  long_op(1, stream, x);
  OK(aclrtStreamStop(stream));
  EXPECT(ACL_ERROR_RT_INTERNAL_ERROR, aclrtSynchronizeStream(stream));
  OK(aclrtFree(x));
  OK(aclrtDestroyStreamForce(stream));
}

/* The context has stopped on a failure: a new stream of it is stopped, too. */
static void abort_a_stream(void) {
  aclrtStream stream;
  void* x;
  OK(aclrtCreateStream(&stream));
  OK(aclrtMalloc(&x, sizeof(uint32_t), ACL_MEM_MALLOC_HUGE_FIRST));
  long_op(1, stream, x);
  OK(aclrtStreamAbort(stream));
  EXPECT(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, aclrtSynchronizeStream(stream));
  OK(aclrtFree(x));
  OK(aclrtDestroyStreamForce(stream));
}

int main(void) {
  char tag[] = "this program";
  aclrtContext context;
  aclrtStream stream;
  void* x;
  OK(aclInit(NULL));
  OK(aclrtRegStreamStateCallback(tag, count, tag));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtMalloc(&x, sizeof(uint32_t), ACL_MEM_MALLOC_HUGE_FIRST));
  HOLDS(after_add_fail_add(stream, x) == 2);
  OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
  HOLDS(after_add_fail_add(stream, x) == 1);
  stop_a_task();
  abort_a_stream();
  OK(aclrtFree(x));
  OK(aclrtDestroyStreamForce(stream));
  OK(aclrtDestroyContext(context));
  HOLDS(made == 3 && destroyed == 3);
  OK(aclrtRegStreamStateCallback(tag, NULL, NULL));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
