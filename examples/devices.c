// Looks at all devices, and lets one of them reach the memory of another.
//
// What to look at: a device is chosen for a thread (aclrtSetDevice), and what the thread makes afterwards is
// that device's. Started with SOMA_DEVICES=2 there are two; with one device the last part is left out.

#include <inttypes.h>
#include <stdint.h>

#include "check.h"

static void describe(uint32_t device) {
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
  int64_t vector_cores = 0;
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  CHECK(aclrtSetDevice((int32_t)device));
  CHECK(aclrtQueryDeviceStatus((int32_t)device, &status));
  CHECK(aclrtGetDeviceInfo(device, ACL_DEV_ATTR_VECTOR_CORE_NUM, &vector_cores));
  CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes));
  printf("device %" PRIu32 ": status %d, %" PRId64 " vector cores, %zu of %zu MiB free\n", device,
         (int)status, vector_cores, free_bytes >> 20, total_bytes >> 20);
  CHECK(aclrtResetDevice((int32_t)device));
}

// Device 0 copies from memory of device 1.
static void reach_a_peer(void) {
  void* here = NULL;
  void* there = NULL;
  aclrtStream stream = NULL;
  int32_t reachable = 0;
  char seen = 0;
  CHECK(aclrtSetDevice(1));
  CHECK(aclrtMalloc(&there, 4096, ACL_MEM_MALLOC_HUGE_FIRST_P2P));
  CHECK(aclrtMemset(there, 4096, 'p', 4096));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtDeviceCanAccessPeer(&reachable, 0, 1));
  CHECK(aclrtDeviceEnablePeerAccess(1, 0));
  CHECK(aclrtCreateStream(&stream));
  CHECK(aclrtMalloc(&here, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpyAsync(here, 4096, there, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(&seen, 1, here, 1, ACL_MEMCPY_DEVICE_TO_HOST));
  printf("device 0 can reach device 1: %d; it read '%c' there\n", (int)reachable, seen);
  CHECK(aclrtFree(here));
  CHECK(aclrtFree(there));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtDeviceDisablePeerAccess(1));
  CHECK(aclrtResetDevice(0));
  CHECK(aclrtResetDevice(1));
}

int main(void) {
  uint32_t devices = 0;
  CHECK(aclInit(NULL));
  CHECK(aclrtGetDeviceCount(&devices));
  printf("%s, %" PRIu32 " device(s)\n", aclrtGetSocName(), devices);
  for (uint32_t device = 0; device < devices; ++device) {
    describe(device);
  }
  if (devices > 1) {
    reach_a_peer();
  }
  CHECK(aclFinalize());
  return 0;
}
