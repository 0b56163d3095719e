// Two processes: one shares device memory and a notify, the other writes and tells.
//
// What to look at: a key is a text; it goes to the other process by whatever way the program has, here a
// pipe. Only the process that was named may import. The program starts itself again as the second process,
// since devices do not outlive a fork.

#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { key_bytes = 65, value = 42 };

struct keys {
  char memory[key_bytes];
  char notify[key_bytes];
};

static void expect(int holds, const char* what) {
  if (!holds) {
    fprintf(stderr, "%s\n", what);
    exit(EXIT_FAILURE);
  }
}

static aclrtStream begin(void) {
  aclrtStream stream = NULL;
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&stream));
  return stream;
}

static void end(aclrtStream stream) {
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}

// The second process: writes into the memory, and then records the notify.
static int write_and_tell(void) {
  aclrtStream stream = begin();
  struct keys keys;
  int32_t own = 0;
  void* block = NULL;
  aclrtNotify notify = NULL;
  CHECK(aclrtDeviceGetBareTgid(&own));
  expect(write(STDOUT_FILENO, &own, sizeof own) == sizeof own, "the other process is gone");
  expect(read(STDIN_FILENO, &keys, sizeof keys) == sizeof keys, "no keys have come");
  CHECK(aclrtIpcMemImportByKey(&block, keys.memory, ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT));
  CHECK(aclrtNotifyImportByKey(&notify, keys.notify, ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT));
  CHECK(aclrtMemsetAsync(block, 4096, value, 4096, stream));
  CHECK(aclrtRecordNotify(notify, stream));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtDestroyNotify(notify));
  CHECK(aclrtIpcMemClose(keys.memory));
  end(stream);
  return 0;
}

// Starts this program again, with a pipe in each direction as its input and output.
static pid_t start_other(const char* program, int* to, int* from) {
  int down[2];
  int up[2];
  expect(pipe(down) == 0 && pipe(up) == 0, "no pipe can be had");
  const pid_t other = fork();
  expect(other >= 0, "no process can be had");
  if (other == 0) {
    dup2(down[0], STDIN_FILENO);
    dup2(up[1], STDOUT_FILENO);
    close(down[0]), close(down[1]), close(up[0]), close(up[1]);
    execl(program, program, "other", (char*)NULL);
    _exit(127);
  }
  close(down[0]), close(up[1]);
  *to = down[1];
  *from = up[0];
  return other;
}

static int share_and_wait(const char* program) {
  int to = -1;
  int from = -1;
  int status = 0;
  int32_t other_number = 0;
  struct keys keys = {{0}, {0}};
  char seen = 0;
  void* block = NULL;
  aclrtNotify notify = NULL;
  const pid_t other = start_other(program, &to, &from);
  aclrtStream stream = begin();
  CHECK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
  CHECK(aclrtIpcMemGetExportKey(block, 4096, keys.memory, key_bytes, ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT));
  CHECK(aclrtNotifyGetExportKey(notify, keys.notify, key_bytes, ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT));
  expect(read(from, &other_number, sizeof other_number) == sizeof other_number, "the other process is gone");
  CHECK(aclrtIpcMemSetImportPid(keys.memory, &other_number, 1));
  CHECK(aclrtNotifySetImportPid(notify, &other_number, 1));
  expect(write(to, &keys, sizeof keys) == sizeof keys, "the other process is gone");

  // The stream waits, not the host.
  CHECK(aclrtWaitAndResetNotify(notify, stream, 0));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(&seen, 1, block, 1, ACL_MEMCPY_DEVICE_TO_HOST));
  printf("the other process has written %d\n", seen);
  expect(waitpid(other, &status, 0) == other && status == 0, "the other process has failed");
  CHECK(aclrtDestroyNotify(notify));
  CHECK(aclrtIpcMemClose(keys.memory));
  CHECK(aclrtFree(block));
  close(to), close(from);
  end(stream);
  return 0;
}

int main(int count, char** arguments) {
  if (count > 1 && strcmp(arguments[1], "other") == 0) {
    return write_and_tell();
  }
  return share_and_wait(arguments[0]);
}
