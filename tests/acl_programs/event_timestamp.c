/* Times of events, which are recorded again without a reset. */
#include "check.h"
#include "kernels.h"

int main(void) {
  aclrtContext context;
  aclrtStream stream;
  aclrtEvent begin, end;
  uint64_t at_begin = 0;
  uint64_t at_end = 0;
  float milliseconds = -1;
  void* x;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
  OK(aclrtMalloc(&x, sizeof(uint32_t), ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemset(x, sizeof(uint32_t), 0, sizeof(uint32_t)));
  OK(aclrtCreateEvent(&begin));
  OK(aclrtCreateEvent(&end));
  let_long_ops_end();
  for (int round = 0; round < 2; ++round) {
    OK(aclrtRecordEvent(begin, stream));
    long_op(1, stream, x);
    short_op(1, stream, x);
    OK(aclrtRecordEvent(end, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtEventGetTimestamp(begin, &at_begin));
    OK(aclrtEventGetTimestamp(end, &at_end));
    OK(aclrtEventElapsedTime(&milliseconds, begin, end));
    HOLDS(at_begin <= at_end && milliseconds >= 0);
  }
  OK(aclrtFree(x));
  OK(aclrtDestroyEvent(begin));
  OK(aclrtDestroyEvent(end));
  OK(aclrtDestroyStreamForce(stream));
  OK(aclrtDestroyContext(context));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
