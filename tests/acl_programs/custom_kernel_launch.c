/* A kernel of one's own over eight floats. */
#include "check.h"
#include "kernels.h"

enum { count = 8 };

int main(void) {
  float a[count];
  float b[count];
  float sum[count];
  void *on_a, *on_b, *on_sum;
  aclrtStream stream;
  for (int at = 0; at < count; ++at) {
    a[at] = (float)at;
    b[at] = 10.0F * (float)at;
  }
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtMalloc(&on_a, sizeof a, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMalloc(&on_b, sizeof b, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMalloc(&on_sum, sizeof sum, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemcpy(on_a, sizeof a, a, sizeof a, ACL_MEMCPY_HOST_TO_DEVICE));
  OK(aclrtMemcpy(on_b, sizeof b, b, sizeof b, ACL_MEMCPY_HOST_TO_DEVICE));
  add_op(1, stream, on_a, on_b, on_sum, 0.5F, count);
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtMemcpy(sum, sizeof sum, on_sum, sizeof sum, ACL_MEMCPY_DEVICE_TO_HOST));
  for (int at = 0; at < count; ++at)
    HOLDS(sum[at] == a[at] + 0.5F * b[at]);
  OK(aclrtFree(on_a));
  OK(aclrtFree(on_b));
  OK(aclrtFree(on_sum));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
