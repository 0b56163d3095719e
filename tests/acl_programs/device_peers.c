/* Copies between two devices. SOMA_DEVICES is 2 here; with one device there is nothing to do. */
#include "check.h"

enum { bytes = 10 };

int main(void) {
  uint32_t count = 0;
  int32_t can = 0;
  void *first, *second;
  unsigned char host[bytes] = {0};
  OK(aclInit(NULL));
  OK(aclrtGetDeviceCount(&count));
  if (count < 2)
    return aclFinalize();
  OK(aclrtSetDevice(0));
  OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
  HOLDS(can == 1);
  OK(aclrtDeviceEnablePeerAccess(1, 0));
  OK(aclrtMalloc(&first, bytes, ACL_MEM_MALLOC_HUGE_FIRST_P2P));
  OK(aclrtMemset(first, bytes, 77, bytes));
  OK(aclrtSetDevice(1));
  OK(aclrtDeviceEnablePeerAccess(0, 0));
  OK(aclrtMalloc(&second, bytes, ACL_MEM_MALLOC_HUGE_FIRST_P2P));
  OK(aclrtMemset(second, bytes, 0, bytes));
  OK(aclrtMemcpy(second, bytes, first, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE));
  OK(aclrtSynchronizeDevice());
  OK(aclrtMemcpy(host, bytes, second, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  for (int at = 0; at < bytes; ++at)
    HOLDS(host[at] == 77);
  OK(aclrtDevicePeerAccessStatus(1, 0, &can));
  HOLDS(can == 1);
  OK(aclrtDeviceDisablePeerAccess(0));
  OK(aclrtFree(second));
  OK(aclrtResetDeviceForce(1));
  OK(aclrtSetDevice(0));
  OK(aclrtDeviceDisablePeerAccess(1));
  OK(aclrtFree(first));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
