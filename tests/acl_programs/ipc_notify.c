/* A notify and device memory that two processes share, each on a device of its own: one waits for the notify
   and then reads what the other has written. With and without a list of the processes that may have the
   notify. */
#define _POSIX_C_SOURCE 200809L
#include "kernels.h"
#include "two_processes.h"

enum { key_bytes = 65, waiting_device = 2, writing_device = 3, written = 123 };

static aclrtStream begin(int32_t device, int32_t peer) {
  aclrtStream stream;
  int32_t can_access = 0;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(device));
  OK(aclrtCreateStream(&stream));
  OK(aclrtDeviceCanAccessPeer(&can_access, device, peer));
  HOLDS(can_access == 1);
  OK(aclrtDeviceEnablePeerAccess(peer, 0));
  return stream;
}

static void end(aclrtStream stream, int32_t device) {
  OK(aclrtDestroyStreamForce(stream));
  OK(aclrtResetDeviceForce(device));
  OK(aclFinalize());
}

static int wait_and_read(const char* program, const char* validation) {
  const int validated = strcmp(validation, "validated") == 0;
  const struct other_process child = start_child(program, validation);
  aclrtStream stream = begin(waiting_device, writing_device);
  aclrtNotify notify;
  aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
  void *block, *seen;
  char memory_key[key_bytes], notify_key[key_bytes];
  char answer = 0;
  int32_t process = 0;
  OK(aclrtMallocHost(&seen, sizeof(int)));
  OK(aclrtMalloc(&block, sizeof(int), ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemset(block, sizeof(int), 0, sizeof(int)));
  OK(aclrtIpcMemGetExportKey(block, sizeof(int), memory_key, sizeof memory_key,
                             ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
  OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
  OK(aclrtNotifyGetExportKey(notify, notify_key, sizeof notify_key,
                             validated ? ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT
                                       : ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
  tell(&child, memory_key, sizeof memory_key);
  tell(&child, notify_key, sizeof notify_key);
  hear(&child, &process, sizeof process);
  if (validated)
    OK(aclrtNotifySetImportPid(notify, &process, 1));
  OK(aclrtWaitAndResetNotify(notify, stream, 0));
  read_op(1, stream, block);
  OK(aclrtMemcpyAsync(seen, sizeof(int), block, sizeof(int), ACL_MEMCPY_DEVICE_TO_HOST, stream));
  OK(aclrtStreamQuery(stream, &status));
  HOLDS(status == ACL_STREAM_STATUS_NOT_READY);
  tell(&child, "g", 1);
  OK(aclrtSynchronizeStream(stream));
  HOLDS(*(const int*)seen == written);
  hear(&child, &answer, 1);
  wait_for_child(&child);
  OK(aclrtIpcMemClose(memory_key));
  OK(aclrtFree(block));
  OK(aclrtFreeHost(seen));
  OK(aclrtDestroyNotify(notify));
  end(stream, waiting_device);
  return 0;
}

static int write_and_record(const struct other_process* parent, const char* validation) {
  aclrtStream stream = begin(writing_device, waiting_device);
  aclrtNotify notify;
  void* block;
  char memory_key[key_bytes], notify_key[key_bytes];
  char answer = 0;
  int32_t process = 0;
  hear(parent, memory_key, sizeof memory_key);
  hear(parent, notify_key, sizeof notify_key);
  OK(aclrtIpcMemImportByKey(&block, memory_key, ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT));
  if (strcmp(validation, "validated") == 0)
    EXPECT(ACL_ERROR_RT_NO_PERMISSION,
           aclrtNotifyImportByKey(&notify, notify_key, ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT));
  OK(aclrtDeviceGetBareTgid(&process));
  tell(parent, &process, sizeof process);
  hear(parent, &answer, 1);
  OK(aclrtNotifyImportByKey(&notify, notify_key, ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS));
  write_op(1, stream, block, written);
  OK(aclrtRecordNotify(notify, stream));
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtIpcMemClose(memory_key));
  OK(aclrtDestroyNotify(notify));
  end(stream, writing_device);
  tell(parent, "e", 1);
  return 0;
}

int main(int count, char** arguments) {
  if (count > 4 && strcmp(arguments[1], "child") == 0) {
    const struct other_process parent = parent_of(arguments);
    return write_and_record(&parent, arguments[4]);
  }
  HOLDS(count == 2);
  return wait_and_read(arguments[0], arguments[1]);
}
