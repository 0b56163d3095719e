/* Memory of one address for host and device: a program goes without it where it is not there. */
#include "check.h"

int main(void) {
  void* block = NULL;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  const aclError code = aclrtMemAllocManaged(&block, 1024, ACL_RT_MEM_ATTACH_GLOBAL);
  HOLDS(code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT && block == NULL);
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
