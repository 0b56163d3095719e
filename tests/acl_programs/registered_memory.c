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
  MUST(aclInit(NULL));
  MUST(aclrtSetDevice(0));
  MUST(aclrtCreateStream(&stream));
  MUST(somaKernelRegister("add_two", add_two, &function));
  MUST(aclrtMallocHost(&host, bytes));
  MUST(aclrtHostRegisterV2(host, bytes, ACL_HOST_REG_MAPPED));
  MUST(aclrtHostGetDevicePointer(host, &for_tasks, 0));
  for (size_t at = 0; at != elements; ++at)
    ((float*)host)[at] = 1.0F;
  MUST(aclrtLaunchKernel(function, blocks, &for_tasks, sizeof for_tasks, stream));
  MUST(aclrtSynchronizeStream(stream));
  for (size_t at = 0; at != elements; ++at)
    MUST_HOLD(((float*)host)[at] == 3.0F);
  MUST(aclrtHostUnregister(host));
  MUST(aclrtFreeHost(host));
  MUST(aclrtDestroyStream(stream));
  MUST(aclrtResetDeviceForce(0));
  MUST(aclFinalize());
  return 0;
}
