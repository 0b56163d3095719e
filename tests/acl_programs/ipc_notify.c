/* A notify that two processes share, with and without a list of those who may have it. (Programs for CANN
   that do this share memory, too, which soma does not have yet: see docs/porting.md.) */
#define _POSIX_C_SOURCE 200809L
#include "two_processes.h"

enum { key_bytes = 65 };

static int record(const char* program, const char* validation) {
  const int validated = strcmp(validation, "validated") == 0;
  aclrtNotify notify;
  aclrtStream stream;
  char key[key_bytes];
  char answer = 0;
  int32_t process = 0;
  const struct other_process child = start_child(program, validation);
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
  OK(aclrtNotifyGetExportKey(notify, key, sizeof key,
                             validated ? ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT
                                       : ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
  tell(&child, key, sizeof key);
  hear(&child, &process, sizeof process);
  if (validated)
    OK(aclrtNotifySetImportPid(notify, &process, 1));
  tell(&child, "g", 1);
  hear(&child, &answer, 1);
  HOLDS(answer == 'w');
  OK(aclrtRecordNotify(notify, stream));
  OK(aclrtSynchronizeStream(stream));
  wait_for_child(&child);
  OK(aclrtDestroyNotify(notify));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  return 0;
}

static int wait_for_it(const struct other_process* parent, const char* validation) {
  aclrtNotify notify;
  aclrtStream stream;
  char key[key_bytes];
  char answer = 0;
  int32_t process = 0;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  hear(parent, key, sizeof key);
  if (strcmp(validation, "validated") == 0)
    EXPECT(ACL_ERROR_RT_NO_PERMISSION,
           aclrtNotifyImportByKey(&notify, key, ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT));
  OK(aclrtDeviceGetBareTgid(&process));
  tell(parent, &process, sizeof process);
  hear(parent, &answer, 1);
  OK(aclrtNotifyImportByKey(&notify, key, ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT));
  OK(aclrtWaitAndResetNotify(notify, stream, 0));
  tell(parent, "w", 1);
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtDestroyNotify(notify));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDevice(0));
  OK(aclFinalize());
  return 0;
}

int main(int count, char** arguments) {
  if (count > 4 && strcmp(arguments[1], "child") == 0) {
    const struct other_process parent = parent_of(arguments);
    return wait_for_it(&parent, arguments[4]);
  }
  HOLDS(count == 2);
  return record(arguments[0], arguments[1]);
}
