/* A pool of one process that another one imports: it sees the blocks it is told of, and allocates none. */
#define _POSIX_C_SOURCE 200809L
#include "acl/soma_pool_sharing.h"

#include "memory_program.h"

static int export_pool(const char* program) {
  const struct other_process child = start_child(program, "");
  const aclrtMemPoolProps properties = {
      ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_MEM_HANDLE_TYPE_POSIX, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, 0, {0}};
  aclrtStream stream;
  aclrtMemPool pool;
  void* first;
  void* block;
  char key[SOMA_POOL_KEY_SIZE];
  char answer = 0;
  somaMemPoolPointer told;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtMemPoolCreate(&pool, &properties));
  OK(aclrtMemPoolMallocAsync(&first, 1000, pool, stream));
  OK(aclrtMemPoolMallocAsync(&block, 1000, pool, stream));
  write_on(stream, block, 11);
  OK(somaMemPoolExport(pool, key, sizeof key));
  OK(somaMemPoolExportPointer(pool, block, &told));
  aclrtMemPool own;
  EXPECT(ACL_ERROR_RT_PARAM_INVALID, somaMemPoolImport(&own, key));
  tell(&child, key, sizeof key);
  tell(&child, &told, sizeof told);
  hear(&child, &answer, 1);
  HOLDS(answer == 'w' && value_at(block) == 22);
  /* A block that is allocated later is in the imported pool, too. */
  OK(aclrtMemPoolFreeAsync(first, stream));
  OK(aclrtMemPoolMallocAsync(&first, 1000, pool, stream));
  write_on(stream, first, 33);
  OK(somaMemPoolExportPointer(pool, first, &told));
  tell(&child, &told, sizeof told);
  wait_for_child(&child);
  OK(aclrtMemPoolFreeAsync(first, stream));
  OK(aclrtMemPoolFreeAsync(block, stream));
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtMemPoolDestroy(pool));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}

static int import_pool(const struct other_process* parent) {
  aclrtStream stream;
  aclrtMemPool pool;
  void* block = NULL;
  uint64_t threshold = 0;
  char key[SOMA_POOL_KEY_SIZE];
  somaMemPoolPointer told;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  hear(parent, key, sizeof key);
  hear(parent, &told, sizeof told);
  OK(somaMemPoolImport(&pool, key));
  EXPECT(ACL_ERROR_RT_INTERNAL_ERROR, aclrtMemPoolMallocAsync(&block, 1000, pool, stream));
  EXPECT(ACL_ERROR_RT_PARAM_INVALID,
         aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &threshold));
  OK(somaMemPoolImportPointer(pool, &told, &block));
  HOLDS(value_at(block) == 11);
  write_on(stream, block, 22);
  tell(parent, "w", 1);
  hear(parent, &told, sizeof told);
  OK(somaMemPoolImportPointer(pool, &told, &block));
  HOLDS(value_at(block) == 33);
  EXPECT(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(block));
  OK(aclrtMemPoolDestroy(pool));
  EXPECT(ACL_ERROR_RT_PARAM_INVALID, somaMemPoolImportPointer(pool, &told, &block));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}

int main(int count, char** arguments) {
  if (count > 4 && strcmp(arguments[1], "child") == 0) {
    const struct other_process parent = parent_of(arguments);
    return import_pool(&parent);
  }
  return export_pool(arguments[0]);
}
