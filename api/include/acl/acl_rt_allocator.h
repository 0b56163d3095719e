/// Allocators of the program's own that libraries above the runtime use for a stream. The runtime keeps
/// them, and calls none of their functions. Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_ALLOCATOR_H
#define SOMA_ACL_RT_ALLOCATOR_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What describes an allocator while it is put together.
typedef void* aclrtAllocatorDesc;
/// The program's allocator, one of its blocks, and an address: all are the program's own.
typedef void* aclrtAllocator;
typedef void* aclrtAllocatorBlock;
typedef void* aclrtAllocatorAddr;

/// The functions of the program's allocator: a block, its end, a block at an address if possible, and a
/// block's address.
typedef void* (*aclrtAllocatorAllocFunc)(aclrtAllocator allocator, size_t size);
typedef void (*aclrtAllocatorFreeFunc)(aclrtAllocator allocator, aclrtAllocatorBlock block);
typedef void* (*aclrtAllocatorAllocAdviseFunc)(aclrtAllocator allocator, size_t size,
                                               aclrtAllocatorAddr addr);
typedef void* (*aclrtAllocatorGetAddrFromBlockFunc)(aclrtAllocatorBlock block);

/// Makes an empty description, or NULL if no memory is left. The caller destroys it; what was registered by
/// it stays.
/// Threads: any. Errors: 100000 `allocatorDesc` is NULL; 107017.
ACL_FUNC_VISIBILITY aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);
ACL_FUNC_VISIBILITY aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc);

/// Put a part into the description.
/// Threads: any. Errors: 100000 an argument is NULL; 107017.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc,
                                                        aclrtAllocator allocator);
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                              aclrtAllocatorAllocFunc func);
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                             aclrtAllocatorFreeFunc func);
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                                    aclrtAllocatorAllocAdviseFunc func);
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
    aclrtAllocatorDesc allocatorDesc, aclrtAllocatorGetAddrFromBlockFunc func);

/// Registers a copy of the description for a stream; a second one takes the place of the first. All parts
/// but the advising function must be there.
/// Threads: any. Errors: 100000 an argument is NULL or a part is missing; 107017.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc);

/// What is registered for the stream. The results but `allocatorDesc` may be NULL. The description stays
/// the library's.
/// Threads: any. Errors: 100000 `stream` or `allocatorDesc` is NULL, or nothing is registered for it.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorGetByStream(
    aclrtStream stream, aclrtAllocatorDesc* allocatorDesc, aclrtAllocator* allocator,
    aclrtAllocatorAllocFunc* allocFunc, aclrtAllocatorFreeFunc* freeFunc,
    aclrtAllocatorAllocAdviseFunc* allocAdviseFunc, aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc);

/// Takes it away; if nothing is registered, that is no error.
/// Threads: any. Errors: 100000 `stream` is NULL.
ACL_FUNC_VISIBILITY aclError aclrtAllocatorUnregister(aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
