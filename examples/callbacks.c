// Callbacks: a host function in the order of a stream, callbacks that a thread of the program runs, and the
// call that a program gets when a task has failed.
//
// What to look at: the thread outlives the failure, and the stream goes on behind it.

#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "acl/soma_kernel.h"
#include "check.h"

static atomic_int called;
static atomic_int may_end;

static int fail(const void* args, size_t args_bytes, uint32_t block, uint32_t blocks) {
  (void)args, (void)args_bytes, (void)block, (void)blocks;
  return 7;
}

static void greet(void* name) {
  printf("%s\n", (const char*)name);
  atomic_fetch_add(&called, 1);
}

static void tell_failure(aclrtExceptionInfo* failure) {
  printf("a task of stream %" PRIu32 " has failed: %" PRIu32 "\n", aclrtGetStreamIdFromExceptionInfo(failure),
         aclrtGetErrorCodeFromExceptionInfo(failure));
}

// The thread that runs callbacks: it waits for them a while, again and again.
static void* serve(void* unused) {
  CHECK(aclrtSetDevice(0));
  while (!atomic_load(&may_end)) {
    (void)aclrtProcessReport(10);  // a timeout says that nothing was there
  }
  return unused;
}

int main(void) {
  const uint64_t nothing = 0;
  aclrtStream stream = NULL;
  aclrtFuncHandle failing = NULL;
  int32_t id = 0;
  pthread_t server = 0;
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtSetExceptionInfoCallback(tell_failure));
  CHECK(aclrtCreateStream(&stream));
  CHECK(aclrtStreamGetId(stream, &id));
  printf("the stream is number %d\n", (int)id);
  if (pthread_create(&server, NULL, serve, NULL) != 0) {
    return 1;
  }
  CHECK(aclrtSubscribeReport((uint64_t)server, stream));

  CHECK(aclrtLaunchCallback(greet, "called by the program's thread", ACL_CALLBACK_BLOCK, stream));
  CHECK(aclrtSynchronizeStream(stream));

  CHECK(somaKernelRegister("fail", fail, &failing));
  CHECK(aclrtLaunchKernel(failing, 1, &nothing, sizeof nothing, stream));
  CHECK(aclrtLaunchCallback(greet, "called behind the failed task", ACL_CALLBACK_BLOCK, stream));
  printf("the synchronise returns %d\n", aclrtSynchronizeStream(stream));

  atomic_store(&may_end, 1);
  pthread_join(server, NULL);
  CHECK(aclrtUnSubscribeReport((uint64_t)server, stream));
  CHECK(aclrtLaunchHostFunc(stream, greet, "called by a thread of the device"));
  CHECK(aclrtSynchronizeStream(stream));
  printf("%d calls\n", atomic_load(&called));
  CHECK(aclrtSetExceptionInfoCallback(NULL));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
