/* An event's status: not before it is recorded, not before it is reached, and then. */
#include "check.h"
#include "kernels.h"

static int status_of(aclrtEvent event) {
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  OK(aclrtQueryEventStatus(event, &status));
  return (int)status;
}

int main(void) {
  aclrtContext context;
  aclrtStream stream;
  aclrtEvent event;
  void* x;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
  OK(aclrtMalloc(&x, sizeof(uint32_t), ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemset(x, sizeof(uint32_t), 0, sizeof(uint32_t)));
  OK(aclrtCreateEvent(&event));
  HOLDS(status_of(event) == 0);
  long_op(1, stream, x);
  OK(aclrtRecordEvent(event, stream));
  HOLDS(status_of(event) == 0);
  let_long_ops_end();
  OK(aclrtSynchronizeEvent(event));
  HOLDS(status_of(event) == 1);
  OK(aclrtFree(x));
  OK(aclrtDestroyEvent(event));
  OK(aclrtDestroyStreamForce(stream));
  OK(aclrtDestroyContext(context));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
