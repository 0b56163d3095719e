/* The most cores that a kernel may use decides how many blocks it has. */
#include "check.h"
#include "kernels.h"

int main(void) {
  uint32_t cores = 0;
  aclrtStream stream;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &cores));
  HOLDS(cores > 8);
  OK(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 8));
  OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &cores));
  HOLDS(cores == 8);
  print_op(cores, stream);
  OK(aclrtSynchronizeStream(stream));
  HOLDS(printed_lines() == 8);
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
