/* An allocator of one's own, registered for a stream, and used as a library above the runtime would. */
#include "check.h"

struct counts {
  int allocated;
  int freed;
};

static void* allocate(aclrtAllocator allocator, size_t size) {
  void* block = NULL;
  ++((struct counts*)allocator)->allocated;
  OK(aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST));
  return block;
}

static void* allocate_near(aclrtAllocator allocator, size_t size, aclrtAllocatorAddr address) {
  (void)address;
  return allocate(allocator, size);
}

static void free_block(aclrtAllocator allocator, aclrtAllocatorBlock block) {
  ++((struct counts*)allocator)->freed;
  OK(aclrtFree(block));
}

static void* address_of(aclrtAllocatorBlock block) { return block; }

int main(void) {
  struct counts counts = {0, 0};
  aclrtContext context;
  aclrtStream stream;
  aclrtAllocatorDesc of_stream;
  aclrtAllocator own;
  aclrtAllocatorAllocFunc get;
  aclrtAllocatorFreeFunc give_back;
  aclrtAllocatorAllocAdviseFunc get_near;
  aclrtAllocatorGetAddrFromBlockFunc where;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateContext(&context, 0));
  OK(aclrtCreateStream(&stream));
  aclrtAllocatorDesc const described = aclrtAllocatorCreateDesc();
  HOLDS(described != NULL);
  OK(aclrtAllocatorSetObjToDesc(described, &counts));
  OK(aclrtAllocatorSetAllocFuncToDesc(described, allocate));
  OK(aclrtAllocatorSetFreeFuncToDesc(described, free_block));
  OK(aclrtAllocatorSetAllocAdviseFuncToDesc(described, allocate_near));
  OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(described, address_of));
  OK(aclrtAllocatorRegister(stream, described));
  OK(aclrtAllocatorGetByStream(stream, &of_stream, &own, &get, &give_back, &get_near, &where));
  HOLDS(own == &counts && where(&counts) == &counts);
  void* const first = get(own, 1024);
  void* const second = get_near(own, 1024, where(first));
  give_back(own, first);
  give_back(own, second);
  HOLDS(counts.allocated == 2 && counts.freed == 2);
  OK(aclrtAllocatorUnregister(stream));
  EXPECT(ACL_ERROR_INVALID_PARAM,
         aclrtAllocatorGetByStream(stream, &of_stream, NULL, NULL, NULL, NULL, NULL));
  OK(aclrtAllocatorDestroyDesc(described));
  OK(aclrtDestroyStream(stream));
  OK(aclrtDestroyContext(context));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
