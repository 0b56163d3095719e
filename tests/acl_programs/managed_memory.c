/* Managed memory: the host fills it, a kernel adds, the host reads, all by one address. */
#define _POSIX_C_SOURCE 200809L
#include "acl/soma_kernel.h"

#include "memory_program.h"

enum { elements = 16384, blocks = 8 };

struct add_arguments {
  const float* x;
  const float* y;
  float* z;
};

static int add(const void* arguments, size_t bytes, uint32_t block, uint32_t block_count) {
  const struct add_arguments* what = (const struct add_arguments*)arguments;
  const size_t share = elements / block_count;
  (void)bytes;
  for (size_t at = block * share; at != (block + 1) * share; ++at)
    what->z[at] = what->x[at] + what->y[at];
  return 0;
}

int main(void) {
  aclrtStream stream;
  aclrtFuncHandle function;
  void* arrays[3];
  const size_t bytes = elements * sizeof(float);
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(somaKernelRegister("add", add, &function));
  for (int which = 0; which != 3; ++which)
    OK(aclrtMemAllocManaged(&arrays[which], bytes, ACL_RT_MEM_ATTACH_GLOBAL));
  struct add_arguments what = {arrays[0], arrays[1], arrays[2]};
  for (size_t at = 0; at != elements; ++at) {
    ((float*)arrays[0])[at] = 1.0F;
    ((float*)arrays[1])[at] = 2.0F;
  }
  OK(aclrtLaunchKernel(function, blocks, &what, sizeof what, stream));
  OK(aclrtSynchronizeStream(stream));
  for (size_t at = 0; at != elements; ++at)
    HOLDS(what.z[at] == 3.0F);
  for (int which = 0; which != 3; ++which)
    OK(aclrtFree(arrays[which]));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
