/* Whether numbers were too large: the device's mode, the stream's switch and the status. */
#include "check.h"

int main(void) {
  aclrtContext context;
  aclrtStream stream;
  aclrtFloatOverflowMode before, now;
  uint32_t flag = 7;
  uint32_t status[16];
  void* on_device;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtGetDeviceSatMode(&before));
  OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
  OK(aclrtGetDeviceSatMode(&now));
  HOLDS(now == ACL_RT_OVERFLOW_MODE_SATURATION);
  OK(aclrtCreateStream(&stream));
  OK(aclrtSetStreamOverflowSwitch(stream, 1));
  OK(aclrtGetStreamOverflowSwitch(stream, &flag));
  HOLDS(flag == 1);
  OK(aclrtMalloc(&on_device, sizeof status, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtResetOverflowStatus(stream));
  OK(aclrtGetOverflowStatus(on_device, sizeof status, stream));
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtMemcpy(status, sizeof status, on_device, sizeof status, ACL_MEMCPY_DEVICE_TO_HOST));
  HOLDS(status[0] == 0);
  OK(aclrtFree(on_device));
  OK(aclrtDestroyStream(stream));
  OK(aclrtSetDeviceSatMode(before));
  OK(aclrtDestroyContext(context));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
