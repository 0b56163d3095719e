// Events: one stream waits for another, the host asks and waits, and the time between two records is taken.
//
// What to look at: the wait is queued, so the host never stops for it; the second stream sees what the first
// one wrote.

#include <stdint.h>

#include "check.h"

enum { bytes = 1 << 20 };

static const char* name_of(aclrtEventRecordedStatus status) {
  return status == ACL_EVENT_RECORDED_STATUS_COMPLETE ? "complete" : "not ready";
}

int main(void) {
  aclrtStream writer = NULL;
  aclrtStream reader = NULL;
  aclrtEvent begun = NULL;
  aclrtEvent written = NULL;
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  void* block = NULL;
  void* host = NULL;
  float milliseconds = -1;
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&writer));
  CHECK(aclrtCreateStream(&reader));
  CHECK(aclrtCreateEvent(&begun));
  CHECK(aclrtCreateEvent(&written));
  CHECK(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMallocHost(&host, bytes));

  CHECK(aclrtQueryEventStatus(written, &status));
  printf("before any record: %s\n", name_of(status));
  CHECK(aclrtRecordEvent(begun, writer));
  CHECK(aclrtMemsetAsync(block, bytes, 'w', bytes, writer));
  CHECK(aclrtRecordEvent(written, writer));
  CHECK(aclrtStreamWaitEvent(reader, written));
  CHECK(aclrtMemcpyAsync(host, bytes, block, bytes, ACL_MEMCPY_DEVICE_TO_HOST, reader));

  CHECK(aclrtSynchronizeEvent(written));
  CHECK(aclrtQueryEventStatus(written, &status));
  printf("after a synchronise: %s\n", name_of(status));
  CHECK(aclrtSynchronizeStream(reader));
  printf("the reader has '%c' to '%c'\n", ((const char*)host)[0], ((const char*)host)[bytes - 1]);
  CHECK(aclrtEventElapsedTime(&milliseconds, begun, written));
  printf("the time between the records is %s\n", milliseconds >= 0 ? "known, and not negative" : "negative");

  CHECK(aclrtFreeHost(host));
  CHECK(aclrtFree(block));
  CHECK(aclrtDestroyEvent(written));
  CHECK(aclrtDestroyEvent(begun));
  CHECK(aclrtDestroyStream(reader));
  CHECK(aclrtDestroyStream(writer));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
