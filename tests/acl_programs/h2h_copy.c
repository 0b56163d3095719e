/* A copy from the host to the host. */
#include <string.h>

#include "check.h"

int main(void) {
  void *from, *to;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtMallocHost(&from, 16));
  OK(aclrtMallocHost(&to, 16));
  memset(from, 5, 16);
  memset(to, 0, 16);
  OK(aclrtMemcpy(to, 16, from, 16, ACL_MEMCPY_HOST_TO_HOST));
  HOLDS(memcmp(from, to, 16) == 0);
  OK(aclrtFreeHost(from));
  OK(aclrtFreeHost(to));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
