#include <stdio.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"

static int failed(const char* call, aclError error) {
  fprintf(stderr, "%s: %d: %s\n", call, error, aclGetRecentErrMsg());
  return 1;
}

int main(void) {
  aclrtMemPoolProps props = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
  aclrtMemPool pool;
  aclrtStream stream;
  void* block;
  char first = 0;
  aclError error;
  if ((error = aclInit(NULL)) != ACL_SUCCESS || (error = aclrtSetDevice(0)) != ACL_SUCCESS ||
      (error = aclrtCreateStream(&stream)) != ACL_SUCCESS ||
      (error = aclrtMemPoolCreate(&pool, &props)) != ACL_SUCCESS) {
    return failed("starting", error);
  }
  if ((error = aclrtMemPoolMallocAsync(&block, 4096, pool, stream)) != ACL_SUCCESS ||
      (error = aclrtMemsetAsync(block, 4096, 7, 4096, stream)) != ACL_SUCCESS ||
      (error = aclrtMemcpyAsync(&first, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream)) != ACL_SUCCESS ||
      (error = aclrtMemPoolFreeAsync(block, stream)) != ACL_SUCCESS ||
      (error = aclrtSynchronizeStream(stream)) != ACL_SUCCESS) {
    return failed("using a block", error);
  }
  if (first != 7) {
    fprintf(stderr, "the block has %d in it\n", first);
    return 1;
  }
  if ((error = aclrtMemPoolDestroy(pool)) != ACL_SUCCESS ||
      (error = aclrtDestroyStream(stream)) != ACL_SUCCESS || (error = aclFinalize()) != ACL_SUCCESS) {
    return failed("ending", error);
  }
  puts("from C: 7");
  return 0;
}
