/// Memory pools that other processes use. CANN has the handle type POSIX and no functions for it; these are
/// soma's own. What crosses is the memory: the pool stays with the process that made it, which alone
/// allocates and frees; another process imports the pool, and then pointers into it, and has the same bytes.
/// It orders its use by shared events or otherwise. Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_SOMA_POOL_SHARING_H
#define SOMA_ACL_SOMA_POOL_SHARING_H

#include "acl/acl_rt_memory_soma.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The bytes of a key, with the 0 at its end.
#define SOMA_POOL_KEY_SIZE 65

/// A block of a pool, for other processes.
typedef struct {
  uint64_t offset; /* from the pool's start, in bytes */
  uint64_t size;   /* of the block, in bytes */
  uint8_t reserved[48];
} somaMemPoolPointer;

/// Makes a key by which all processes of the user can import the pool. It was made with the handle type
/// POSIX. `key` has room for `len` characters, SOMA_POOL_KEY_SIZE at least. The key is good as long as the
/// process. Threads: any but the device's. Errors: 100000 a pointer is NULL; 107000 it is no live pool, its
/// handle type is not POSIX, or `len` is too small; 207006.
ACL_FUNC_VISIBILITY aclError somaMemPoolExport(aclrtMemPool memPool, char* key, size_t len);

/// Imports a pool, for the current device. No memory is allocated from it: aclrtMemPoolMallocAsync gives
/// 507000. aclrtMemPoolDestroy ends the import; pointers into it are then good no more.
/// Threads: any but the device's.
/// Errors: 100000 a pointer is NULL; 107000 there is no such pool any more, or it is of this very process;
/// 107002; 207006.
ACL_FUNC_VISIBILITY aclError somaMemPoolImport(aclrtMemPool* memPool, const char* key);

/// Tells of a live block of a pool, for another process that has imported the pool.
/// Threads: any. Errors: 100000 a pointer is NULL; 107000 it is no live pool, or no live block of it.
ACL_FUNC_VISIBILITY aclError somaMemPoolExportPointer(aclrtMemPool memPool, void* ptr,
                                                      somaMemPoolPointer* data);

/// The block of which another process told, at its address in this one. There is nothing to free here.
/// Threads: any.
/// Errors: 100000 a pointer is NULL; 107000 it is no imported pool, or the block does not lie in it.
ACL_FUNC_VISIBILITY aclError somaMemPoolImportPointer(aclrtMemPool memPool, const somaMemPoolPointer* data,
                                                      void** ptr);

#ifdef __cplusplus
}
#endif

#endif
