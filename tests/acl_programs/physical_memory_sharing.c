/* Physical memory of one process that another one maps, too. Modes: open (no validation of processes),
   validated (the importing process is named), fabric (by a handle for fabrics). */
#define _POSIX_C_SOURCE 200809L
#include "memory_program.h"

static void* reserve_and_map(aclrtDrvMemHandle handle, size_t bytes) {
  void* begin = NULL;
  aclrtMemAccessDesc access = {ACL_RT_MEM_ACCESS_FLAGS_READWRITE, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, {0}};
  OK(aclrtReserveMemAddress(&begin, bytes, 0, NULL, 0));
  OK(aclrtMapMem(begin, bytes, 0, handle, 0));
  OK(aclrtMemSetAccess(begin, bytes, &access, 1));
  return begin;
}

static void unmap_and_release(void* begin, aclrtDrvMemHandle handle) {
  OK(aclrtUnmapMem(begin));
  OK(aclrtReleaseMemAddress(begin));
  OK(aclrtFreePhysical(handle));
}

static void start(aclrtStream* stream) {
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(stream));
}

static void finish(aclrtStream stream) {
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
}

static int export_memory(const char* program, const char* mode) {
  const int fabric = strcmp(mode, "fabric") == 0;
  const int validated = strcmp(mode, "validated") == 0;
  const struct other_process child = start_child(program, mode);
  aclrtStream stream;
  aclrtDrvMemHandle handle = NULL;
  aclrtPhysicalMemProp wanted = {ACL_MEM_HANDLE_TYPE_NONE,
                                 ACL_MEM_ALLOCATION_TYPE_PINNED,
                                 ACL_HBM_MEM_HUGE,
                                 {0, ACL_MEM_LOCATION_TYPE_DEVICE},
                                 0};
  size_t bytes = 0;
  uint64_t shareable = 0;
  aclrtMemFabricHandle shareable_by_fabric;
  char answer = 0;
  start(&stream);
  OK(aclrtMemGetAllocationGranularity(&wanted, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &bytes));
  OK(aclrtMallocPhysical(&handle, bytes, &wanted, 0));
  int* const begin = reserve_and_map(handle, bytes);
  write_on(stream, begin, 123);
  if (fabric) {
    OK(aclrtMemExportToShareableHandleV2(handle, ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION,
                                         ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &shareable_by_fabric));
    tell(&child, &shareable_by_fabric, sizeof shareable_by_fabric);
  } else {
    OK(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE,
                                       validated ? ACL_RT_VMM_EXPORT_FLAG_DEFAULT
                                                 : ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION,
                                       &shareable));
    /* Memory is exported once, and not imported where it comes from. */
    aclrtDrvMemHandle again = NULL;
    uint64_t other = 0;
    EXPECT(ACL_ERROR_RT_PARAM_INVALID,
           aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &other));
    EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtMemImportFromShareableHandle(shareable, 0, &again));
    tell(&child, &shareable, sizeof shareable);
  }
  if (validated) {
    int32_t process = 0;
    hear(&child, &answer, 1); /* it was refused */
    HOLDS(answer == 'r');
    hear(&child, &process, sizeof process);
    OK(aclrtMemSetPidToShareableHandle(shareable, &process, 1));
    tell(&child, "g", 1);
  }
  hear(&child, &answer, 1); /* it has read, and written */
  HOLDS(answer == 'w');
  HOLDS(value_at(begin) == 456);
  write_on(stream, begin, 789);
  tell(&child, "g", 1);
  hear(&child, &answer, 1);
  HOLDS(answer == 'd');
  wait_for_child(&child);
  unmap_and_release(begin, handle);
  finish(stream);
  return 0;
}

static int import_memory(const struct other_process* parent, const char* mode) {
  aclrtStream stream;
  aclrtDrvMemHandle handle = NULL;
  uint64_t shareable = 0;
  aclrtMemFabricHandle shareable_by_fabric;
  const size_t bytes = (size_t)2 << 20;
  char answer = 0;
  start(&stream);
  if (strcmp(mode, "fabric") == 0) {
    hear(parent, &shareable_by_fabric, sizeof shareable_by_fabric);
    OK(aclrtMemImportFromShareableHandleV2(&shareable_by_fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0,
                                           &handle));
  } else {
    hear(parent, &shareable, sizeof shareable);
    if (strcmp(mode, "validated") == 0) {
      const int32_t process = getpid();
      EXPECT(ACL_ERROR_RT_NO_PERMISSION, aclrtMemImportFromShareableHandle(shareable, 0, &handle));
      tell(parent, "r", 1);
      tell(parent, &process, sizeof process);
      hear(parent, &answer, 1);
    }
    OK(aclrtMemImportFromShareableHandle(shareable, 0, &handle));
  }
  int* const begin = reserve_and_map(handle, bytes);
  HOLDS(value_at(begin) == 123);
  write_on(stream, begin, 456);
  tell(parent, "w", 1);
  hear(parent, &answer, 1);
  HOLDS(value_at(begin) == 789);
  unmap_and_release(begin, handle);
  tell(parent, "d", 1);
  finish(stream);
  return 0;
}

int main(int count, char** arguments) {
  if (count > 4 && strcmp(arguments[1], "child") == 0) {
    const struct other_process parent = parent_of(arguments);
    return import_memory(&parent, arguments[4]);
  }
  if (count > 1)
    return export_memory(arguments[0], arguments[1]);
  return export_memory(arguments[0], "open") + export_memory(arguments[0], "validated") +
         export_memory(arguments[0], "fabric");
}
