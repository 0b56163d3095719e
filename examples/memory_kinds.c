// Memory of the device, of the host, registered and managed; copies of rectangles; and a reduction.
//
// What to look at: aclrtPointerGetAttributes tells what an address is, and copies ask the same.

#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <string.h>

#include "check.h"

enum { rows = 4, columns = 8, pitch = 64, page = 4096 };

static const char* place_of(const void* address) {
  aclrtPtrAttributes attributes;
  CHECK(aclrtPointerGetAttributes(address, &attributes));
  switch (attributes.location.type) {
  case ACL_MEM_LOCATION_TYPE_HOST:
    return "host memory of the runtime";
  case ACL_MEM_LOCATION_TYPE_DEVICE:
    return "memory of the device";
  case ACL_MEM_LOCATION_TYPE_MANAGED:
    return "managed memory";
  default:
    return "ordinary memory of the program";
  }
}

// A rectangle of the host's goes to the device, where its rows are farther apart, and back.
static void copy_a_rectangle(void* device) {
  char there[rows][columns];
  char back[rows][columns];
  for (int i = 0; i < rows * columns; ++i) {
    there[i / columns][i % columns] = (char)('a' + i % 26);
  }
  CHECK(aclrtMemcpy2d(device, pitch, there, columns, columns, rows, ACL_MEMCPY_HOST_TO_DEVICE));
  CHECK(aclrtMemcpy2d(back, columns, device, pitch, columns, rows, ACL_MEMCPY_DEVICE_TO_HOST));
  printf("the rectangle is %s\n", memcmp(there, back, sizeof there) == 0 ? "the same" : "another");
}

// The device adds one array to another, without a kernel.
static void sum_up(float* to, float* from) {
  aclrtStream stream = NULL;
  for (int i = 0; i < columns; ++i) {
    to[i] = (float)i;
    from[i] = 1.0F;
  }
  CHECK(aclrtCreateStream(&stream));
  CHECK(aclrtReduceAsync(to, from, columns * sizeof(float), ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT,
                         stream, NULL));
  CHECK(aclrtSynchronizeStream(stream));
  printf("the sums go from %.0f to %.0f\n", (double)to[0], (double)to[columns - 1]);
  CHECK(aclrtDestroyStream(stream));
}

int main(void) {
  void* device = NULL;
  void* host = NULL;
  void* managed = NULL;
  void* for_tasks = NULL;
  void* own = NULL;
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtMalloc(&device, page, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMallocHost(&host, page));
  CHECK(aclrtMemAllocManaged(&managed, page, ACL_RT_MEM_ATTACH_GLOBAL));
  if (posix_memalign(&own, page, page) != 0) {
    return 1;
  }
  printf("aclrtMalloc: %s\naclrtMallocHost: %s\naclrtMemAllocManaged: %s\nmalloc: %s\n", place_of(device),
         place_of(host), place_of(managed), place_of(own));

  // The program's own memory becomes usable for tasks, at an address that the runtime tells.
  CHECK(aclrtHostRegisterV2(own, page, ACL_HOST_REG_MAPPED));
  CHECK(aclrtHostGetDevicePointer(own, &for_tasks, 0));
  CHECK(aclrtHostUnregister(own));

  copy_a_rectangle(device);
  sum_up(host, managed);
  CHECK(aclrtFree(managed));
  CHECK(aclrtFreeHost(host));
  CHECK(aclrtFree(device));
  free(own);
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
