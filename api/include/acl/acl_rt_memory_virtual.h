/// Virtual memory in the program's own hands: physical memory, reserved addresses, mapping the one into the
/// other, and physical memory that processes share. The order of use: allocate physical memory, reserve
/// addresses, map, set access where others than the memory's own device use it, use, unmap, release the
/// addresses, free the physical memory. Conventions and the codes without a reason: acl_rt.h.
///
/// soma: all of this needs no context. Physical memory of a device counts for the device's memory. The race
/// detector does not know what is mapped. Codes where CANN's documents name none: 107000 for wrong ranges,
/// 107017 for handles that are no longer good, 207006 for memory that is not shared with this process.
#ifndef SOMA_ACL_RT_MEMORY_VIRTUAL_H
#define SOMA_ACL_RT_MEMORY_VIRTUAL_H

#include "acl/acl_base.h"
#include "acl/acl_rt_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Physical memory.
typedef void* aclrtDrvMemHandle;

/// How physical memory is to be made; `reserve` is 0.
typedef struct {
  aclrtMemHandleType handleType;
  aclrtMemAllocationType allocationType;
  aclrtMemAttr memAttr;
  aclrtMemLocation location;
  uint64_t reserve;
} aclrtPhysicalMemProp;

/// Which granularity is asked for.
typedef enum {
  ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
  ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
  ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xFFFF
} aclrtMemGranularityOptions;

/// How memory may be used.
typedef enum {
  ACL_RT_MEM_ACCESS_FLAGS_NONE = 0x0,
  ACL_RT_MEM_ACCESS_FLAGS_READ = 0x1,
  ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 0x3
} aclrtMemAccessFlags;

/// How memory may be used from a place.
typedef struct {
  aclrtMemAccessFlags flags;
  aclrtMemLocation location;
  uint8_t rsv[12];
} aclrtMemAccessDesc;

// -- addresses ---

/// Reserves addresses for `size` bytes, rounded up to 2 MiB. `alignment` is 0, `flags` 0 (or 1, as older
/// programs pass). `expectPtr`: where they should be; they are elsewhere if that is not free or no multiple
/// of 2 MiB. NoUCMemory is the same here. Threads: any but the device's. Errors: 100000 `virPtr` is NULL,
/// `size` is 0 or cannot be rounded up, or `alignment` or `flags` is another; 207001 the system has no such
/// range; 207006.
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment,
                                                    void* expectPtr, uint64_t flags);
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddressNoUCMemory(void** virPtr, size_t size, size_t alignment,
                                                              void* expectPtr, uint64_t flags);

/// Threads: any but the device's.
/// Errors: 100000 `virPtr` is NULL; 107000 no reserved addresses begin there, or something is mapped in them;
/// 207006.
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void* virPtr);

// -- physical memory ---

/// Allocates physical memory of `size` bytes, rounded up to the granularity. `flags` is 0. `handleType` NONE,
/// `allocationType` PINNED; `location` the host (HOST, HOST_NUMA) or a device, which has no DDR memory. The
/// caller frees it. soma: its contents are 0.
/// Threads: any but the device's.
/// Errors: 100000 a pointer is NULL, `size` is 0, `flags` or `prop->reserve` is not, or a property is
/// another; 107001; 207001; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                                                 const aclrtPhysicalMemProp* prop, uint64_t flags);

/// Gives the handle up. The memory goes when it is mapped nowhere.
/// Threads: any but the device's. Errors: 100000 `handle` is NULL; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/// In what amounts physical memory is made and mapped. soma: 2 MiB, or 1 GiB for the attributes HUGE1G.
/// Threads: any. Errors: 100000 a pointer is NULL, `option` is no value, or a property is another; 107001.
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop,
                                                              aclrtMemGranularityOptions option,
                                                              size_t* granularity);

/// The physical memory that is mapped at an address; the handle needs a free of its own.
/// Threads: any but the device's. Errors: 100000 a pointer is NULL; 107000 nothing is mapped there; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle);

/// Threads: any. Errors: 100000 a pointer is NULL; 107017.
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
                                                                       aclrtPhysicalMemProp* prop);

// -- mapping ---

/// Maps physical memory, all of it: `size` is its size, `offset` and `flags` are 0, `virPtr` lies in reserved
/// addresses and is a multiple of 2 MiB. The memory's own device may use it at once; with MapNoAccess only
/// after aclrtMemSetAccess.
/// Threads: any but the device's.
/// Errors: 100000 `virPtr` or `handle` is NULL, `size` is 0, or `flags` is not; 107000 `offset` is not 0, or
/// the range or its size is wrong; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                                         uint64_t flags);
ACL_FUNC_VISIBILITY aclError aclrtMemMapNoAccess(void* virPtr, size_t size, size_t offset,
                                                 aclrtDrvMemHandle handle, uint64_t flags);

/// Threads: any but the device's. Errors: 100000 `virPtr` is NULL; 107000 no mapping begins there; 207006.
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void* virPtr);

/// Changes who may use a mapping, which is named exactly: all of the changes, or on an error none. soma: host
/// and devices are one process, so memory can be touched by all if one of them may use it.
/// Threads: any but the device's.
/// Errors: 107000 `desc` is NULL, `count` is 0, a flag or location is no value, or the range is not that of a
/// mapping; 107001; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc,
                                               size_t count);

/// Threads: any. Errors: 100000 a pointer is NULL; 107000 nothing is mapped there; 107001.
ACL_FUNC_VISIBILITY aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag);

/// Lets a peer device use device memory. soma: it always can. `flags` is 0.
/// Threads: any. Errors: 100000 `devPtr` is NULL, `size` is 0, or `flags` is not; 107001.
ACL_FUNC_VISIBILITY aclError aclrtMemP2PMap(void* devPtr, size_t size, int32_t dstDevId, uint64_t flags);

// -- sharing with other processes ---

/// Flags of an export: whether the importing processes must be named.
#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL

/// DEFAULT: a uint64_t; FABRIC: an aclrtMemFabricHandle. soma: both work between processes of one user on one
/// machine.
typedef enum {
  ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 0x1,
  ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 0x2
} aclrtMemSharedHandleType;

/// What physical memory is imported by, as bytes; to be handed on as they are.
typedef struct aclrtMemFabricHandle {
  uint8_t data[128];
} aclrtMemFabricHandle;

/// `num` processes of a server.
typedef struct aclrtServerPid {
  uint32_t sdid;
  int32_t* pid;
  size_t num;
} aclrtServerPid;

/// Makes a handle by which other processes import physical memory: all, with DISABLE_PID_VALIDATION, or those
/// that SetPid names by their aclrtDeviceGetBareTgid. `handleType` is NONE. Memory is exported once. The
/// handle is good until the memory is freed or the process ends; what was imported stays. Threads: any but
/// the device's. Errors: 100000 a pointer is NULL, or a type is another; 107000 `flags` is another, or the
/// memory was exported before; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
                                                             aclrtMemHandleType handleType, uint64_t flags,
                                                             uint64_t* shareableHandle);
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,
                                                               aclrtMemSharedHandleType shareType,
                                                               void* shareableHandle);

/// Imports physical memory; it has the same contents here as there. The caller maps it, and frees the handle.
/// Threads: any but the device's.
/// Errors: 100000 a pointer is NULL, or a type or `flags` is another; 107000 nothing is shared by this handle
/// any more, or it is of this very process; 107001; 207006 this process was not named.
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                                               aclrtDrvMemHandle* handle);
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandleV2(void* shareableHandle,
                                                                 aclrtMemSharedHandleType shareType,
                                                                 uint64_t flags, aclrtDrvMemHandle* handle);

/// Adds processes that may import.
/// Threads: any but the device's.
/// Errors: 100000 a pointer is NULL, `num` is 0, or the type is another; 107000 this process exports nothing
/// by this handle; 207001 too many processes; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid,
                                                             size_t pidNum);
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandleV2(void* shareableHandle,
                                                               aclrtMemSharedHandleType shareType,
                                                               aclrtServerPid* serverPids,
                                                               size_t serverPidNum);

#ifdef __cplusplus
}
#endif

#endif
