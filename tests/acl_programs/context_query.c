/* A context of one's own, its default stream, and the cores that the thread may use. */
#include "check.h"

int main(void) {
  aclrtContext context = NULL;
  aclrtContext current = NULL;
  aclrtStream stream = NULL;
  uint32_t cores = 0;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtSetCurrentContext(context));
  OK(aclrtGetCurrentContext(&current));
  HOLDS(current == context);
  OK(aclrtCtxGetCurrentDefaultStream(&stream));
  HOLDS(stream != NULL);
  OK(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &cores));
  HOLDS(cores > 0);
  OK(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &cores));
  HOLDS(cores > 0);
  OK(aclrtDestroyContext(context));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
