// Streams: an order of their own each, priorities and flags, waits with a limit, and a stream that is
// aborted.
//
// What to look at: a stream that is held keeps its tasks, and nobody else's; the host decides how long it
// waits.

#include <inttypes.h>
#include <stdatomic.h>
#include <stdint.h>

#include "acl/soma_kernel.h"
#include "check.h"

static atomic_int may_go_on;
static atomic_int tasks_run;

// A host function that runs for long: it asks whether it is to end.
static void hold(void* unused) {
  (void)unused;
  while (!atomic_load(&may_go_on) && !somaKernelStopRequested()) {
  }
}

static void count(void* unused) {
  (void)unused;
  atomic_fetch_add(&tasks_run, 1);
}

int main(void) {
  aclrtStream held = NULL;
  aclrtStream other = NULL;
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  uint32_t priority = 0;
  int32_t least = 0;
  int32_t greatest = 0;
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(aclrtCreateStreamWithConfig(&held, (uint32_t)greatest, ACL_STREAM_FAST_LAUNCH));
  CHECK(aclrtCreateStreamWithConfig(&other, (uint32_t)least, 0));
  CHECK(aclrtStreamGetPriority(other, &priority));
  printf("priorities go from %d to %d; the second stream has %" PRIu32 "\n", (int)greatest, (int)least,
         priority);

  CHECK(aclrtLaunchHostFunc(held, hold, NULL));
  CHECK(aclrtLaunchHostFunc(held, count, NULL));
  CHECK(aclrtLaunchHostFunc(other, count, NULL));
  CHECK(aclrtSynchronizeStream(other));
  printf("one stream is held, the other is through: %d task has run\n", atomic_load(&tasks_run));
  CHECK(aclrtStreamQuery(held, &status));
  printf("the held one is %s\n", status == ACL_STREAM_STATUS_COMPLETE ? "complete" : "not ready");
  if (aclrtSynchronizeStreamWithTimeout(held, 10) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) {
    printf("10 milliseconds were not enough\n");
  }

  // An abort ends the task that runs and drops those behind it.
  CHECK(aclrtStreamAbort(held));
  CHECK(aclrtSynchronizeStream(held));
  printf("aborted: still %d task has run\n", atomic_load(&tasks_run));
  atomic_store(&may_go_on, 1);
  CHECK(aclrtLaunchHostFunc(held, hold, NULL));
  CHECK(aclrtLaunchHostFunc(held, count, NULL));
  CHECK(aclrtSynchronizeStream(held));
  printf("the stream takes new work: %d tasks have run\n", atomic_load(&tasks_run));

  CHECK(aclrtDestroyStream(held));
  CHECK(aclrtDestroyStream(other));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
