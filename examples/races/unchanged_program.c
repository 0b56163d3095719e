// A program of CANN's C interface that knows nothing of the race detector. It is run with SOMA_CHECK=1.
//
// The race: the copy to the host is on one stream, the free on another one.

#include <stdlib.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"

enum { bytes = 4096 };

static void check(aclError code) {
  if (code != ACL_SUCCESS) {
    exit(EXIT_FAILURE);
  }
}

int main(void) {
  check(aclInit(NULL));
  check(aclrtSetDevice(0));
  aclrtStream worker = NULL;
  aclrtStream copier = NULL;
  check(aclrtCreateStream(&worker));
  check(aclrtCreateStream(&copier));
  aclrtEvent done = NULL;
  check(aclrtCreateEvent(&done));
  const aclrtMemPoolProps props = {.location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
  aclrtMemPool pool = NULL;
  check(aclrtMemPoolCreate(&pool, &props));
  void* result = NULL;
  check(aclrtMallocHost(&result, bytes));

  void* block = NULL;
  check(aclrtMemPoolMallocAsync(&block, bytes, pool, worker));
  check(aclrtMemsetAsync(block, bytes, 1, bytes, worker));
  check(aclrtRecordEvent(done, worker));
  check(aclrtStreamWaitEvent(copier, done));
  check(aclrtMemcpyAsync(result, bytes, block, bytes, ACL_MEMCPY_DEVICE_TO_HOST, copier));
  check(aclrtMemPoolFreeAsync(block, worker));  // nothing says that the copy is done

  check(aclrtSynchronizeDevice());
  check(aclrtFreeHost(result));
  check(aclrtMemPoolDestroy(pool));
  check(aclrtDestroyEvent(done));
  check(aclrtDestroyStream(copier));
  check(aclrtDestroyStream(worker));
  check(aclrtResetDevice(0));
  return aclFinalize() == ACL_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
