/// Device memory that other processes use by a key. Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_MEMORY_IPC_H
#define SOMA_ACL_RT_MEMORY_IPC_H

#include "acl/acl_base.h"
#include "acl/acl_rt_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Flags of exports and imports.
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x1UL

/// Makes a key for `size` bytes of aclrtMalloc's or mapped memory, from a multiple of 4096 bytes on. `key`
/// has room for `len` characters, 65 at least. With DISABLE_PID_VALIDATION all processes of the user may
/// import, else those that aclrtIpcMemSetImportPid names. The key is good until it is closed, the memory is
/// freed or the process ends. The same range again has the same key, to be closed as often. Memory of pools
/// is shared by soma_pool_sharing.h. Threads: any but the device's. Errors: 100000 a pointer is NULL, or
/// `size` is 0; 107000 `len` is below 65, `flags` is another, or the range is not aligned or in no
/// allocation; 107002; 207006.
ACL_FUNC_VISIBILITY aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len,
                                                     uint64_t flags);

/// The memory of another process, at an address of this one. It is closed by aclrtIpcMemClose. The same key
/// again gives the same address, to be closed as often. Threads: any but the device's. Errors: 100000 a
/// pointer is NULL; 107000 `flags` is another, or nothing is shared by this key, or it is of this very
/// process; 107002; 207006 this process was not named.
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags);

/// In the importing process: the memory goes. In the exporting one: the key is good no more; importers should
/// have closed before.
/// Threads: any but the device's.
/// Errors: 100000 `key` is NULL; 107000 nothing is shared by this key here; 207006.
ACL_FUNC_VISIBILITY aclError aclrtIpcMemClose(const char* key);

/// Adds processes, by their aclrtDeviceGetBareTgid, that may import.
/// Threads: any but the device's.
/// Errors: 100000 a pointer is NULL, or `num` is 0; 107000 this process exports nothing by this key; 207001
/// too many processes; 207006.
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num);

/// What can be chosen for memory of another process.
typedef enum { ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0 } aclrtIpcMemAttrType;

/// Links to choose from.
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO 0UL
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS 1UL
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH 2UL
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH 3UL

/// Chooses a link. soma: there is one memory and no link; only the arguments are checked.
/// Threads: any. Errors: 100000 `key` is NULL; 107000 `type` or `attr` is no value, or `key` is no key.
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetAttr(const char* key, aclrtIpcMemAttrType type, uint64_t attr);

#ifdef __cplusplus
}
#endif

#endif
