/* Device memory of one process that another one uses by a key, with and without validation of processes. */
#define _POSIX_C_SOURCE 200809L
#include "memory_program.h"

enum { key_room = 65 };

static int export_memory(const char* program, const char* mode) {
  const int validated = strcmp(mode, "validated") == 0;
  const struct other_process child = start_child(program, mode);
  aclrtStream stream;
  void* block = NULL;
  char key[key_room];
  char answer = 0;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtMalloc(&block, sizeof(int), ACL_MEM_MALLOC_HUGE_FIRST));
  write_on(stream, block, 1);
  OK(aclrtIpcMemGetExportKey(block, sizeof(int), key, sizeof key,
                             validated ? ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT
                                       : ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
  void* own = NULL;
  EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemImportByKey(&own, key, 0));
  if (validated) {
    int32_t process = 0;
    hear(&child, &process, sizeof process);
    OK(aclrtIpcMemSetImportPid(key, &process, 1));
  }
  tell(&child, key, sizeof key);
  hear(&child, &answer, 1); /* it has read, and written */
  HOLDS(answer == 'w' && value_at(block) == 2);
  wait_for_child(&child);
  HOLDS(value_at(block) == 2);
  OK(aclrtIpcMemClose(key));
  EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemClose(key));
  OK(aclrtFree(block));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}

static int import_memory(const struct other_process* parent, const char* mode) {
  aclrtStream stream;
  void* block = NULL;
  char key[key_room];
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  if (strcmp(mode, "validated") == 0) {
    const int32_t process = getpid();
    tell(parent, &process, sizeof process);
  }
  hear(parent, key, sizeof key);
  OK(aclrtIpcMemImportByKey(&block, key, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS));
  aclrtPtrAttributes attributes;
  OK(aclrtPointerGetAttributes(block, &attributes));
  HOLDS(attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE);
  HOLDS(value_at(block) == 1);
  /* Once more is the same memory, and is closed by itself. */
  void* again = NULL;
  OK(aclrtIpcMemImportByKey(&again, key, 0));
  HOLDS(again == block);
  OK(aclrtIpcMemClose(key));
  write_on(stream, block, 2);
  tell(parent, "w", 1);
  OK(aclrtIpcMemClose(key));
  EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemClose(key));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}

int main(int count, char** arguments) {
  if (count > 4 && strcmp(arguments[1], "child") == 0) {
    const struct other_process parent = parent_of(arguments);
    return import_memory(&parent, arguments[4]);
  }
  return export_memory(arguments[0], "open") + export_memory(arguments[0], "validated");
}
