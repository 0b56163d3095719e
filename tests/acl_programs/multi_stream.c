/* Two streams in step: by events, by events with waits that run out of time, and by notifies. Three times
   from the start of the library to its end. */
#include "check.h"
#include "kernels.h"

struct setup {
  aclrtContext context;
  aclrtStream first, second;
  void* x;
};

static void begin(struct setup* of) {
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&of->context, 0));
  OK(aclrtCreateStream(&of->first));
  OK(aclrtCreateStream(&of->second));
  OK(aclrtSetStreamFailureMode(of->first, ACL_STOP_ON_FAILURE));
  OK(aclrtMalloc(&of->x, sizeof(uint32_t), ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemset(of->x, sizeof(uint32_t), 0, sizeof(uint32_t)));
}

static void end(struct setup* of) {
  uint32_t value = 0;
  OK(aclrtMemcpy(&value, sizeof value, of->x, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
  HOLDS(value == 2); /* (0 + 1) * 2 */
  OK(aclrtFree(of->x));
  OK(aclrtDestroyStreamForce(of->first));
  OK(aclrtDestroyStreamForce(of->second));
  OK(aclrtDestroyContext(of->context));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
}

static void by_event(int with_timeouts) {
  struct setup with;
  aclrtEvent event;
  begin(&with);
  OK(aclrtCreateEvent(&event));
  long_op(1, with.first, with.x);
  OK(aclrtRecordEvent(event, with.first));
  OK(aclrtStreamWaitEvent(with.second, event));
  OK(aclrtResetEvent(event, with.second));
  short_op(1, with.second, with.x);
  if (with_timeouts) { /* the tasks still wait */
    EXPECT(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(with.second, 1));
    OK(aclrtRecordEvent(event, with.first));
    EXPECT(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event, 1));
  }
  let_long_ops_end();
  OK(aclrtSynchronizeEvent(event));
  OK(aclrtSynchronizeStream(with.second));
  OK(aclrtDestroyEvent(event));
  end(&with);
}

static void by_notify(void) {
  struct setup with;
  aclrtNotify notify;
  begin(&with);
  OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
  OK(aclrtWaitAndResetNotify(notify, with.second, 0));
  short_op(1, with.second, with.x);
  long_op(1, with.first, with.x);
  OK(aclrtRecordNotify(notify, with.first));
  OK(aclrtSynchronizeStream(with.second));
  OK(aclrtDestroyNotify(notify));
  end(&with);
}

int main(void) {
  by_event(1);
  by_event(0);
  by_notify();
  return 0;
}
