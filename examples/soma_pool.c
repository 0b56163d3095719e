// Adds two vectors with memory from a stream-ordered pool, written against CANN's C interface.
//
// What to look at: nothing waits before the one synchronise near the end. Every buffer is allocated, used and
// freed as a task of the stream, so the stream's order alone sees to it that no buffer goes before its last
// use. Apart from the kernel, which here is a function of the host, the program is as it would be on a
// device.

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "acl/soma_kernel.h"

enum { element_count = 1000003, block_count = 8 };

static const size_t vector_bytes = element_count * sizeof(float);
static const size_t pool_bytes = (size_t)14 << 30;

// Nothing in this program can go on after a failed call, so a failure ends it.
static void check(aclError code, const char* call, int line) {
  if (code == ACL_SUCCESS) {
    return;
  }
  const char* reason = aclGetRecentErrMsg();
  fprintf(stderr, "soma_pool.c:%d: %s\n  returned %d: %s\n", line, call, code,
          reason != NULL ? reason : "(no message)");
  exit(EXIT_FAILURE);
}

#define CHECK(call) check((call), #call, __LINE__)

// ---- The kernel ----

// The kernel's arguments, packed as a launch packs them: each at a multiple of 8 bytes.
typedef struct {
  const float* a;
  const float* b;
  float* sum;
  uint64_t count;
} AddArguments;

// Runs once for each block; each block adds its own part of the vectors.
static int add(const void* args, size_t argsBytes, uint32_t block, uint32_t blocks) {
  const AddArguments* vectors = args;
  if (argsBytes != sizeof *vectors) {
    return 1;
  }
  const uint64_t begin = vectors->count * block / blocks;
  const uint64_t end = vectors->count * (block + UINT64_C(1)) / blocks;
  for (uint64_t i = begin; i < end; ++i) {
    vectors->sum[i] = vectors->a[i] + vectors->b[i];
  }
  return 0;
}

// ---- Host memory ----

// What the copies read and write. It is from aclrtMallocHost, so that copies need not wait for the stream.
typedef struct {
  float* a;
  float* b;
  float* sum;
  AddArguments* arguments;
} HostBuffers;

static HostBuffers allocateHostBuffers(void) {
  HostBuffers host = {NULL, NULL, NULL, NULL};
  void* memory = NULL;
  CHECK(aclrtMallocHost(&memory, vector_bytes));
  host.a = memory;
  CHECK(aclrtMallocHost(&memory, vector_bytes));
  host.b = memory;
  CHECK(aclrtMallocHost(&memory, vector_bytes));
  host.sum = memory;
  CHECK(aclrtMallocHost(&memory, sizeof *host.arguments));
  host.arguments = memory;

  for (int i = 0; i < element_count; ++i) {
    host.a[i] = (float)i;
    host.b[i] = 0.5F;
    host.sum[i] = -1.0F;
  }
  return host;
}

static void freeHostBuffers(HostBuffers host) {
  CHECK(aclrtFreeHost(host.arguments));
  CHECK(aclrtFreeHost(host.sum));
  CHECK(aclrtFreeHost(host.b));
  CHECK(aclrtFreeHost(host.a));
}

// ---- The pool ----

static aclrtMemPool createPool(uint32_t device) {
  // What is not named here is 0, as the reserved bytes must be.
  const aclrtMemPoolProps props = {
      .allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
      .handleType = ACL_MEM_HANDLE_TYPE_NONE,
      .location = {.id = device, .type = ACL_MEM_LOCATION_TYPE_DEVICE},
      .maxSize = pool_bytes,
  };
  aclrtMemPool pool = NULL;
  CHECK(aclrtMemPoolCreate(&pool, &props));
  return pool;
}

static void printPool(aclrtMemPool pool, const char* when) {
  uint64_t used = 0;
  uint64_t reserved = 0;
  CHECK(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used));
  CHECK(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
  printf("%-28s used %8" PRIu64 " bytes, reserved %8" PRIu64 " bytes\n", when, used, reserved);
}

// ---- The work ----

// Queues the whole addition and returns before any of it need have run.
static void submitAddition(aclrtFuncHandle kernel, HostBuffers host, aclrtMemPool pool, aclrtStream stream) {
  void* a = NULL;
  void* b = NULL;
  void* sum = NULL;
  void* arguments = NULL;
  CHECK(aclrtMemPoolMallocAsync(&a, vector_bytes, pool, stream));
  CHECK(aclrtMemPoolMallocAsync(&b, vector_bytes, pool, stream));
  CHECK(aclrtMemPoolMallocAsync(&sum, vector_bytes, pool, stream));
  CHECK(aclrtMemPoolMallocAsync(&arguments, sizeof(AddArguments), pool, stream));
  printPool(pool, "four buffers allocated:");

  // The addresses are known already, although no task has touched the memory: they can be packed now.
  *host.arguments = (AddArguments){.a = a, .b = b, .sum = sum, .count = element_count};

  CHECK(aclrtMemcpyAsync(a, vector_bytes, host.a, vector_bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
  CHECK(aclrtMemcpyAsync(b, vector_bytes, host.b, vector_bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
  CHECK(aclrtMemcpyAsync(arguments, sizeof(AddArguments), host.arguments, sizeof(AddArguments),
                         ACL_MEMCPY_HOST_TO_DEVICE, stream));
  CHECK(aclrtLaunchKernelV2(kernel, block_count, arguments, sizeof(AddArguments), NULL, stream));
  CHECK(aclrtMemcpyAsync(host.sum, vector_bytes, sum, vector_bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));

  // No synchronise: each free is a task behind the last use.
  CHECK(aclrtMemPoolFreeAsync(a, stream));
  CHECK(aclrtMemPoolFreeAsync(b, stream));
  CHECK(aclrtMemPoolFreeAsync(sum, stream));
  CHECK(aclrtMemPoolFreeAsync(arguments, stream));
  printPool(pool, "four frees submitted:");
}

static int countWrong(HostBuffers host) {
  int wrong = 0;
  for (int i = 0; i < element_count; ++i) {
    if (host.sum[i] != (float)i + 0.5F) {
      ++wrong;
    }
  }
  return wrong;
}

int main(void) {
  const int32_t device = 0;
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(device));
  aclrtStream stream = NULL;
  CHECK(aclrtCreateStream(&stream));
  aclrtFuncHandle kernel = NULL;
  CHECK(somaKernelRegister("add", add, &kernel));
  aclrtMemPool pool = createPool((uint32_t)device);
  HostBuffers host = allocateHostBuffers();

  submitAddition(kernel, host, pool, stream);

  // Here the host waits, once. With the pool's threshold of 0 its idle memory goes back at the end of it.
  CHECK(aclrtSynchronizeStream(stream));
  printPool(pool, "stream synchronised:");
  const int wrong = countWrong(host);
  printf("%d elements added in %d blocks, %d of them wrong\n", (int)element_count, (int)block_count, wrong);

  freeHostBuffers(host);
  CHECK(aclrtMemPoolDestroy(pool));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(device));
  CHECK(aclFinalize());
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
