/* Zero copy: a kernel reads and writes registered memory of the host, by the address that it has for tasks.
 */
#define _POSIX_C_SOURCE 200809L
#include "acl/soma_kernel.h"

#include "memory_program.h"

enum { elements = 1024, blocks = 8 };

static int add_two(const void* arguments, size_t bytes, uint32_t block, uint32_t block_count) {
  float* const values = *(float* const*)arguments;
  const size_t share = elements / block_count;
  (void)bytes;
  for (size_t at = block * share; at != (block + 1) * share; ++at)
    values[at] += 2.0F;
  return 0;
}

int main(void) {
  aclrtStream stream;
  aclrtFuncHandle function;
  void* host = NULL;
  void* for_tasks = NULL;
  const size_t bytes = elements * sizeof(float);
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(somaKernelRegister("add_two", add_two, &function));
  OK(aclrtMallocHost(&host, bytes));
  OK(aclrtHostRegisterV2(host, bytes, ACL_HOST_REG_MAPPED));
  OK(aclrtHostGetDevicePointer(host, &for_tasks, 0));
  for (size_t at = 0; at != elements; ++at)
    ((float*)host)[at] = 1.0F;
  OK(aclrtLaunchKernel(function, blocks, &for_tasks, sizeof for_tasks, stream));
  OK(aclrtSynchronizeStream(stream));
  for (size_t at = 0; at != elements; ++at)
    HOLDS(((float*)host)[at] == 3.0F);
  OK(aclrtHostUnregister(host));
  OK(aclrtFreeHost(host));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
