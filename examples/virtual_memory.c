// One range of addresses, of which a part has memory behind it, and which grows in place.
//
// What to look at: the addresses are reserved once, so that nothing moves when physical memory is added. The
// order is physical memory, addresses, mapping, access; and back the other way round.

#include <stdint.h>

#include "check.h"

static const aclrtPhysicalMemProp of_device_0 = {ACL_MEM_HANDLE_TYPE_NONE,
                                                 ACL_MEM_ALLOCATION_TYPE_PINNED,
                                                 ACL_HBM_MEM_HUGE,
                                                 {0, ACL_MEM_LOCATION_TYPE_DEVICE},
                                                 0};

// Puts a granule of physical memory behind an address.
static aclrtDrvMemHandle map_granule(char* at, size_t granule) {
  aclrtDrvMemHandle memory = NULL;
  aclrtMemAccessDesc access = {ACL_RT_MEM_ACCESS_FLAGS_READWRITE, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, {0}};
  CHECK(aclrtMallocPhysical(&memory, granule, &of_device_0, 0));
  CHECK(aclrtMapMem(at, granule, 0, memory, 0));
  CHECK(aclrtMemSetAccess(at, granule, &access, 1));
  return memory;
}

int main(void) {
  enum { granules = 4 };
  aclrtDrvMemHandle memory[granules];
  aclrtPhysicalMemProp properties = of_device_0;
  size_t granule = 0;
  void* reserved = NULL;
  char seen = 0;
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtMemGetAllocationGranularity(&properties, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granule));
  CHECK(aclrtReserveMemAddress(&reserved, granules * granule, 0, NULL, 0));
  printf("%d granules of %zu KiB are reserved\n", (int)granules, granule >> 10);

  char* const begin = reserved;
  for (int i = 0; i < granules; ++i) {
    memory[i] = map_granule(begin + (size_t)i * granule, granule);
    CHECK(aclrtMemset(begin + (size_t)i * granule, granule, 'a' + i, granule));
    printf("%d of them have memory\n", i + 1);
  }
  for (int i = 0; i < granules; ++i) {
    CHECK(aclrtMemcpy(&seen, 1, begin + (size_t)i * granule, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%c", seen);
  }
  printf(" is what they hold\n");

  for (int i = 0; i < granules; ++i) {
    CHECK(aclrtUnmapMem(begin + (size_t)i * granule));
    CHECK(aclrtFreePhysical(memory[i]));
  }
  CHECK(aclrtReleaseMemAddress(reserved));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
