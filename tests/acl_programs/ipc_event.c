/* An event that two processes share: the one records it behind a task that is held, the other waits for it.
   With two devices, the other process uses the second. */
#define _POSIX_C_SOURCE 200809L
#include "two_processes.h"

#include "kernels.h"

static int is_complete(aclrtEvent event) {
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  OK(aclrtQueryEventStatus(event, &status));
  return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
}

static int record(const char* program) {
  aclrtStream stream;
  aclrtEvent event;
  aclrtIpcEventHandle handle;
  char answer = 0;
  void* x;
  const struct other_process child = start_child(program, "");
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtMalloc(&x, sizeof(uint32_t), ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
  long_op(1, stream, x);
  OK(aclrtRecordEvent(event, stream));
  OK(aclrtIpcGetEventHandle(event, &handle));
  tell(&child, &handle, sizeof handle);
  hear(&child, &answer, 1); /* it waits */
  HOLDS(answer == 'w' && !is_complete(event));
  let_long_ops_end();
  OK(aclrtSynchronizeEvent(event));
  HOLDS(is_complete(event));
  hear(&child, &answer, 1); /* its stream went on */
  HOLDS(answer == 'd');
  wait_for_child(&child);
  OK(aclrtDestroyEvent(event));
  OK(aclrtFree(x));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  return 0;
}

static int wait_for_record(const struct other_process* parent) {
  aclrtStream stream;
  aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
  aclrtEvent event;
  aclrtIpcEventHandle handle;
  uint32_t devices = 0;
  OK(aclInit(NULL));
  OK(aclrtGetDeviceCount(&devices));
  OK(aclrtSetDevice(devices > 1 ? 1 : 0));
  OK(aclrtCreateStream(&stream));
  hear(parent, &handle, sizeof handle);
  OK(aclrtIpcOpenEventHandle(handle, &event));
  OK(aclrtStreamWaitEvent(stream, event));
  OK(aclrtStreamQuery(stream, &status));
  HOLDS(status == ACL_STREAM_STATUS_NOT_READY && !is_complete(event));
  tell(parent, "w", 1);
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtSynchronizeEvent(event));
  HOLDS(is_complete(event));
  tell(parent, "d", 1);
  OK(aclrtDestroyEvent(event));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(devices > 1 ? 1 : 0));
  OK(aclFinalize());
  return 0;
}

int main(int count, char** arguments) {
  if (count > 3 && strcmp(arguments[1], "child") == 0) {
    const struct other_process parent = parent_of(arguments);
    return wait_for_record(&parent);
  }
  return record(arguments[0]);
}
