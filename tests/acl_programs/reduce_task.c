/* A sum of four floats into memory of the device. */
#include "check.h"

int main(void) {
  const float values[4] = {1, 2, 3, 4};
  float sums[4] = {0};
  void *from, *to;
  aclrtStream stream;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtMalloc(&from, sizeof values, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMalloc(&to, sizeof values, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemcpy(from, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE));
  OK(aclrtMemcpy(to, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE));
  OK(aclrtReduceAsync(to, from, sizeof values, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, stream, NULL));
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtMemcpy(sums, sizeof sums, to, sizeof sums, ACL_MEMCPY_DEVICE_TO_HOST));
  for (int at = 0; at < 4; ++at)
    HOLDS(sums[at] == 2 * values[at]);
  OK(aclrtFree(from));
  OK(aclrtFree(to));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
