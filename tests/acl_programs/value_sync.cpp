// Two threads with a stream each, in step by a word in memory: the one waits, and its host goes on.
#include <atomic>
#include <thread>

#include "check.h"
#include "kernels.h"

namespace {

void* word = nullptr;
void* x = nullptr;

void wait_for_the_other() {
  aclrtStream stream = nullptr;
  aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
  short_op(1, stream, static_cast<std::uint32_t*>(x));
  OK(aclrtStreamQuery(stream, &status));
  HOLDS(status == ACL_STREAM_STATUS_NOT_READY);  // nobody has let the other one write yet
  let_long_ops_end();
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtDestroyStream(stream));
}

void write_when_done() {
  aclrtStream stream = nullptr;
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  long_op(1, stream, static_cast<std::uint32_t*>(x));
  OK(aclrtValueWrite(word, 1, 0, stream));
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtDestroyStream(stream));
}

}  // namespace

int main() {
  std::uint32_t value = 7;
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  OK(aclrtMalloc(&word, 8, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMalloc(&x, sizeof value, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemset(word, 8, 0, 8));
  OK(aclrtMemset(x, sizeof value, 0, sizeof value));
  std::thread one(wait_for_the_other);
  std::thread other(write_when_done);
  one.join();
  other.join();
  OK(aclrtMemcpy(&value, sizeof value, x, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
  HOLDS(value == 2);
  OK(aclrtFree(word));
  OK(aclrtFree(x));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
